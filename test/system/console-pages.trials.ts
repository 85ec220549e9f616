/** Walks through the pages and dialogs of the console, in chosen languages, schemes and windows. */
import assert from 'node:assert/strict';
import type { ConsoleAccount } from '../support/worlds/console-account.js';
import { consoleDialogs } from '../support/worlds/console-dialogs.js';
import { type ConsolePage, consolePages } from '../support/worlds/console-pages.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
/** Beside each other are those that have nothing in common. */
export const PAIRS = [
  ['de', 'dark'],
  ['en', 'light'],
  ['de', 'light'],
  ['en', 'dark'],
] as const;

/** In which languages and schemes a page is looked at. */
export interface Looks {
  readonly wide: readonly (typeof PAIRS)[number][];
  readonly narrow: readonly (typeof PAIRS)[number][];
}

export function allPages({ places, waiting }: ConsoleAccount): readonly ConsolePage[] {
  return [
    ...consolePages(places),
    { path: 'an import that waits', address: `/console/production/imports/${waiting}` },
    { path: 'a page that is not there', address: '/console/production/nowhere' },
  ];
}

/** No page has a barrier, and each shows what tenants have stored as text. */
export async function walkPages(
  person: ConsolePerson,
  pages: readonly ConsolePage[],
  looksOf: (index: number) => Looks,
): Promise<void> {
  const problems: string[] = [];
  for (const [index, { path, address }] of pages.entries()) {
    const visit = async () => {
      await person.page.setViewportSize(WIDE);
      await person.page.goto(address);
      await person.settled();
      assert.equal(await person.page.evaluate('typeof hacked'), 'undefined');
      assert.equal(await person.page.locator('#root img').count(), 0);
      assert.deepEqual(await person.page.evaluate(TURNED), [], 'names that turn around what is beside them');
      assert.deepEqual(await person.page.evaluate(ALIKE), [], 'controls of different rows that are called the same');
      assert.deepEqual(person.wrong, []);
      await look(person, path, looksOf(index));
    };
    await visit().catch((error: unknown) => problems.push(`${path}: ${error}`));
  }
  await person.setLooks('en', 'light');
  assert.equal(problems.join('\n\n'), '');
}

/** A narrow page fits in both languages, of which one is longer than the other. */
async function look(person: ConsolePerson, what: string, { wide, narrow }: Looks, within?: string): Promise<void> {
  for (const [language, scheme] of wide) await person.assertOpen(what, language, scheme, within);
  await person.page.setViewportSize(NARROW);
  for (const [language, scheme] of wide) {
    await person.assertFits(`${what}, narrow`, language, scheme);
    const hidden = await person.page.evaluate(OUT_OF_SIGHT);
    assert.deepEqual(hidden, [], `${what}, narrow, ${language}: controls of a table that are out of sight`);
  }
  for (const [language, scheme] of narrow) await person.assertOpen(`${what}, narrow`, language, scheme, within);
}

/** No dialog has a barrier, and each shows what tenants have stored as text. */
export async function walkDialogs(
  person: ConsolePerson,
  places: ConsoleAccount['places'],
  looksOf: (index: number) => Looks,
): Promise<void> {
  const problems: string[] = [];
  let at = '';
  for (const [index, { name, address, open, stays }] of consoleDialogs(places).entries()) {
    const visit = async () => {
      await person.page.setViewportSize(WIDE);
      if (at !== address) await person.page.goto(address);
      at = '';
      await person.settled();
      // It is opened by the names of buttons.
      await person.setLooks('en', 'light');
      await open(person);
      await person.page.getByRole('dialog').waitFor();
      await look(person, name, looksOf(index), '[role=dialog]');
      assert.equal(!stays && (await person.page.evaluate(NO_WAY_BACK)), false, 'no button leaves the dialog');
      assert.equal(await person.page.locator('body img').count(), 0);
      assert.deepEqual(await person.page.evaluate(TURNED), [], 'names that turn around what is beside them');
      assert.deepEqual(await person.page.evaluate(ALIKE), [], 'controls of different rows that are called the same');
      if (stays) return;
      await person.page.keyboard.press('Escape');
      await person.page.getByRole('dialog').waitFor({ state: 'detached' });
      at = address;
    };
    await visit().catch((error: unknown) => problems.push(`${name}: ${error}`));
  }
  await person.setLooks('en', 'light');
  assert.deepEqual(person.wrong, []);
  assert.equal(problems.join('\n\n'), '');
}

