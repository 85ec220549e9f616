/** What becomes of each column, in the console in a real Chromium: somebody chooses another attribute than was proposed, and imports. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const FILE = ['SKU,Category,Bez.,Notiz,Preis'];
for (let row = 0; row < 12; row++) FILE.push(`B-${row},Disk,Platte ${row},egal ${row},"${row},50"`);

describe('the mapping of columns in the console', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Cost', type: 'DECIMAL' }, { name: 'Year', type: 'INTEGER' }],
      categories: { Disk: ['Title', 'Year'] },
      mapping: { title: 'Title' },
    });
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const target = (column: string) => person.page.getByRole('combobox', { name: `Becomes, for “${column}”` });
  /** @param then what the proposal says of the column afterwards */
  const choose = async (column: string, typed: string, option: string | RegExp, then: string) => {
    await target(column).click();
    await target(column).fill(typed);
    await person.page.getByRole('option', { name: option }).first().click();
    const row = person.page.locator('tr', { has: person.page.locator('th', { hasText: column }) });
    await row.getByText(then).waitFor({ state: 'attached' });
  };

  it('asks how dates are written with answers that differ, whichever day stands in the file', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    const rows = ['C-1', 'C-2', 'C-3'].map((sku) => `${sku};Disk;01.01.2026\n`);
    await person.drop({ name: 'day.csv', bytes: Buffer.from(`SKU;Category;Ab\n${rows.join('')}`) });
    await page.getByText('How are dates such as 01.01.2026 in row 2 of “Ab” written?').waitFor();
    await page.getByText('January 31 would be 01.31.2026').waitFor();
    await page.getByText('January 31 would be 31.01.2026').click();
    await page.getByText('Everything is clear').waitFor();
    await person.button('Discard the file').click();
    await page.getByText('Every file that was imported').waitFor();
  });

  it('offers every attribute, other columns, a new attribute and nothing, by a part of their names', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    await person.drop({ name: 'shop.csv', bytes: Buffer.from(`${FILE.join('\n')}\n`) });
    await target('Bez.').waitFor();
    assert.equal(await target('Bez.').inputValue(), 'Bez.');
    const numbers = await page.locator('.sample-table th.number').first().boundingBox();
    assert.ok((numbers?.width ?? 1_000) < 90, `the column of row numbers takes ${numbers?.width} of the room`);
    await choose('Bez.', 'itl', /^Title/, 'You have chosen "Title".');
    assert.equal(await target('Bez.').inputValue(), 'Title');
    await choose('Preis', 'cos', /^Cost/, 'You have chosen "Cost".');
    await choose('Notiz', 'Bemerkung', /^New attribute “Bemerkung”/, 'new attribute, text');
    assert.equal(await target('Notiz').inputValue(), 'Bemerkung');
    await target('Notiz').fill('not im');
    // As where a list opens below the pointer that has chosen in the one before. `hover` would scroll the page, which closes it.
    const option = page.getByRole('option', { name: 'New attribute “not im”' });
    await option.waitFor();
    const box = await option.boundingBox();
    if (box !== null) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.press('Tab');
    await person.settled();
    assert.equal(await target('Notiz').inputValue(), 'Bemerkung', 'what is typed and not picked is no choice');
    await choose('Notiz', '', 'Not imported', 'You leave it out.');
    await person.assertOpenToAll('the mapping with other columns');
  });

  it('keeps the choice when the page is loaded again, and imports by it', async () => {
    const { page } = person;
    await page.reload();
    await target('Bez.').waitFor();
    assert.deepEqual(
      [await target('Bez.').inputValue(), await target('Preis').inputValue(), await target('Notiz').inputValue()],
      ['Title', 'Cost', 'Not imported'],
    );
    await person.button('Import').click();
    await page.getByText('All rows are imported').waitFor();
    const { attributes } = await shop.ask('GET', '/api-product/v1/product/B-3');
    assert.deepEqual(attributes, { Title: 'Platte 3', Cost: '3.5' });
    await shop.bulk('update', [{ sku: 'B-3', attributes: { Year: 2023, Cost: '2023' } }]);
    await page.goto('/console/production/items/item?sku=B-3');
    await page.getByText('2,023', { exact: true }).first().waitFor();
    await page.getByText('2023', { exact: true }).first().waitFor();
  });

  it('asks about a file of stock in both languages, and shows only what an answer would create', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    const rows = Array.from({ length: 12 }, (_, row) => `B-${row};${row + 3}`);
    await person.drop({ name: 'stock.csv', bytes: Buffer.from(`Artikelnummer;Bestand\n${rows.join('\n')}\n`) });
    await page.getByText('This looks like a file of stock alone. Is each of its rows an item all the same?').waitFor();
    await page.getByText('Yes: each row is an item, and empty cells change nothing').click();
    await page.getByText('In which category are new items created?').waitFor();
    const creates = page.getByText('Create 1 category');
    assert.equal(await creates.count(), 0, 'before it is decided');
    await page.getByText(/^In the new category/).click();
    await creates.waitFor();
    await page.getByText('None: all items exist already, rows of others fail').click();
    await creates.waitFor({ state: 'detached' });
    await person.setLooks('de', 'light');
    await page.getByText('Das sieht nach einer Datei mit Beständen allein aus.').waitFor();
    await page.getByText(/^In der Kategorie „.?Disk.?“$/).waitFor();
    const words = (await page.locator('.question-list').allInnerTexts()).join(' ');
    assert.doesNotMatch(words, /\b(?:items?|rows?|category|the|all)\b/);
    await person.setLooks('en', 'light');
  });
});
