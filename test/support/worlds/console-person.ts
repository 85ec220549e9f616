/** A person who uses the console in a real Chromium: what they click is counted. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { findBarriers, type TestBrowser } from './test-browser.js';

const PICTURES = fileURLToPath(new URL('../../../../docs/use/', import.meta.url));
export const LANGUAGES = ['en', 'de'] as const;
export const SCHEMES = ['light', 'dark'] as const;

export interface DroppedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export class ConsolePerson {
  clicks = 0;

  private constructor(
    readonly page: Page,
    /** What the policy has refused, and what has failed in the programs of the pages. */
    readonly wrong: readonly string[],
  ) {}

  static async open(browser: TestBrowser, address = '/console/'): Promise<ConsolePerson> {
    const page = await browser.open();
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) wrong.push(message.text());
    });
    await page.goto(address);
    return new ConsolePerson(page, wrong);
  }

  async click(what: Locator): Promise<void> {
    this.clicks++;
    await what.click();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  async logIn(token: string): Promise<void> {
    await this.page.getByLabel('Token or code').fill(token);
    await this.click(this.button('Log in'));
    await this.page.getByRole('link', { name: 'Imports', exact: true }).waitFor();
  }

  /** Drops a file on the page, as from a window of the system. */
  async drop({ name, bytes }: DroppedFile): Promise<void> {
    const zone = this.page.getByText('Drop your file here');
    await zone.waitFor();
    const content = JSON.stringify([name, Buffer.from(bytes).toString('base64')]);
    const transfer = await this.page.evaluateHandle(`(() => {
      const [name, base64] = ${content};
      const given = new DataTransfer();
      given.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
      return given;
    })()`);
    for (const event of ['dragenter', 'dragover', 'drop']) {
      await this.page.dispatchEvent('.drop-zone', event, { dataTransfer: transfer });
    }
  }

  /** The whole page is free of barriers, and no wider than its window, in every language and scheme. */
  async assertOpenToAll(what: string): Promise<void> {
    for (const language of LANGUAGES) {
      for (const scheme of SCHEMES) {
        await this.look(language, scheme);
        assert.deepEqual(await findBarriers(this.page), [], `${what}, ${language}, ${scheme}`);
        const fits = await this.page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
        assert.equal(fits, true, `${what} is wider than the window, ${language}`);
      }
    }
    await this.look('en', 'light');
  }

  /** Another window has chosen it: what is open here stays open. */
  private async look(language: string, scheme: string): Promise<void> {
    await this.page.evaluate(`
      localStorage.setItem('longshore.language', '${language}');
      localStorage.setItem('longshore.scheme', '${scheme}');
      dispatchEvent(new StorageEvent('storage'));`);
    await this.page.locator(`html[lang=${language}][data-scheme=${scheme}]`).waitFor();
  }

  /** Renews a picture of the documentation, if that is asked for. */
  async picture(name: string): Promise<void> {
    if (process.env.WRITE_SCREENSHOT !== '1') return;
    await this.page.screenshot({ path: `${PICTURES}${name}.png`, animations: 'disabled' });
  }
}
