/**
 * Every page of the console in a real Chromium, as its router lists them: no barrier in each language and each scheme, also
 * in a narrow window, and what tenants have stored is text in each place that shows it.
 */
import assert from 'node:assert/strict';
import { type ConsoleAccount, openConsoleAccount } from '../support/worlds/console-account.js';
import { type ConsolePage, consolePages } from '../support/worlds/console-pages.js';
import type { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 400, height: 800 };

describe('every page of the console', function () {
  this.timeout(240_000);
  let account: ConsoleAccount;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    account = await openConsoleAccount();
    person = await account.logIn('owner');
    person.page.setDefaultTimeout(45_000);
  });
  after(() => account?.stop());

  async function open({ address }: ConsolePage): Promise<void> {
    await person.page.goto(address);
    await person.settled();
  }

  const walk = (what: string, visit: (page: ConsolePage) => Promise<void>) =>
    it(what, async () => {
      const problems: string[] = [];
      for (const page of consolePages(account.places)) {
        await open(page);
        await visit(page).catch((error: unknown) => problems.push(`${page.path}: ${error}`));
      }
      assert.equal(problems.join('\n\n'), '');
    });

  walk('has no barrier in both languages and both schemes, in wide and in narrow windows', async ({ path }) => {
    await person.page.setViewportSize(WIDE);
    await person.assertOpenToAll(path, 'all');
    await person.page.setViewportSize(NARROW);
    await person.assertOpenToAll(`${path}, narrow`, 'all');
  });

  walk('shows names with markup and from right to left as text', async () => {
    assert.equal(await person.page.evaluate('typeof hacked'), 'undefined');
    assert.equal(await person.page.locator('#root img').count(), 0);
    assert.deepEqual(await person.page.evaluate(TURNED), []);
    assert.deepEqual(person.wrong, []);
  });
});

/** The texts in which a sign of a tenant turns around what follows it: it stands neither apart nor alone in its place. */
const TURNED = `(() => {
  const places = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  const isApart = (element) => /isolate|plaintext/.test(getComputedStyle(element).unicodeBidi);
  for (let text = places.nextNode(); text !== null; text = places.nextNode()) {
    if (!text.data.includes('\\u202E') || text.data.includes('\\u2068')) continue;
    let place = text.parentElement;
    const isInline = (element) => getComputedStyle(element).display === 'inline';
    while (isInline(place) && !isApart(place)) place = place.parentElement;
    if (isApart(place)) continue;
    const others = place.innerText.replace(text.data.trim(), '').trim();
    if (others !== '' || !text.data.trim().startsWith('<') && !/^[\\w ]+</.test(text.data.trim())) found.push(place.className + ': ' + place.innerText.slice(0, 200));
  }
  return [...new Set(found)];
})()`;
