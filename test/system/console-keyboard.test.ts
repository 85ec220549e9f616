/**
 * The console by keyboard alone in a real Chromium: from the login to imported rows, corrected rows and an undo, and
 * through the tree of categories. What has the focus is always seen, and the focus is never nowhere.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** More presses of Tab than any page has places. */
const MOST_PRESSES = 150;

describe('the console by keyboard alone', function () {
  this.timeout(240_000);
  this.bail(true);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;
  let token: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { 'Storage->Tape': ['Title', 'Price'], Cables: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    ({ token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' }));
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(45_000);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const press = (key: string) => person.page.keyboard.press(key);
  const see = (text: string | RegExp) => person.page.getByText(text).first().waitFor();

  /** Presses Tab until this has the focus; each place on the way is seen. */
  async function tabTo(name: RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < MOST_PRESSES; presses++) {
      await press(key);
      const focus = await person.page.evaluate<Focus>(FOCUS);
      assert.ok(focus.isSeen, `the focus on “${focus.name}” is not seen after ${passed.slice(-3).join(', ')}`);
      if (name.test(focus.name)) return;
      passed.push(focus.name);
    }
    assert.fail(`no press of Tab leads to ${name}: ${passed.join(' | ')}`);
  }

  async function assertFocused(what: string): Promise<void> {
    // What gives the focus back does it within a few frames.
    const isSomewhere = () => person.page.evaluate<boolean>('document.activeElement !== document.body');
    await until(`the focus is somewhere after ${what}`, isSomewhere, 5_000);
  }

  it('logs in, after it was told what is wrong', async () => {
    await person.page.getByLabel('Token or code').waitFor();
    await assertFocused('the page was opened');
    await person.page.keyboard.type('lst_wrong');
    await press('Enter');
    await see('This token or code is not valid');
    await assertFocused('the login was refused');
    await press('Control+A');
    await person.page.keyboard.type(token);
    await press('Enter');
    await see('What waits for you');
    await assertFocused('the login');
  });

  it('imports a file', async () => {
    await tabTo(/^Imports$/);
    await press('Enter');
    await see('Nothing was imported here yet');
    await assertFocused('a page was opened');
    await tabTo(/^Import a file$/);
    await press('Enter');
    await see('Drop your file here');
    await tabTo(/^Choose a file$/);
    const folder = await mkdtemp(join(tmpdir(), 'longshore-keys-'));
    try {
      const file = join(folder, 'keys.csv');
      await writeFile(file, 'SKU,Category Node,Title,Price\nK-1,Cables,One,1\nK-2,Cables,Two,x\nK-3,Cables,Three,y\n');
      const chooser = person.page.waitForEvent('filechooser');
      await press('Enter');
      await (await chooser).setFiles(file);
      await see('Everything is clear');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await assertFocused('the file was uploaded');
    await tabTo(/^See what would change$/);
    await press('Enter');
    await see('Would be created');
    await assertFocused('the preview was shown');
    await tabTo(/^Import$/);
    await press('Enter');
    await see('2 rows failed');
    await assertFocused('the import has ended');
  });

  it('corrects the rows that failed, and sends them again', async () => {
    await tabTo(/^Price, row 3$/);
    await press('Control+A');
    await person.page.keyboard.type('2');
    await press('Enter');
    await press('Control+A');
    await person.page.keyboard.type('3');
    await tabTo(/^Send 2 rows again$/);
    await press('Enter');
    await see('All rows are imported');
    await assertFocused('the rows were sent');
    assert.equal((await shop.item('K-3'))?.attributes.Price, '3');
  });

  it('takes the import back, after it has looked and gone back', async () => {
    await tabTo(/^Undo$/);
    await press('Enter');
    await see('3 items are deleted that it has created');
    await press('Escape');
    await person.page.getByRole('dialog').waitFor({ state: 'detached' });
    await assertFocused('a dialog was closed');
    assert.match((await person.page.evaluate<Focus>(FOCUS)).name, /^Undo$/);
    await press('Enter');
    await see('3 items are deleted that it has created');
    await tabTo(/^Undo$/);
    await press('Enter');
    await person.page.getByText('It is taken back', { exact: true }).waitFor();
    await assertFocused('the import was taken back');
    assert.equal(await shop.item('K-1'), undefined);
  });

  const nameOfFocus = async () => (await person.page.evaluate<Focus>(FOCUS)).name;

  /** Presses an arrow until this has the focus. */
  async function arrowTo(name: RegExp, key: string): Promise<void> {
    for (let presses = 0; presses < 20 && !name.test(await nameOfFocus()); presses++) await press(key);
    assert.match(await nameOfFocus(), name);
  }

  it('opens the tree of categories, and moves one by its handle', async () => {
    await tabTo(/^Categories$/, 'Shift+Tab');
    await press('Enter');
    await see('Choose a category');
    await tabTo(/Main tree/);
    await arrowTo(/Storage/, 'ArrowDown');
    await press('ArrowRight');
    await person.page.getByRole('row', { name: 'Tape', exact: true }).waitFor();
    await arrowTo(/Tape/, 'ArrowDown');
    await arrowTo(/^Move Tape$/, 'ArrowRight');
    await press('Enter');
    await arrowTo(/on Cables/, 'ArrowDown');
    await press('Enter');
    await see('Move “Tape”?');
    await tabTo(/^Move$/);
    await press('Enter');
    await see('“Tape” is below “Cables” now');
    await assertFocused('the category was moved');
    assert.match(JSON.stringify(await shop.outline()), /\["Cables",\["Tape"\]\]/);
    await tabTo(/^Undo$/, 'Shift+Tab');
    await press('Enter');
    await person.page.getByText('“Tape” is below “Cables” now').waitFor({ state: 'detached' });
    await assertFocused('the move was taken back');
  });

  it('renames a category, and moves it by the name of its new place', async () => {
    await tabTo(/Cables|Tape|Storage|Main tree/);
    await arrowTo(/Cables/, 'ArrowDown');
    await press('Enter');
    await person.page.getByRole('heading', { name: 'Cables', exact: true }).waitFor();
    await tabTo(/^Name$/);
    await press('Control+A');
    await person.page.keyboard.type('Wires');
    await press('Enter');
    await person.page.getByRole('row', { name: 'Wires', exact: true }).waitFor();
    await assertFocused('the category was renamed');
    // Whoever types fast has chosen before the search is answered.
    const answers: (() => Promise<void>)[] = [];
    await person.page.route(/keyword=/, (route) => void answers.push(() => route.continue()));
    await tabTo(/^Move to$/);
    await person.page.getByRole('option', { name: 'Storage', exact: true }).waitFor();
    await person.page.keyboard.type('Stor');
    await press('ArrowDown');
    await press('Enter');
    await see('Move “Wires”?');
    await person.page.unroute(/keyword=/);
    for (const answer of answers) await answer().catch(() => undefined);
    await tabTo(/^Move$/);
    await press('Enter');
    await see('“Wires” is below “Storage” now');
    await assertFocused('the category was moved');
    assert.match(JSON.stringify(await shop.outline()), /\["Storage",.*\["Wires"\]/);
  });
});

interface Focus {
  readonly name: string;
  readonly isSeen: boolean;
}

/** What has the focus, and whether one sees that it has: its frame, ground or shadow is another than without. */
const FOCUS = `(() => {
  const one = document.activeElement;
  const name = (one.getAttribute('aria-label') ?? (one.labels?.[0]?.innerText || one.innerText) ?? '').trim().slice(0, 80);
  if (one === document.body) return { name: 'nothing', isSeen: true };
  const box = one.getBoundingClientRect();
  const marked = [one, one.parentElement, one.nextElementSibling].filter(Boolean).some((place) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  });
  const isHidden = one.type === 'checkbox' || one.type === 'radio' || one.type === 'file';
  return { name, isSeen: (isHidden || (box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight)) && marked };
})()`;
