/** A person who uses the console in a real Chromium: what they click is counted. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { until } from '../until.js';
import { findBarriers, type TestBrowser } from './test-browser.js';

const PICTURES = fileURLToPath(new URL('../../../../docs/pictures/', import.meta.url));
/** The page of those who may not see a page. */
const REFUSED = /^(You may not do this|Das dürfen Sie nicht)$/;
/** A smooth scroll moves within this time, if it is not over. */
const SCROLLED_MS = 100;
/** Each language in each scheme; the first two have every one of both. */
const LOOKS = [
  ['de', 'dark'],
  ['en', 'light'],
  ['de', 'light'],
  ['en', 'dark'],
] as const;
type Language = (typeof LOOKS)[number][0];
type Scheme = (typeof LOOKS)[number][1];

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
    /** The requests of the page that are not answered. */
    private readonly underWay: ReadonlySet<unknown>,
  ) {}

  static async open(browser: TestBrowser, address = '/console/'): Promise<ConsolePerson> {
    const page = await browser.open();
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) wrong.push(message.text());
    });
    const underWay = new Set<unknown>();
    // Whoever waits for a job says so.
    page.on('request', (request) => request.headers().prefer === undefined && underWay.add(request));
    page.on('requestfinished', (request) => underWay.delete(request));
    page.on('requestfailed', (request) => underWay.delete(request));
    await page.goto(address);
    return new ConsolePerson(page, wrong, underWay);
  }

  async click(what: Locator): Promise<void> {
    this.clicks++;
    await what.click();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** Puts the pointer on the message that offers to undo: it stays for as long, however long what comes before takes. */
  holdUndo(): Promise<void> {
    return this.button('Undo').hover();
  }

  async logIn(token: string): Promise<void> {
    await this.page.getByLabel('Token or code').fill(token);
    await this.click(this.button('Log in'));
    await this.page.getByRole('link', { name: 'Imports', exact: true }).waitFor();
  }

  /** Goes to a page as links do: the program is not loaded again, which is what most of a visit costs. */
  async follow(address: string): Promise<void> {
    const { pathname } = new URL(this.page.url());
    const isSame = new URL(address, this.page.url()).pathname === pathname;
    // One page of two addresses keeps its heading: nobody would see when it is there.
    if (isSame || (await this.page.getByRole('heading', { name: REFUSED }).count()) > 0) {
      await this.page.goto(address);
      return;
    }
    await this.page.evaluate(`
      for (const heading of document.querySelectorAll('main h1')) heading.dataset.left = '';
      history.pushState(null, '', ${JSON.stringify(address)});`);
    await this.page.locator('main h1:not([data-left])').waitFor();
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
    for (const [language, scheme] of LOOKS.slice(0, 2)) await this.assertOpen(what, language, scheme);
  }

  /** The same, in each pair of language and scheme: for pages that no walk through all pages sees. */
  async assertOpenInEachLook(what: string): Promise<void> {
    for (const [language, scheme] of LOOKS) await this.assertOpen(what, language, scheme);
    await this.setLooks('en', 'light');
  }

  /** It is so in one language and one scheme. @param within undefined: the whole page */
  async assertOpen(what: string, language: Language, scheme: Scheme, within?: string): Promise<void> {
    await this.assertFits(what, language, scheme);
    assert.deepEqual(await findBarriers(this.page, within), [], `${what}, ${language}, ${scheme}`);
  }

  async assertFits(what: string, language: Language, scheme: Scheme): Promise<void> {
    await this.setLooks(language, scheme);
    assert.equal(await this.page.evaluate<string>(WIDEST), '', `${what} is wider than the window, ${language}`);
  }

  /** Waits until the page has all that it has asked for, but for requests that wait for something. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').waitFor();
    await this.page.locator('main [role=progressbar]').first().waitFor({ state: 'detached' });
    // What is asked for because of an answer is asked for within two frames of it. Parts that come after the page are asked for
    // when the browser is idle, within a second: it calls those who waited before us first.
    const twoFrames = 'new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go))))';
    const idle = 'new Promise((go) => requestIdleCallback(go, { timeout: 2_000 }))';
    const isQuiet = async () => {
      await this.page.evaluate(`${twoFrames}.then(() => ${idle})`);
      return this.underWay.size === 0;
    };
    await until('the page has its answers', async () => (await isQuiet()) && (await isQuiet()), 45_000, 30);
  }

  /** Another window has chosen it: what is open here stays open. */
  async setLooks(language: Language, scheme: Scheme): Promise<void> {
    await this.page.evaluate(`
      localStorage.setItem('longshore.language', '${language}');
      localStorage.setItem('longshore.scheme', '${scheme}');
      dispatchEvent(new StorageEvent('storage'));`);
    await this.page.locator(`html[lang=${language}][data-scheme=${scheme}]`).waitFor();
  }

  /** Renews a picture of the documentation, if that is asked for. */
  async picture(name: string): Promise<void> {
    if (process.env.WRITE_SCREENSHOT !== '1') return;
    // While a page scrolls, its header is elsewhere in a picture.
    const isStill = () =>
      this.page.evaluate<boolean>(`(() => {
        const before = scrollY;
        return new Promise((go) => setTimeout(() => go(scrollY === before), ${SCROLLED_MS}));
      })()`);
    await until('nothing scrolls', isStill, 10_000, 0);
    await this.page.screenshot({ path: `${PICTURES}${name}.png`, animations: 'disabled' });
  }
}

/** What makes the page wider than its window; empty: nothing does. */
const WIDEST = `document.documentElement.scrollWidth <= window.innerWidth ? '' :
  [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > window.innerWidth + 0.5)
    .map((one) => one.tagName + '.' + one.getAttribute('class')).slice(0, 6).join(', ') || 'something'`;
