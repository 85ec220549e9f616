/** A person who uses the console in a real Chromium: what they click is counted. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { findBarriers, type TestBrowser } from './test-browser.js';

const PICTURES = fileURLToPath(new URL('../../../../docs/pictures/', import.meta.url));
/** Each language and each scheme: texts do not depend on colours. */
const LOOKS = [
  ['de', 'dark'],
  ['en', 'light'],
] as const;

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

  /** Drags a file from a folder of the system to the page, and drops it there. */
  async drop({ name, bytes }: DroppedFile): Promise<void> {
    const zone = this.page.locator('.drop-zone');
    await zone.waitFor();
    const box = await zone.boundingBox();
    if (box === null) throw new Error('there is nowhere to drop a file');
    const folder = await mkdtemp(join(tmpdir(), 'longshore-drop-'));
    try {
      await writeFile(join(folder, name), bytes);
      const browser = await this.page.context().newCDPSession(this.page);
      const data = { items: [], files: [join(folder, name)], dragOperationsMask: 1 };
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        await browser.send('Input.dispatchDragEvent', { type, data, x: box.x + 20, y: box.y + 20 });
      }
      // The page has sent it when it is at another address; it is gone afterwards, as files of people are.
      await this.page.waitForURL((address) => !address.pathname.endsWith('/new'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The whole page is free of barriers, and no wider than its window, in every language and every scheme. */
  async assertOpenToAll(what: string): Promise<void> {
    for (const [language, scheme] of LOOKS) {
      await this.look(language, scheme);
      assert.deepEqual(await findBarriers(this.page), [], `${what}, ${language}, ${scheme}`);
      const fits = await this.page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
      assert.equal(fits, true, `${what} is wider than the window, ${language}`);
    }
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
