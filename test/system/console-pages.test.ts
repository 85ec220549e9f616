/**
 * Every page of the console in a real Chromium, as its router lists them: no barrier in the languages and schemes, also in a
 * narrow window, and what tenants have stored is text in each place that shows it.
 */
import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { type ConsoleAccount, HARD, openConsoleAccount } from '../support/worlds/console-account.js';
import type { ConsolePage } from '../support/worlds/console-pages.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';
import { allPages, type Looks, NARROW, PAIRS, WIDE, walkDialogs, walkPages } from './console-pages.trials.js';

/** Wide in one pair of language and scheme, narrow in the opposite one. Two neighbours have all four; test/long has them for each. */
const lookedAt = (index: number): Looks => {
  const at = index % PAIRS.length;
  return { wide: PAIRS.filter((_, nth) => nth === at), narrow: PAIRS.filter((_, nth) => nth === (at ^ 1)) };
};

describe('every page of the console', function () {
  this.timeout(240_000);
  let account: ConsoleAccount;
  let person: ConsolePerson;
  let pages: readonly ConsolePage[];

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
    person = await account.logIn('owner');
    pages = allPages(account);
  });
  after(() => account?.stop());

  it('has no barrier in a wide and in a narrow window, and shows what tenants have stored as text', () =>
    walkPages(person, pages, lookedAt));

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

  it('has no barrier in any dialog', () => walkDialogs(person, account.places, lookedAt));

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
    await until('the button is not covered', () => person.page.evaluate<boolean>(IS_FREE), 20_000);
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
