/**
 * The console by keyboard alone in a real Chromium: from the login to imported rows, corrected rows and an undo,
 * through the tree of categories, to an export, and to an event that a webhook sends twice. What has the focus is always seen, and the focus is never nowhere.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
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
  let receiver: Receiver;
  let person: ConsolePerson;
  let token: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }, { name: 'Sold from', type: 'DATETIME' }],
      categories: { 'Storage->Tape': ['Title', 'Price'], Cables: ['Title', 'Price', 'Sold from'] },
      mapping: { title: 'Title' },
    });
    ({ token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' }));
    receiver = await startReceiver(answerWith(200, {}, 'thank you'));
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(45_000);
  });
  after(async () => {
    await browser?.stop();
    await receiver?.stop();
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
    await until(`the focus is somewhere after ${what}`, isSomewhere, 20_000);
  }

  /** The heading of a page has the focus when it is there: whoever tabs on before would lose what has it then. */
  const opened = (name: RegExp) =>
    person.page.getByRole('heading', { level: 1, name }).and(person.page.locator(':focus')).waitFor();

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
    await opened(/^Imports$/);
    await see('Nothing was imported here yet');
    await tabTo(/^Import a file$/);
    await press('Enter');
    await opened(/^Import a file$/);
    await see('Drop your file here');
    await tabTo(/^Choose a file$/);
    const folder = await mkdtemp(join(tmpdir(), 'longshore-keys-'));
    try {
      const file = join(folder, 'keys.csv');
      const rows = ['K-1,Cables,One,1,05.04.2026', 'K-2,Cables,Two,x,', 'K-3,Cables,Three,y,'];
      await writeFile(file, ['SKU,Category Node,Title,Price,Sold from', ...rows, ''].join('\n'));
      const chooser = person.page.waitForEvent('filechooser');
      await press('Enter');
      await (await chooser).setFiles(file);
      await see('One question before it goes on');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await assertFocused('the file was uploaded');
    await tabTo(/^(May 4, 2026|4 May 2026)$|^(April 5, 2026|5 April 2026)$/);
    await arrowTo(/^(April 5, 2026|5 April 2026)$/, 'ArrowDown');
    await press(' ');
    await see('Everything is clear');
    await assertFocused('the question was answered');
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
    await opened(/^Categories$/);
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
    await see('Rename “Cables”?');
    await tabTo(/^Rename$/);
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

  /** Chooses a page of the menu. */
  async function open(name: RegExp): Promise<void> {
    await tabTo(name, 'Shift+Tab');
    await press('Enter');
    await opened(name);
  }

  it('adds a webhook, and tries it', async () => {
    await open(/^Webhooks$/);
    await see('No system is told anything yet');
    await tabTo(/^Add a webhook$/);
    await press('Enter');
    await opened(/^Add a webhook$/);
    await tabTo(/^Address that is called/);
    await person.page.keyboard.type(`${receiver.url}/hook`);
    await tabTo(/^All events of this source/);
    await press(' ');
    await tabTo(/^Create the webhook$/);
    await press('Enter');
    await see('The webhook is there');
    await assertFocused('the webhook was created');
    await tabTo(/^Send a test$/);
    await press('Enter');
    await see(/The endpoint answered 200/);
    await assertFocused('a test was sent');
    await tabTo(/^Done, open the webhook$/);
    await press('Enter');
    await opened(/hook/);
    await see('Nothing was sent yet');
  });

  it('exports all items, and takes the file', async () => {
    await open(/^Exports$/);
    await see('Nothing was exported here yet');
    await tabTo(/^New export$/);
    await press('Enter');
    await opened(/^New export$/);
    await tabTo(/^Write the file$/);
    await press('Enter');
    await see('The file is ready');
    await assertFocused('the file was written');
    await tabTo(/^Download$/);
    const file = person.page.waitForEvent('download');
    await press('Enter');
    await (await file).path();
    await assertFocused('the file was taken');
  });

  it('looks at the event of the export, and sends it again', async () => {
    await open(/^Webhooks$/);
    await see(/127\.0\.0\.1.*hook/);
    await tabTo(/127\.0\.0\.1.*hook/);
    await press('Enter');
    await opened(/hook/);
    await person.page.getByRole('row', { name: /EXPORT_READY.*Delivered/ }).waitFor();
    await tabTo(/^EXPORT_READY/);
    await press('Enter');
    await opened(/EXPORT_READY/);
    await see('Attempt 1');
    const before = receiver.received.length;
    await tabTo(/^Send again$/);
    await press('Enter');
    await until('the event arrives a second time', () => receiver.received.length > before, 20_000);
    await see('Attempt 2');
    await assertFocused('the event was sent again');
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