/** Whoever has a mouse alone does not know that Escape leaves a dialog. */
const NO_WAY_BACK = `document.querySelector('.dialog') !== null &&
  ![...document.querySelectorAll('.dialog button')].some((one) => /^(Cancel|Close|Back|Done|Keep it|Leave it|Abbrechen|Schließen|Zurück|Fertig|Behalten|Lassen|So lassen)/.test(one.innerText))`;

/** The texts in which a sign of a tenant turns around what is beside them: it is neither in an element of its own nor apart. */
const TURNED = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  const isApart = (element) => /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi);
  const isInline = (element) => getComputedStyle(element).display === 'inline';
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    // A path is one text: each name in it is set apart by signs.
    if (/\\u202E[^\\u2069]*›/.test(text.data)) found.add(text.data.slice(0, 200));
    // A message says what it says: no value that it names turns the rest of it around.
    if (/^[^\\u2068]*\\u202E/.test(text.data) && text.parentElement.closest('.said, body [lang=en]') !== null) found.add(text.data.slice(0, 200));
    if (!text.data.includes('\\u202E') || text.data.includes('\\u2068')) continue;
    let place = text.parentElement;
    while (isInline(place) && !isApart(place)) place = place.parentElement;
    if (isApart(place)) continue;
    // What stands alone in its place has nothing beside it.
    if (place.innerText.trim() !== text.data.trim()) found.add(place.tagName + '.' + place.className + ': ' + place.innerText.slice(0, 200));
  }
  return [...found];
})()`;

/**
 * The controls in different rows of one list that a screen reader calls the same: nobody can tell them apart. Links that lead to the same
 * place are one, and so are the answers to questions, which the question names.
 */
const ALIKE = `(() => {
  const textOf = (element) => {
    if (element === null || element.getAttribute('aria-hidden') === 'true') return '';
    return element.getAttribute('aria-label') ?? element.innerText ?? '';
  };
  const nameOf = (control) => {
    const by = control.getAttribute('aria-labelledby');
    if (by !== null) return by.split(' ').map((id) => textOf(document.getElementById(id))).join(' ');
    if (control.hasAttribute('aria-label')) return control.getAttribute('aria-label');
    return control.labels?.length > 0 ? [...control.labels].map(textOf).join(' ') : textOf(control);
  };
  const rows = new Map();
  const found = new Set();
  for (const control of document.querySelectorAll('a[href], button, summary, textarea, input:not([type=hidden]):not([type=radio])')) {
    const row = control.closest('tr, [role=row], li');
    if (row === null || !control.checkVisibility() || control.closest('[aria-hidden=true], [inert]') !== null) continue;
    const list = row.parentElement.closest('table, [role=grid], [role=treegrid], ul, ol');
    const name = nameOf(control).replace(/\\s+/g, ' ').trim();
    const places = rows.get(list) ?? new Map();
    rows.set(list, places);
    const key = control.tagName + ' ' + name;
    const other = places.get(key);
    if (other === undefined) places.set(key, { row, href: control.href });
    else if (other.row !== row && (control.href === undefined || control.href !== other.href)) found.add(key.slice(0, 200));
  }
  return [...found];
})()`;

/** The controls in rows of lists that stand beside the window: a table has to be scrolled to find them. What one edits as a table is one. */
const OUT_OF_SIGHT = `[...document.querySelectorAll('.table:not(.item-table, .grid, .trial-table, .sample-table) tbody :is(a, button, input)')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth)
  .map((one) => (one.ariaLabel ?? one.textContent).slice(0, 80))`;
