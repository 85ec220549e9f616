/** Files of which the console asks how they are read, in a real Chromium: another sheet has other columns. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { hiddenCellsFile } from '../support/models/hidden-cells-file.js';
import { odsFile, odsRow } from '../support/models/ods-file.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('the console, with a workbook of several sheets', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let person: ConsolePerson;
  let shop: Shop;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  it('asks which one has the rows, and shows the columns of the one that is chosen', async () => {
    const sheet = (name: string, ...rows: string[][]) =>
      `<table:table table:name="${name}">${rows.map((cells) => odsRow(...cells)).join('')}</table:table>`;
    const items = [
      ['Item No', 'Product', 'Waterproof'],
      ['T-1', 'Tent Aurora', 'yes'],
      ['T-2', 'Tent Boreal', 'no'],
    ];
    const bytes = await odsFile({ sheets: sheet('Cover', ['Prices 2026'], ['read me']) + sheet('Tents', ...items) });
    const { page } = person;
    await person.click(page.getByRole('link', { name: 'Imports', exact: true }));
    await person.click(page.getByRole('link', { name: 'Import a file' }).first());
    await person.drop({ name: 'shop.ods', bytes });
    await page.getByText('In which sheet are the rows?').waitFor();
    await person.click(page.getByText('Tents', { exact: true }).first());
    await page.getByRole('columnheader', { name: 'Waterproof' }).first().waitFor();
    assert.match(page.url(), /sheet=Tents/);
    assert.equal(await page.getByText('In which sheet are the rows?').count(), 0);
    await page.getByText('Tents (3 rows)').first().waitFor({ state: 'attached' });
    assert.deepEqual(person.wrong, []);
  });

  it('reads a file otherwise where it was found out wrongly: with two rows of names, and with another sign', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    const rows = Array.from({ length: 6 }, (_, row) => `Z-${row};Tent ${row};${row},5;${row},9`);
    await person.drop({
      name: 'prices.csv',
      bytes: Buffer.from(`Master;;Prices;\nSKU;Name;net;gross\n${rows.join('\n')}\n`),
    });
    await page.getByText('header in row 2').waitFor();
    await page.getByRole('columnheader', { name: 'net', exact: true }).waitFor();
    await person.button('Read the file otherwise').click();
    await page.getByRole('button', { name: 'one row The names stand in' }).click();
    await page.getByRole('option', { name: 'two rows, the upper one with groups' }).click();
    await person.assertOpenInEachLook('the form in which one says how a file is written');
    await person.button('Read it like this').click();
    await page.getByText('header in rows 1 and 2').waitFor();
    await page.getByRole('columnheader', { name: 'Prices – net', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Prices – gross', exact: true }).waitFor();

    await person.button('Read the file otherwise').click();
    await page.getByLabel('Row with the names of the columns').fill('1');
    await page.getByText('Of two rows this is the lower one: 2 or more.').waitFor();
    assert.equal(await person.button('Read it like this').isDisabled(), true);
    await page.getByLabel('Row with the names of the columns').fill('40');
    await page.keyboard.press('Enter');
    await page.getByText('This was not accepted').waitFor();
    await page.getByRole('link', { name: 'Read the file as Longshore finds it' }).click();
    await page.getByText('header in row 2').waitFor();
    await page.getByRole('columnheader', { name: 'net', exact: true }).waitFor();
    assert.deepEqual(person.wrong, []);
  });

  it('asks about rows that may be titles, in both languages, and leaves them out when one says so', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    const rows = ['Family', 'Trekking', 'Winter'].flatMap((group) => [
      `${group};;;`,
      ...Array.from({ length: 8 }, (_, n) => `${group}-${n};Tent ${group} ${n};Tents;A fine tent, number ${n}`),
    ]);
    const bytes = Buffer.from(`Item No;Product;Category;Description\n${rows.join('\n')}\n`);
    await person.drop({ name: 'groups.csv', bytes });
    const asked = 'Rows without “Product”, such as “Family” in row 2, look like titles or sums. What becomes of them?';
    await page.getByText(asked).waitFor();
    await page.getByText('They are imported as all others are').waitFor();
    await person.setLooks('de', 'light');
    await page.getByText(/^Zeilen ohne „Product“, etwa „Family“ in Zeile 2/).waitFor();
    await page.getByText('Sie werden weggelassen, auch in späteren Dateien').waitFor();
    await person.setLooks('en', 'light');
    await person.click(page.getByText('They are left out, in later files too'));
    await person.click(person.button('Import'));
    await page.getByText('All rows are imported').waitFor();
    assert.equal((await shop.item('Winter-7'))?.sku, 'Winter-7');
    assert.equal(await shop.item('Winter'), undefined);
    assert.deepEqual(person.wrong, []);
  });

  it('tells hidden rows and columns and merged cells beside the first rows, before anything is previewed', async () => {
    const { page } = person;
    await page.goto('/console/production/imports/new');
    await person.drop({ name: 'hidden.ods', bytes: await hiddenCellsFile() });
    const rows = page.locator('.section', {
      has: page.getByRole('heading', { name: /^The first rows|^Die ersten Zeilen/ }),
    });
    const told = rows.locator('li');
    await rows.getByText('Row 6 is hidden in the sheet. Hidden rows are imported like the others.').waitFor();
    assert.deepEqual(await told.allInnerTexts(), [
      'Row 6 is hidden in the sheet. Hidden rows are imported like the others.',
      'Hidden columns are read like the others: C ("Supplier").',
      'Cells are merged in row 8: the value is in the first cell, and the others are empty.',
    ]);
    // The row that is named is the one of the sheet, and is seen in the table.
    await rows.getByRole('row', { name: /^6 A-2 Tent 2 ACME 2$/ }).waitFor();
    await person.setLooks('de', 'dark');
    await rows.getByText('Zeile 6 ist im Tabellenblatt ausgeblendet.').waitFor();
    assert.deepEqual(await told.allInnerTexts(), [
      'Zeile 6 ist im Tabellenblatt ausgeblendet. Ausgeblendete Zeilen werden wie die anderen importiert.',
      'Ausgeblendete Spalten werden wie die anderen gelesen: C ("Supplier").',
      'In Zeile 8 sind Zellen verbunden: Der Wert steht in der ersten Zelle, die anderen sind leer.',
    ]);
    await person.assertOpenInEachLook('a sheet with hidden rows');
    assert.deepEqual(person.wrong, []);
  });
});
