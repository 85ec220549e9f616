/** What was guessed wrongly of files that shop systems have written: each file here is a small one of the same form. */
import assert from 'node:assert/strict';
import { decide, type schemas } from '@longshore/client';
import { missingSchema } from '../../../../src/domain/imports/missing/given-missing.js';
import { oppositeWords } from '../../../../src/domain/inspection/cells/words.js';
import { valueConverter } from '../../../../src/domain/profiles/convert-values.js';
import { profileSchema } from '../../../../src/domain/profiles/model/profile.js';
import { neededMissing } from '../../../../src/domain/proposals/needed-missing.js';
import { decideOne } from '../../../support/models/decide-one.js';
import { type Catalog, csv, inspectionOf, lineOf, profileOf, proposalFor } from './propose-fixture.js';

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
      /such as "4,20E\+12" in row 2, and their last digits are lost: export the file again/,
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

describe('the proposal for a file that people have made', () => {
  const stepsOf = ({ profile }: Awaited<ReturnType<typeof shop>>, from: string) =>
    (profile as ReturnType<typeof profileOf>).columns.find((rule) => rule.from === from)?.steps;
  /** What the steps make of cells; null: an error of its row. */
  const valuesOf = (proposal: Awaited<ReturnType<typeof shop>>, from: string, cells: readonly string[]) => {
    const { columns } = profileSchema.parse({ ...profileOf(proposal), undecided: undefined });
    const convert = valueConverter(columns.find((rule) => rule.from === from)?.steps ?? []);
    return cells.map((cell) => {
      const values = convert(cell);
      return values === null ? null : (values[0] ?? '');
    });
  };

  it('reads a minus behind numbers, amounts without cents, and the money of further countries', async () => {
    const columns = ['SKU', 'Saldo', 'Menge', 'Preis', 'Prijs', 'Netto', 'Giá', 'מחיר', 'السعر'];
    const proposal = await shop(columns, (row) => [
      ...[`A${row}`, `${row},50${row % 3 === 0 ? '-' : ''}`, `${row}${row % 4 === 0 ? '-' : ''}`],
      ...[row % 2 === 0 ? `${row},– €` : `${row},50 €`, `€ ${row},-`, `CHF 1’2${row + 10}.–`],
      ...[`${row + 1}.250.000 ₫`, `₪${row + 1},250.00`, `${row}.50 ر.س`],
    ]);
    const read: Readonly<Record<string, readonly [cell: string, value: string]>> = {
      Saldo: ['12,50-', '-12.50'],
      Menge: ['4-', '-4'],
      Preis: ['12,– €', '12'],
      Prijs: ['€ 12,-', '12'],
      Netto: ['CHF 1’250.–', '1250'],
      Giá: ['3.250.000 ₫', '3250000'],
      מחיר: ['₪3,250.00', '3250.00'],
      السعر: ['7.50 ر.س', '7.50'],
    };
    for (const [name, [cell, value]] of Object.entries(read)) {
      const type = proposal.missing.attributes.find((attribute) => attribute.name === name)?.type;
      assert.ok(type === 'DECIMAL' || type === 'INTEGER', `${name}: ${type}`);
      assert.deepEqual(valuesOf(proposal, name, [cell]), [value], name);
    }
  });

  it('takes no amount apart as a list', async () => {
    const proposal = await shop(['SKU', 'Staffel', 'Price', 'Parts'], (row) => [
      ...[`A${row}`, `ab ${row},50`, `XYZ 1,${row + 10}0.00`, `A${row % 3},B,C${row % 2}`],
    ]);
    assert.deepEqual(stepsOf(proposal, 'Staffel'), [{ step: 'trim' }]);
    assert.deepEqual(stepsOf(proposal, 'Price'), [{ step: 'trim' }]);
    assert.deepEqual(stepsOf(proposal, 'Parts'), [{ step: 'list', separator: ',' }, { step: 'trim' }]);
  });

  it('knows yes and no in further languages and signs, and a sign that is a word', async () => {
    for (const [yes, no] of [
      ['Có', 'Không'],
      ['כן', 'לא'],
      ['نعم', 'لا'],
      ['Да', 'Не'],
      ['✅', '❌'],
      ['☑', '☐'],
    ] as const) {
      const proposal = await shop(['SKU', 'Flag'], (row) => [`A${row}`, row % 2 === 0 ? yes : no]);
      assert.equal(lineOf(proposal, 'Flag').verdict, 'certain');
      assert.deepEqual(stepsOf(proposal, 'Flag'), [{ step: 'boolean', true: [yes], false: [no] }]);
    }
    for (const [word, other] of [
      ['예', '아니요'],
      ['有', '無'],
      ['是', '否'],
    ] as const) {
      const proposal = await shop(['SKU', 'Flag'], (row) => [`A${row}`, word]);
      assert.equal(lineOf(proposal, 'Flag').verdict, 'likely');
      assert.deepEqual(valuesOf(proposal, 'Flag', [word, other]), ['TRUE', 'FALSE'], word);
    }
    const sizes = await shop(['SKU', 'Size'], (row) => [`A${row}`, 'S']);
    assert.deepEqual(stepsOf(sizes, 'Size'), [{ step: 'trim' }]);
  });

  it('empties cells that stand for no value where many do, and dates of nothing but zeros, and says so', async () => {
    const columns = ['SKU', 'Gewicht', 'Farbe', 'Menge', 'Datum', 'Bild', 'Bio', 'available_date', 'special', 'Text'];
    const proposal = await shop(
      columns,
      (row) =>
        [
          ...[
            `A${row}`,
            row % 4 === 0 ? 'k.A.' : `${row},5 kg`,
            row % 4 === 0 ? 'n/a' : ['rot', 'blau'][row % 2],
            row % 4,
          ],
          ...[row % 4 === 0 ? '-' : `${row + 10}.12.2026`, row % 4 === 0 ? '—' : `https://example.com/${row}.jpg`],
          ...[row % 4 === 0 ? 'n/a' : 'ja', row === 7 ? '0000-00-00' : `2026-05-${row + 10}`, '0000-00-00 00:00:00'],
          row % 4 === 0 ? 'n/a' : `Text ${row}`,
        ] as (string | number)[],
      20,
    );
    const emptied = { Gewicht: 'k.A.', Farbe: 'n/a', Datum: '-', Bild: '—', Bio: 'n/a', available_date: '0000-00-00' };
    for (const [name, word] of Object.entries({ ...emptied, special: '0000-00-00 00:00:00' })) {
      assert.deepEqual(stepsOf(proposal, name)?.[0], { step: 'replace', table: { [word]: '' }, otherwise: 'keep' });
      assert.equal(lineOf(proposal, name).verdict, 'likely', name);
      assert.match(
        lineOf(proposal, name).reason,
        /stands? for no value \(".+", first in row \d+\) and (?:is|are) read as empty/,
      );
    }
    assert.deepEqual(valuesOf(proposal, 'Gewicht', ['k.A.', '2,5 kg', '?']), ['', '2.5', null]);
    assert.deepEqual(valuesOf(proposal, 'available_date', ['0000-00-00', '2026-02-30']), ['', null]);
    assert.deepEqual(stepsOf(proposal, 'Text'), [{ step: 'trim' }], 'a text is what it is');
    // One among many is a mistake, which its row reports.
    const few = await shop(['SKU', 'Preis'], (row) => [`A${row}`, row === 7 ? 'n/a' : `${row},50`], 60);
    assert.deepEqual(stepsOf(few, 'Preis'), [{ step: 'number', decimal: ',' }]);
  });

  it('empties no word that may mean something, and none that the catalog has', async () => {
    const catalog = {
      attributes: [{ name: 'Finish', type: 'OPTIONS', options: ['Matt', 'None', 'Gloss', 'N/A'] }],
      categories: { Unknown: [], Hats: [], '-': [] },
    } satisfies Catalog;
    const pick = (row: number, ...cells: readonly string[]) => cells[row % cells.length] as string;
    const columns = ['SKU', 'Category', 'Finish', 'Land', 'State', 'Grade'];
    const file = csv(columns, 24, (row) => [
      ...[`A${row}`, pick(row, 'Unknown', 'Hats', '-'), pick(row, 'Matt', 'None', 'Gloss', 'N/A')],
      ...[pick(row, 'NA', 'DE'), pick(row, 'NC', 'ND', 'TX'), pick(row, 'ka', 'nil', '.', '?', 'unknown', 'brak')],
    ]);
    const proposal = await proposalFor(file, catalog);
    const [key, category, finish, ...fresh] = proposal.lines;
    assert.deepEqual([key?.verdict, finish?.verdict], ['certain', 'certain']);
    assert.doesNotMatch(category?.reason ?? '', /no value|have none/);
    assert.deepEqual(stepsOf(proposal, 'Category'), []);
    for (const name of ['Finish', 'Land', 'State', 'Grade'])
      assert.deepEqual(stepsOf(proposal, name), [{ step: 'trim' }]);
    for (const line of fresh) assert.doesNotMatch(line.reason, /no value/);
    const [land, state] = ['Land', 'State'].map((name) => proposal.missing.attributes.find((one) => one.name === name));
    assert.deepEqual(
      [land?.options, state?.options],
      [
        ['NA', 'DE'],
        ['NC', 'ND', 'TX'],
      ],
      'their rows fail without them',
    );
    assert.deepEqual([proposal.questions, proposal.missing.categories, proposal.missing.options], [[], [], []]);
    // What is unmistakable is emptied beside what is not, and what an item has stays.
    const mixed = csv(['SKU', 'Finish'], 24, (row) => [`A${row}`, pick(row, 'Matt', 'None', '—')]);
    const both = await proposalFor(mixed, catalog);
    assert.deepEqual(stepsOf(both, 'Finish')?.[0], { step: 'replace', table: { '—': '' }, otherwise: 'keep' });
    assert.match(lineOf(both, 'Finish').reason, /Cells with "—" .* read as empty: an item that has a value keeps it\./);
    // NULL clears a value where no step stands before it.
    const cleared = csv(['SKU', 'Finish', 'Preis'], 24, (row) => [
      ...[`A${row}`, pick(row, 'Matt', 'NULL'), pick(row, '1,50', 'NULL')],
    ]);
    const nulls = await proposalFor(cleared, catalog);
    assert.deepEqual(valuesOf(nulls, 'Finish', ['NULL']), ['NULL']);
    assert.deepEqual(valuesOf(nulls, 'Preis', ['NULL', '1,50']), ['', '1.50']);
  });

  it('keeps the days of other calendars as they are written', async () => {
    for (const day of ['10/12/2569', '1405/02/10', '1447-03-12']) {
      assert.deepEqual(await typesOf(['Day'], () => [day]), { Day: 'TEXT' }, day);
    }
    const types = await typesOf(['Bis', 'Von'], (row) => ['31.12.9999', `${row + 10}.01.1950`]);
    assert.deepEqual(types, { Bis: 'DATETIME', Von: 'DATETIME' });
  });

  it('says of codes that were rounded in some rows only, of the key too, and of days as numbers', async () => {
    const codes = ['4006381333931', '4006381333900', '4006381333962', '4006381333979'];
    const file = await shop(
      ['SKU', 'EAN', 'Modell', 'Datum'],
      (row) => [`A${row}`, row === 37 ? '4,00638E+12' : (codes[row % 4] as string), `${row + 1}E5`, 46_000 + row],
      60,
    );
    const ean = lineOf(file, 'EAN');
    assert.equal(ean.verdict, 'likely');
    assert.match(ean.reason, /such as "4,00638E\+12" in row 39, and their last digits are lost: export the file again/);
    assert.equal(file.missing.attributes.find(({ name }) => name === 'Modell')?.type, 'TEXT', '1E5 is no 100000');
    assert.equal(lineOf(file, 'Datum').verdict, 'likely');
    assert.match(lineOf(file, 'Datum').reason, /days as spreadsheets count them: 46000 is 2025-12-09/);
    const keys = await shop(['Artikelnummer', 'Name'], (row) => [row === 5 ? '4,1E+12' : 4_006_381_333_931 + row, 'x']);
    assert.equal(lineOf(keys, 'Artikelnummer').verdict, 'likely');
    assert.match(lineOf(keys, 'Artikelnummer').reason, /"4,1E\+12" in row 7, and their last digits are lost/);
  });

  it('leaves out titles and sums between rows, and the header where it stands again', async () => {
    const columns = ['Artikelnummer', 'Bezeichnung', 'Farbe', 'Preis'];
    const sections = await shop(
      columns,
      (row) => {
        if (row % 10 === 0) return [`Abteilung Fahrräder ${row}`, '', '', ''];
        return row % 10 === 9 ? ['Zwischensumme', '', '', `${row},00`] : [`A${row}`, `Ding ${row}`, 'rot', `${row},50`];
      },
      45,
    );
    const skipped = ({ profile }: typeof sections) => (profile as { skipRowsWhen?: unknown }).skipRowsWhen;
    // They stand where items have their number, and next week an item may have no name: it is asked.
    assert.deepEqual(skipped(sections), []);
    const askedOf = ({ questions }: typeof sections) => questions.filter(({ question }) => /title|sum/.test(question));
    const [question, ...more] = askedOf(sections);
    assert.deepEqual([question?.column, more], ['Bezeichnung', []]);
    assert.equal(
      question?.question,
      '9 rows without "Bezeichnung" may be titles or sums, such as "Abteilung Fahrräder 0" in row 2. What becomes of them?',
    );
    assert.equal(lineOf(sections, 'Bezeichnung').verdict, 'ambiguous');
    const answered = (value: string) => decideOne(profileOf(sections), 'Bezeichnung', value);
    assert.deepEqual(answered('leaveOut')?.skipRowsWhen, [{ column: 'Bezeichnung', is: 'empty' }]);
    assert.deepEqual(answered('import')?.skipRowsWhen, []);
    assert.ok(!answered('import')?.undecided?.some(({ about }) => about === 'rows'));
    // Prices are missing more often than names.
    const priced = await shop(['Artikelnummer', 'Preis', 'Bestand', 'Farbe'], (row) =>
      row % 8 === 0 ? [`Abteilung Räder ${row}`, '', '', ''] : [`A${row}`, `${row},50`, row, 'rot'],
    );
    assert.deepEqual(
      askedOf(priced).map(({ column }) => column),
      ['Farbe'],
    );
    // A row without a key would fail: it is left out by that alone, whatever else is empty.
    const named = await shop(['Preis', 'Artikelnummer', 'Bezeichnung', 'Farbe'], (row) =>
      row % 8 === 0 ? ['', '', `Abteilung Räder ${row}`, ''] : [`${row},50`, `A${row}`, `Ding ${row}`, 'rot'],
    );
    assert.deepEqual([skipped(named), askedOf(named)], [[{ column: 'Artikelnummer', is: 'empty' }], []]);
    assert.match(
      lineOf(named, 'Artikelnummer').reason,
      /2 rows without "Artikelnummer" are left out: they are titles or sums, such as "Abteilung Räder 0" in row 2\./,
    );
    // Where the key is asked about, so are they: it may be another column.
    const open = await shop(['Preis', 'Nr', 'EAN', 'Farbe'], (row) =>
      row % 8 === 0 ? ['', '', '', `Abteilung ${row}`] : [`${row},50`, row + 100, `N${row}`, 'rot'],
    );
    assert.deepEqual([skipped(open), askedOf(open).length], [[], 1]);
    const again = await shop(columns, (row) => (row === 8 ? columns : [`A${row}`, `Ding ${row}`, 'rot', 'x']), 20);
    assert.deepEqual(skipped(again), [{ column: 'Artikelnummer', is: { equals: ['Artikelnummer'] } }]);
    assert.match(
      lineOf(again, 'Artikelnummer').reason,
      /1 row with the header once more, the first in row 10, is left out\./,
    );
    // An item of which nothing is known but its number is an item.
    const bare = await shop(columns, (row) => (row === 8 ? ['A8', '', '', ''] : [`A${row}`, 'Ding', 'rot', '1,50']));
    assert.deepEqual(skipped(bare), []);
    // A cell that others leave empty as well says nothing of a row.
    const sparse = await shop(columns, (row) => [`A${row}`, row % 2 === 0 ? 'Ding' : '', row === 3 ? '' : 'rot', '']);
    assert.deepEqual(skipped(sparse), []);
  });

  it('takes no item for a sum or a title because of what its first cell is called', async () => {
    const columns = ['Marke', 'SKU', 'Bezeichnung', 'Farbe', 'Preis', 'Bestand', 'Serie', 'Land'];
    const file = (brand: string, ...others: readonly string[]) =>
      inspectionOf(
        csv(columns, 12, (row) => {
          if (row === 5) return columns.map((_, index) => [brand, ...others][index] ?? '');
          return ['Acme', `A${row}`, `Ding ${row}`, 'rot', `${row},50`, row, 'S', 'DE'];
        }),
      );
    for (const brand of ['Total', 'Suma Pro', 'Gesamt-Set Rot']) {
      for (const others of [['A5'], ['A5', 'Quartz'], ['', '', 'rot', '9,50']]) {
        assert.equal((await file(brand, ...others)).apart, undefined, `${brand} ${others.join()}`);
      }
    }
    const sums = ['', '', '', '1.250,50 €', '12'];
    for (const others of [sums, ['', '', '', 'EUR 12'], ['', '', '', '12,50-', '3 Stk'], []]) {
      assert.equal((await file('Zwischensumme', ...others)).apart?.count, 1, others.join());
    }
    // The keys of some have no digit, or a blank: where they stand in the column of the key, it is asked.
    for (const key of ['WIDGET', 'AB 12']) {
      const proposal = await shop(['SKU', 'Name', 'Farbe', 'Preis'], (row) =>
        row === 5 ? [key, '', '', ''] : [`A${row}`, `Ding ${row}`, 'rot', `${row},50`],
      );
      assert.deepEqual((proposal.profile as { skipRowsWhen?: unknown }).skipRowsWhen, []);
      assert.ok(proposal.questions.some(({ question }) => question.includes(`such as "${key}" in row 7`)));
    }
  });

  it('asks whether the article or its number is the key, and takes no count of rows for it', async () => {
    const keyOf = ({ questions }: Awaited<ReturnType<typeof shop>>) =>
      questions.find(({ question }) => question.includes('becomes "SKU"'))?.readings.map(({ value }) => value);
    const columns = ['Nr', 'Artikel', 'Preis'];
    const named = await shop(columns, (row) => [row + 100, `Hose ${row} blau`, `${row},50`]);
    assert.deepEqual(keyOf(named), ['Nr', 'Artikel']);
    const coded = await shop(columns, (row) => [row + 100, `HO-${row}`, `${row},50`]);
    assert.deepEqual(keyOf(coded), ['Artikel', 'Nr']);
    for (const numberOf of [(row: number) => row, (row: number) => row + 1, (row: number) => 10 * (row + 1)]) {
      const counted = await shop(columns, (row) => [numberOf(row), `HO-${row}`, `${row},50`]);
      assert.deepEqual([lineOf(counted, 'Artikel').to, keyOf(counted)], ['SKU', undefined]);
    }
    // A code such as an EAN is offered first.
    for (const name of ['Nr', 'No']) {
      const beside = await shop([name, 'EAN', 'Farbe'], (row) => [row * 7 + 100, 4_006_381_333_931 + row * 10, 'rot']);
      assert.deepEqual([lineOf(beside, 'EAN').to, keyOf(beside)], ['SKU', ['EAN', name]]);
    }
  });

  it('does not ask again whether a number is the key, if somebody has said so', async () => {
    const file = csv(['Nr', 'Preis'], 12, (row) => [row + 100, `${row},50`]);
    for (const catalog of [{ chosen: { Nr: 'SKU' } }, { aliases: { SKU: ['Nr'] } }] as const) {
      const { questions, lines } = await proposalFor(file, { ...catalog, fileType: 'BUNDLE_IMPORT' });
      assert.ok(!questions.some(({ question }) => question.includes('identifies the rows')), JSON.stringify(catalog));
      assert.deepEqual([lines[0]?.to, lines[0]?.verdict], ['SKU', 'certain']);
    }
  });

  it('counts a header that stands again as a row where nothing leaves it out', async () => {
    const header = ['Kategorie', 'Farbe'];
    const file = csv(header, 40, (row) => (row === 20 ? header : [row < 8 ? '' : `Rad ${row % 3}`, 'rot']));
    const proposal = await proposalFor(file);
    assert.deepEqual((proposal.profile as { skipRowsWhen?: unknown }).skipRowsWhen, []);
    assert.match(lineOf(proposal, 'Kategorie').reason, /8 of 40 rows have none/);
  });

  it('makes no category of a word for none', async () => {
    const proposal = await shop(['SKU', 'Kategorie'], (row) => [
      `A${row}`,
      row % 4 === 0 ? '-' : `Räder > Rad ${row % 3}`,
    ]);
    assert.ok(!proposal.missing.categories.includes('-'), proposal.missing.categories.join());
    assert.match(
      lineOf(proposal, 'Kategorie').reason,
      /3 cells stand for no value \("-", .* 3 of 12 rows have none, and fail/,
    );
    assert.deepEqual(valuesOf(proposal, 'Kategorie', ['-', 'Räder > Rad 1']), ['', 'Räder->Rad 1']);
  });

  it('knows the numbers, the categories and the prices of further languages', async () => {
    for (const [sku, name, category, price] of [
      ['Cikkszám', 'Megnevezés', 'Kategória', 'Bruttó ár'],
      ['Cod produs', 'Denumire', 'Categorie', 'Preț'],
      ['Varenummer', 'Navn', 'Kategori', 'Pris'],
      ['Mã sản phẩm', 'Tên sản phẩm', 'Danh mục', 'Giá bán'],
      ['מק"ט', 'שם מוצר', 'קטגוריה', 'מחיר'],
      ['رمز المنتج', 'اسم المنتج', 'الفئة', 'السعر'],
      ['รหัสสินค้า', 'ชื่อสินค้า', 'หมวดหมู่', 'ราคา'],
    ] as const) {
      const quoted = `"${sku.replaceAll('"', '""')}"`;
      const proposal = await shop([quoted, name, category, price], (row) => [
        `A${row}`,
        `x ${row}`,
        `y ${row % 2}`,
        row,
      ]);
      const found = [sku, category].map((column) => [lineOf(proposal, column).to, lineOf(proposal, column).verdict]);
      assert.deepEqual(found, [
        ['SKU', 'certain'],
        ['Category Node', 'likely'],
      ]);
      assert.deepEqual(proposal.questions, []);
      assert.equal(lineOf(proposal, price).verdict, 'likely', 'a wrong price does damage');
      assert.equal(proposal.missing.attributes.find((attribute) => attribute.name === price)?.type, 'DECIMAL');
    }
  });

  it('knows the categories of a column in which each occurs once', async () => {
    const proposal = await shop(['SKU', 'Kategorie'], (row) => [`A${row}`, `Kategorie ${row}`], 6);
    assert.deepEqual(proposal.questions, []);
    assert.equal(proposal.missing.categories.length, 6);
  });
});
