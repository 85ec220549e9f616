/**
 * Every page of the console in a real Chromium, as its router lists them: no barrier in each language and each scheme, also
 * in a narrow window, and what tenants have stored is text in each place that shows it.
 */
import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { type ConsoleAccount, HARD, openConsoleAccount } from '../support/worlds/console-account.js';
import { consoleDialogs } from '../support/worlds/console-dialogs.js';
import { type ConsolePage, consolePages } from '../support/worlds/console-pages.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

describe('every page of the console', function () {
  this.timeout(240_000);
  let account: ConsoleAccount;
  let person: ConsolePerson;
  let pages: readonly ConsolePage[];

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
    person = await account.logIn('owner');
    pages = [
      ...consolePages(account.places),
      { path: 'an import that waits', address: `/console/production/imports/${account.waiting}` },
      { path: 'a page that is not there', address: '/console/production/nowhere' },
    ];
  });
  after(() => account?.stop());

  it('has no barrier in a wide and in a narrow window, and shows what tenants have stored as text', async () => {
    const problems: string[] = [];
    for (const { path, address } of pages) {
      await person.page.setViewportSize(WIDE);
      await person.page.goto(address);
      await person.settled();
      await look(path).catch((error: unknown) => problems.push(`${path}: ${error}`));
    }
    assert.equal(problems.join('\n\n'), '');
  });

  async function look(path: string): Promise<void> {
    assert.equal(await person.page.evaluate('typeof hacked'), 'undefined');
    assert.equal(await person.page.locator('#root img').count(), 0);
    assert.deepEqual(await person.page.evaluate(TURNED), [], 'names that turn around what is beside them');
    assert.deepEqual(person.wrong, []);
    await person.assertOpen(path, 'de', 'dark');
    await person.page.setViewportSize(NARROW);
    await person.assertFits(`${path}, narrow`, 'de', 'dark');
    await person.assertOpen(`${path}, narrow`, 'en', 'light');
  }

  it('mixes up no names that look alike', async () => {
    await person.page.setViewportSize(WIDE);
    await person.page.goto('/console/production/items?from=Z-1');
    for (const number of [0, 1]) {
      await person.page
        .locator('.item-row', { hasText: `number ${number}` })
        .getByRole('link')
        .first()
        .click();
      await person.page.getByRole('heading', { name: `number ${number}`, exact: true }).waitFor();
      await person.page.goBack();
    }
  });

  it('has no barrier in any dialog', async () => {
    const problems: string[] = [];
    let at = '';
    for (const { name, address, open, stays } of consoleDialogs(account.places)) {
      const visit = async () => {
        await person.page.setViewportSize(WIDE);
        if (at !== address) await person.page.goto(address);
        at = '';
        await person.settled();
        await open(person);
        await person.page.getByRole('dialog').waitFor();
        await person.assertOpen(name, 'de', 'dark', '[role=dialog]');
        await person.page.setViewportSize(NARROW);
        await person.assertOpen(`${name}, narrow`, 'en', 'light', '[role=dialog]');
        assert.equal(await person.page.locator('body img').count(), 0);
        assert.deepEqual(await person.page.evaluate(TURNED), [], 'names that turn around what is beside them');
        if (stays) return;
        await person.page.keyboard.press('Escape');
        await person.page.getByRole('dialog').waitFor({ state: 'detached' });
        at = address;
      };
      await visit().catch((error: unknown) => problems.push(`${name}: ${error}`));
    }
    assert.deepEqual(person.wrong, []);
    assert.equal(problems.join('\n\n'), '');
  });

  it('shows in a narrow menu where one is', async () => {
    await person.page.setViewportSize(NARROW);
    await person.page.goto('/console/production/sessions');
    await person.settled();
    const isInView = `(() => {
      const { left, right } = document.querySelector('.menu-link.current').getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    })()`;
    assert.equal(await person.page.evaluate(isInView), true);
  });

  it('tells that something is saved beside the buttons of the page, not over them', async () => {
    await person.page.setViewportSize(NARROW);
    await person.page.goto(`/console/production/imports/profiles/profile?name=${encodeURIComponent(`ERP ${HARD}`)}`);
    for (const encoding of ['windows-1252', 'utf-8']) {
      await person.page.getByLabel('Encoding', { exact: true }).fill(encoding);
      await person.button('Save').click();
      await person.page.locator('.toast').first().waitFor();
    }
    await person.page
      .getByText(/is saved as version 3/)
      .first()
      .waitFor();
    await person.page.getByLabel('Encoding', { exact: true }).fill('utf-16le');
    await until('the button is not covered', () => person.page.evaluate<boolean>(IS_FREE), 5_000);
    assert.ok((await person.page.locator('.toast').count()) > 0);
    assert.ok((await person.page.evaluate<number>(FRAMES_ASKED)) < 10, 'nothing looks at each frame meanwhile');
    assert.ok((await person.page.locator('.toast').count()) > 0);
  });
});

/** How many frames the page has asked for while 30 went by. */
const FRAMES_ASKED = `new Promise((resolve) => {
  const own = requestAnimationFrame.bind(window);
  let asked = 0;
  window.requestAnimationFrame = (step) => { asked++; return own(step); };
  let left = 30;
  const step = () => {
    if (left-- > 0) return own(step);
    window.requestAnimationFrame = own;
    resolve(asked);
  };
  own(step);
})`;

/** Whether a press in the middle of the button “Save” presses it. */
const IS_FREE = `(() => {
  const button = [...document.querySelectorAll('.send-bar button')].find((one) => one.textContent.trim() === 'Save');
  const { left, top, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})()`;

/** The texts in which a sign of a tenant turns around what is beside them: it is neither in an element of its own nor apart. */
const TURNED = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  const isApart = (element) => /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi);
  const isInline = (element) => getComputedStyle(element).display === 'inline';
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    // A path is one text: each name in it is set apart by signs.
    if (/\\u202E[^\\u2069]*›/.test(text.data)) found.add(text.data.slice(0, 200));
    if (!text.data.includes('\\u202E') || text.data.includes('\\u2068')) continue;
    let place = text.parentElement;
    while (isInline(place) && !isApart(place)) place = place.parentElement;
    if (isApart(place)) continue;
    // What stands alone in its place has nothing beside it.
    if (place.innerText.trim() !== text.data.trim()) found.add(place.tagName + '.' + place.className + ': ' + place.innerText.slice(0, 200));
  }
  return [...found];
})()`;
