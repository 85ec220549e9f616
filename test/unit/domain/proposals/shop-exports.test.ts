/** What was guessed wrongly of files that shop systems have written: each file here is a small one of the same form. */
import assert from 'node:assert/strict';
import { decide, type schemas } from '@longshore/client';
import { missingSchema } from '../../../../src/domain/imports/missing/given-missing.js';
import { oppositeWords } from '../../../../src/domain/inspection/cells/words.js';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { neededMissing } from '../../../../src/domain/proposals/needed-missing.js';
import { decideOne } from '../../../support/models/decide-one.js';
import { csv, lineOf, profileOf, proposalFor } from './propose-fixture.js';

const shop = (columns: readonly string[], cellsOf: (row: number) => readonly (string | number)[], rows = 12) =>
  proposalFor(csv(columns, rows, cellsOf));

/** The types of the new attributes of a file. */
async function typesOf(columns: readonly string[], cellsOf: (row: number) => readonly (string | number)[]) {
  const { missing } = await shop(['sku', ...columns], (row) => [`A${row}`, ...cellsOf(row)]);
  return Object.fromEntries(missing.attributes.map(({ name, type }) => [name, type]));
}

describe('the proposal for the export of a shop', () => {
  it('asks for the key where the column of its name is empty', async () => {
    const columns = ['product_id', 'name', 'sku', 'model'];
    for (const sku of [() => '', (row: number) => (row < 4 ? `A${row}` : '')]) {
      const proposal = await shop(columns, (row) => [row + 28, `Phone ${row}`, sku(row), `Model ${row}`]);
      const [key] = proposal.questions;
      if (sku(0) === '') assert.equal(lineOf(proposal, 'sku').as, 'ignored');
      assert.equal(key?.question, 'Which column identifies the rows, so that it becomes "SKU"?');
      const offered = key.readings.map(({ value }) => value);
      assert.ok(offered.includes('product_id') && offered.includes('model'), offered.join());
      assert.equal(offered.includes('sku'), sku(0) !== '', 'a column without a value identifies nothing');
    }
    const half = await shop(columns, (row) => [row + 28, `Phone ${row}`, row < 8 ? `A${row}` : '', `Model ${row}`]);
    assert.equal(lineOf(half, 'sku').verdict, 'likely');
  });

  it('offers neither prices, stock nor texts for search engines as the key', async () => {
    const columns = ['Nummer', 'Price tax excluded', 'instock', 'Meta title', 'Artikelgruppe'];
    const { questions } = await shop(columns, (row) => [`N-${row}`, row + 7, row * 3, `Meta-${row}`, 'Phones']);
    const [key] = questions;
    assert.deepEqual(
      key?.readings.map(({ value }) => value),
      ['Nummer'],
    );
  });

  it('offers the numbers of what is in stock as the key', async () => {
    for (const [first, second] of [
      ['Stock #', 'VIN'],
      ['Stock Number', 'VIN'],
      ['Lagernummer', 'Bestandsnummer'],
      ['Interactive ID', 'VIN'],
    ] as const) {
      for (const mark of ['S', '']) {
        const columns = [first, second, 'Make', 'Price', 'Stock', 'Bestand alt'];
        const { questions } = await shop(columns, (row) => [
          ...[`${mark}${row + 700}`, `WVW${row}`, 'Acme', row + 7, row, row + 3],
        ]);
        assert.deepEqual(
          questions.find(({ question }) => question.includes('becomes "SKU"'))?.readings.map(({ value }) => value),
          [first, second],
        );
      }
    }
  });

  it('takes prices without fractions for amounts, in whatever words they are named', async () => {
    const types = await typesOf(['special_price', 'Price EUR', 'Fixed Shipping Cost', 'pricegroupID'], (row) => [
      row * 10,
      row + 30,
      4,
      row % 3,
    ]);
    assert.deepEqual(types, {
      special_price: 'DECIMAL',
      'Price EUR': 'DECIMAL',
      'Fixed Shipping Cost': 'DECIMAL',
      pricegroupID: 'INTEGER',
    });
    const money = ['List price', 'Cena netto', 'Listenpreis', 'Kosten'];
    const others = ['Preisgruppe', 'Price list', 'Price code', 'Kostenstelle', 'Cost center', 'Scenario'];
    const mixed = await typesOf([...money, ...others], (row) => [...money, ...others].map((_, at) => row + at + 20));
    for (const name of money) assert.equal(mixed[name], 'DECIMAL', name);
    for (const name of others) assert.equal(mixed[name], 'INTEGER', name);
  });

  it('takes flags that are all 1 or 0 for what their header says', async () => {
    const types = await typesOf(['Active (0/1)', 'Show price (0 = No, 1 = Yes)', 'enabled', 'Quantity'], () => [
      1, 1, 0, 1,
    ]);
    const [active, shown, enabled, quantity] = Object.values(types);
    assert.deepEqual([active, shown, enabled, quantity], ['BOOLEAN', 'BOOLEAN', 'BOOLEAN', 'INTEGER']);
  });

  it('reads the other side of a letter as a letter, and that of a word in every language that has it', async () => {
    const proposal = await shop(['sku', 'Visible?', 'Lieferbar', 'On Sale'], (row) => [
      `A${row}`,
      ...['Y', 'Ja', row % 2 === 0 ? 'No' : 'no'],
    ]);
    const stepOf = (from: string) => profileOf(proposal).columns.find((rule) => rule.from === from)?.steps?.[0];
    assert.deepEqual(stepOf('Visible?'), { step: 'boolean', true: ['Y'], false: ['n'] });
    assert.deepEqual(stepOf('Lieferbar'), { step: 'boolean', true: ['Ja'], false: ['nein', 'nee', 'nej', 'nei'] });
    assert.equal(stepOf('On Sale'), undefined);
    // The two sides differ in their letters.
    assert.deepEqual(oppositeWords(['예']), ['아니요', '아니오']);
    assert.deepEqual(oppositeWords(['아니요']), ['예']);
    const korean = await shop(['sku', 'On Sale'], (row) => [`A${row}`, '아니요']);
    const sale = profileOf(korean).columns.find(({ from }) => from === 'On Sale');
    assert.deepEqual(sale?.steps?.[0], { step: 'boolean', true: ['예'], false: ['아니요'] });
    const no = await shop(['sku', 'Free Shipping'], (row) => [`A${row}`, 'N']);
    const rule = profileOf(no).columns.find(({ from }) => from === 'Free Shipping');
    const [step] = rule?.steps ?? [];
    assert.ok(step !== undefined && 'true' in step && step.true[0] === 'y', JSON.stringify(step));
  });

  it('takes no code for an amount, and says that a spreadsheet has cut it', async () => {
    const columns = ['Artikelnummer', 'Barcode', 'KoliBarcode', 'EK'];
    const cut = await shop(columns, (row) => [row + 1, `4,${20 + row}E+12`, `4,${30 + row}E+12`, `${row},50`]);
    assert.deepEqual(
      cut.missing.attributes.map(({ type }) => type),
      ['TEXT', 'TEXT', 'DECIMAL'],
    );
    assert.match(
      lineOf(cut, 'Barcode').reason,
      /such as "4,20E\+12", and their last digits are lost: export the file again/,
    );
    assert.equal(lineOf(cut, 'Barcode').verdict, 'likely');
    const whole = await shop(['Artikelnummer', 'Barcode'], (row) => [row + 1, 4006381333931 + row]);
    assert.doesNotMatch(lineOf(whole, 'Barcode').reason, /spreadsheet/);
  });

  it('takes ids of categories with commas for a text', async () => {
    const { missing } = await shop(['sku', 'categories'], (row) => [`A${row}`, '20,24']);
    assert.equal(missing.attributes.find(({ name }) => name === 'categories')?.type, 'TEXT');
  });

  it('says that rows without a category fail, and that of rows with the same key the last counts', async () => {
    const proposal = await shop(['sku', 'Category', 'Size'], (row) => [
      `A${Math.floor(row / 2)}`,
      ...[row % 2 === 0 ? `Clothing > Hats ${row % 3}` : '', `S${row}`],
    ]);
    const [key, category] = ['sku', 'Category'].map((column) => lineOf(proposal, column));
    assert.match(key?.reason ?? '', /6 different values in 12 cells\. Of rows with the same one, the last counts/);
    assert.match(category?.reason ?? '', /6 of 12 rows have none, and fail if their items are new/);
    assert.equal(category?.verdict, 'ambiguous');
  });

  it('asks what becomes of rows without a category, if they are many, and puts them into one', async () => {
    const file = (empty: number) =>
      shop(['sku', 'Category'], (row) => [`A${row}`, row < empty ? '' : `Clothing > Hats ${row % 3}`]);
    const few = await file(2);
    assert.deepEqual([few.questions, lineOf(few, 'Category').verdict], [[], 'likely']);
    const many = await file(3);
    const [question, ...others] = many.questions;
    assert.equal(question?.question, '3 of 12 rows have no category in "Category". What becomes of them?');
    assert.deepEqual(others, []);
    assert.ok(many.missing.categories.includes('Uncategorized'), many.missing.categories.join());
    const decided = decideOne(profileOf(many), 'Category', 'Uncategorized');
    const steps = profileSchema.parse(decided).columns.find(({ to }) => to === 'Category Node')?.steps;
    assert.deepEqual(steps, [
      { step: 'path', separator: '>' },
      { step: 'default', value: 'Uncategorized' },
    ]);
    const kept = decideOne(profileOf(many), 'Category', 'none');
    assert.equal(profileSchema.parse(kept).columns[1]?.steps.length, 1);
    // Who answers that they have none needs no category for them, unless other rows name it.
    const neededOf = ({ missing }: typeof many, profile: unknown) =>
      neededMissing(missingSchema.parse(missing), profileSchema.parse(profile));
    const isIn = ({ categories, assignments }: ReturnType<typeof neededOf>) =>
      [categories, assignments.map(({ category }) => category)].map((names) => names.includes('Uncategorized'));
    const own = await shop(['sku', 'Category', 'Size'], (row) => [
      ...[`A${row}`, row < 4 ? '' : row < 6 ? 'uncategorized' : 'Hats', `S${row}`],
    ]);
    const sized = await shop(['sku', 'Category', 'Size'], (row) => [`A${row}`, row < 4 ? '' : 'Hats', `S${row}`]);
    assert.deepEqual(isIn(neededOf(sized, decideOne(profileOf(sized), 'Category', 'Uncategorized'))), [true, true]);
    assert.deepEqual(isIn(neededOf(sized, decideOne(profileOf(sized), 'Category', 'none'))), [false, false]);
    const { categories } = neededOf(own, decideOne(profileOf(own), 'Category', 'none'));
    assert.deepEqual(categories, ['uncategorized', 'Hats']);
    const lists = await shop(
      ['sku', 'Categories'],
      (row) => [`A${row}`, row % 3 === 0 ? '' : `Clothing > Hats ${row % 4}|New > Sale ${row % 2}`],
      24,
    );
    const { profile } = decide(lists as schemas.ImportProposal, { Categories: ['first', 'Uncategorized'] });
    assert.equal(profile.undecided, undefined);
    assert.deepEqual(profileSchema.parse(profile).columns[1]?.split, { separator: '|', part: 1 });
  });

  it('offers the names of categories before their numbers, where no column has their paths', async () => {
    const file = csv(['Category ID', 'Name *', 'Active (0/1)'], 5, (row) => [row + 10, `Category ${row}`, 1]);
    const { questions } = await proposalFor(file, { fileType: 'CATEGORY_IMPORT' });
    const key = questions.find(({ question }) => question.includes('becomes "Category Path"'));
    assert.deepEqual(
      key?.readings.map(({ value }) => value),
      ['Name *', 'Category ID'],
    );
  });

  it('divides no title for search engines', async () => {
    const proposal = await shop(['sku', 'meta_title'], (row) => [`A${row}`, `Mug ${row} | Kitchen | Acme`]);
    const rule = profileOf(proposal).columns.find(({ from }) => from === 'meta_title');
    assert.deepEqual(rule?.steps, [{ step: 'trim' }]);
  });

  it('knows the numbers of eBay and Odoo, and a category of one level among others', async () => {
    const ebay = await shop(['Custom label (SKU)', 'Title', 'Price'], (row) => [`RL-${row}`, `Camera ${row}`, '9.99']);
    assert.deepEqual(
      [lineOf(ebay, 'Custom label (SKU)').to, lineOf(ebay, 'Custom label (SKU)').verdict],
      ['SKU', 'certain'],
    );
    const columns = ['default_code', 'name', 'barcode'];
    const odoo = await shop(columns, (row) => [`M${row}`, `Desk ${row}`, 201203201123 + row]);
    assert.equal(lineOf(odoo, 'default_code').to, 'SKU');
    const spree = await shop(['sku', 'product_type', 'category1'], (row) => [
      `S${row}`,
      'Vacuum',
      `Home -> Floor ${row % 3}`,
    ]);
    assert.equal(lineOf(spree, 'category1').to, 'Category Node');
  });
});
