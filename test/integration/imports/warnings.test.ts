/** Warnings: what is striking about applied rows is counted exactly, whatever the format, and changes no outcome. */
import assert from 'node:assert/strict';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATALOG = {
  attributes: [
    'Title',
    'Note',
    { name: 'Price', type: 'DECIMAL' },
    { name: 'Weight', type: 'DECIMAL' },
    { name: 'Sold', type: 'DATETIME', format: 'dd/MM/yyyy' },
    { name: 'Stock', type: 'INTEGER' },
  ],
  categories: { Disk: ['Title', 'Note', 'Price', 'Weight', 'Sold', 'Stock'] },
};

const lines = ({ warnings }: Pick<Outcome, 'warnings'>) =>
  warnings.map(({ code, path, count, rows }) => [code, path, count, rows]);

withReaderOfRun('warnings', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 3, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(CATALOG);
  });

  const HEADER = 'SKU;Category Node;Price;Weight';
  const NUMBERS = ['a;Disk;2.500;1.125', 'b;Disk;7.5;0.125', 'c;Disk;12.25;', 'd;Disk;3.000;', 'e;Disk;12,50;'];

  it('a number is ambiguous if another cell of the file has the other decimal separator, in whatever chunk', async () => {
    const outcome = await shop.importFile('items.csv', [HEADER, ...NUMBERS].join('\n'));
    assert.deepEqual([outcome.status, outcome.created, outcome.failed], ['COMPLETED_PARTIALLY', 4, 1]);
    assert.deepEqual(lines(outcome), [
      ['NUMBER_AMBIGUOUS', 'Price', 2, '2, 5'],
      ['NUMBER_AMBIGUOUS', 'Weight', 1, '2'],
    ]);
    assert.match(outcome.warnings[0]?.example ?? '', /"2\.500" was read as 2\.5, but "12,50" in the column "Price"/);
    const { bytes } = await shop.download(outcome.errorFile ?? '');
    assert.doesNotMatch(bytes.toString(), /AMBIGUOUS|2\.500/);

    const clear = await shop.importFile('items.csv', [HEADER, ...NUMBERS.slice(0, 4)].join('\n'));
    // These rows are not read again, and what was said of them still holds.
    assert.deepEqual(lines(clear), [
      ['NUMBER_AMBIGUOUS', 'Price', 2, 'unchanged'],
      ['NUMBER_AMBIGUOUS', 'Weight', 1, 'unchanged'],
    ]);
    const point = await shop.importFile('items.csv', `${HEADER}\nf;Disk;1,000;\ng;Disk;12.5;`, {
      decimalSeparator: ',',
    });
    assert.deepEqual(lines(point), [
      ['NUMBER_AMBIGUOUS', 'Price', 1, '2'],
      ['COLUMN_EMPTY', 'Weight', 2, 'all'],
    ]);
  });

  it('a column is ambiguous if no number of it tells what its separator means, and nothing else does', async () => {
    const csv = (...cells: string[]) =>
      [HEADER, ...cells.map((cell, index) => `s${index};Disk;${cell};${index}`)].join('\n');
    const open = await shop.importFile('items.csv', csv('1.950', '7', '+2.500', '3', '-999.000'));
    assert.deepEqual([open.status, open.created], ['COMPLETED', 5]);
    assert.deepEqual(lines(open), [['NUMBER_AMBIGUOUS', 'Price', 3, '2, 4, 6']]);
    assert.match(open.warnings[0]?.example ?? '', /"1\.950" was read as 1\.95, and no number of the column tells/);
    const one = await (await world.newShop()).define(CATALOG);
    assert.deepEqual(lines(await one.importFile('items.csv', csv('1.950'))), [['NUMBER_AMBIGUOUS', 'Price', 1, '2']]);
    // Each of these tells what the separator means, in whatever chunk it is, and whether or not its row is applied.
    for (const number of ['12.5', '0.125', '1234.567', ' 12.5 ', '1.2345', '1.5E+2', '.500', '5.']) {
      const shop = await (await world.newShop()).define(CATALOG);
      const outcome = await shop.importFile('items.csv', csv('1.950', '1', '2', '3', '2.500', number, '7', '8'));
      assert.deepEqual(
        outcome.warnings.filter(({ code }) => code === 'NUMBER_AMBIGUOUS'),
        [],
        number,
      );
    }
    for (const [decimalSeparator, price] of [
      ['.', '1.95'],
      [',', '1.95'],
    ] as const) {
      const shop = await (await world.newShop()).define(CATALOG);
      const outcome = await shop.importFile('items.csv', csv(`1${decimalSeparator}950`), { decimalSeparator });
      assert.deepEqual(lines(outcome), []);
      assert.equal((await shop.item('s0'))?.attributes.Price, price);
    }
  });

  it('a later import of the column warns again, until something decides it', async () => {
    const csv = (...cells: string[]) =>
      [HEADER, ...cells.map((cell, index) => `s${index};Disk;${cell};${index}`)].join('\n');
    const numbers = (outcome: Outcome) => lines(outcome).filter(([code]) => code === 'NUMBER_AMBIGUOUS');
    const first = await shop.importFile('items.csv', csv('1.950', '2.500'));
    const again = await shop.importFile('items.csv', csv('1.950', '2.500'));
    assert.deepEqual([again.unchanged, numbers(again)], [2, [['NUMBER_AMBIGUOUS', 'Price', 2, 'unchanged']]]);
    assert.match(
      again.warnings[0]?.example ?? '',
      new RegExp(`job ${first.id} has warned of it in its rows 2-3, .*1\\.95`),
    );
    const other = await shop.importFile('items.csv', 'SKU;Weight\ns0;7\ns1;8');
    assert.deepEqual(numbers(other), []);
    assert.equal(numbers(await shop.importFile('items.csv', csv('1.950', '2.500', '3'))).length, 1);
    assert.deepEqual(numbers(await shop.importFile('items.csv', csv('1.950', '2.500', '3.5'))), []);
    assert.deepEqual(numbers(await shop.importFile('items.csv', csv('1.950', '2.500', '3.5'))), []);

    // The option that wrote them decides them for good; with the other one the values are corrected.
    const named = await (await world.newShop()).define(CATALOG);
    await named.importFile('items.csv', csv('1.950', '2.500'));
    assert.equal(numbers(await named.importFile('items.csv', csv('1.950', '2.500'))).length, 1);
    const decided = await named.importFile('items.csv', csv('1.950', '2.500'), { decimalSeparator: '.' });
    assert.deepEqual([decided.unchanged, numbers(decided)], [2, []]);
    assert.deepEqual(numbers(await named.importFile('items.csv', csv('1.950', '2.500'))), []);

    // A doubt that another cell casts is kept, too: that row fails again, and the others are not read again.
    const contrary = await (await world.newShop()).define(CATALOG);
    await contrary.importFile('items.csv', csv('1.950', '12,50'));
    assert.equal(numbers(await contrary.importFile('items.csv', csv('1.950', '12,50'))).length, 1);
    // No number of the column settles it, as none did when it was cast: not even one of a new row, which is read.
    const more = await contrary.importFile('items.csv', csv('1.950', '', '3.5'));
    assert.deepEqual([more.created, more.unchanged], [2, 1]);
    assert.deepEqual(numbers(more), [['NUMBER_AMBIGUOUS', 'Price', 1, 'unchanged']]);
    const days = 'SKU,Category Node,Sold\na,Disk,03/04/2026\nb,Disk,12/31/2026';
    for (const outcome of [await shop.importFile('d.csv', days), await shop.importFile('d.csv', days)]) {
      assert.equal(outcome.warnings[0]?.code, 'DATE_AMBIGUOUS');
    }
  });

  it('JSON is decided: a text with a point is a decimal, whatever the others say', async () => {
    const elements = ['1.950', '2.500'].map((Price, index) => ({
      sku: `j${index}`,
      nodeName: 'Disk',
      attributes: { Price },
    }));
    const { body } = await shop.bulk('insert', elements);
    assert.deepEqual(lines(await shop.outcome(body.jobId)), []);
    for (const [name, content] of [
      ['items.json', JSON.stringify([...elements, { sku: 'x', nodeName: 'Disk', attributes: { Price: '12,50' } }])],
      ['items.jsonl', elements.map((element) => JSON.stringify({ ...element, sku: `${element.sku}l` })).join('\n')],
    ] as const) {
      assert.deepEqual(lines(await shop.importFile(name, content)), [], name);
    }
  });

  it('in a workbook only texts are ambiguous', async () => {
    const header = ['SKU', 'Category Node', 'Price', 'Weight', 'Sold'];
    const rows = [
      ['a', 'Disk', '2.500', 2.125, { date: '2026-04-03' }],
      ['b', 'Disk', 1.5, '1.125', '03/04/2026'],
      ['c', 'Disk', '12,50', null, null],
      ['d', 'Disk', 1, null, '12/31/2026'],
    ];
    const outcome = await shop.importFile('items.xlsx', await workbookOf(header, rows));
    assert.deepEqual(lines(outcome), [
      ['NUMBER_AMBIGUOUS', 'Price', 1, '2'],
      ['NUMBER_AMBIGUOUS', 'Weight', 1, '3'],
      ['DATE_AMBIGUOUS', 'Sold', 1, '3'],
    ]);
    assert.deepEqual((await shop.item('a'))?.attributes.Sold, '2026-04-03');
  });

  it('a day is ambiguous if another one of its column has day and month the other way round', async () => {
    const days = ['03/04/2026', '04/04/2026', '2026-04-03', '13/04/2026', '12/31/2026'];
    const csv = (cells: readonly string[]) =>
      ['SKU,Category Node,Sold', ...cells.map((cell, index) => `s${index},Disk,${cell}`)].join('\n');
    const outcome = await shop.importFile('items.csv', csv(days));
    assert.deepEqual([outcome.created, outcome.failed], [4, 1]);
    assert.deepEqual(lines(outcome), [['DATE_AMBIGUOUS', 'Sold', 1, '2']]);
    assert.match(outcome.warnings[0]?.example ?? '', /"03\/04\/2026" was read as "2026-04-03", but "12\/31\/2026"/);
    assert.deepEqual(lines(await shop.importFile('items.csv', csv(days.slice(0, 4)), { mode: 'update' })), [
      ['DATE_AMBIGUOUS', 'Sold', 1, 'unchanged'],
    ]);
    const other = await (await world.newShop()).define(CATALOG);
    assert.deepEqual(lines(await other.importFile('items.csv', csv(days.slice(0, 4)))), []);
  });

  it('days that could all be read both ways are read by a named format, and refused without one', async () => {
    const attributes = [{ name: 'Day', type: 'DATETIME' }];
    const days = ['03.04.2026', '05.06.2026', '1.2.2026'];
    const csv = ['SKU;Category Node;Day', ...days.map((day, index) => `s${index};Disk;${day}`)].join('\n');
    const header = ['SKU', 'Category Node', 'Day'];
    const book = await workbookOf(
      header,
      days.map((day, index) => [`s${index}`, 'Disk', day]),
    );
    for (const [name, file] of [
      ['d.csv', csv],
      ['d.xlsx', book],
    ] as const) {
      const shop = await (await world.newShop()).define({ attributes, categories: { Disk: ['Day'] } });
      const refused = await shop.importFile(name, file);
      assert.deepEqual([refused.failed, refused.created, lines(refused)], [3, 0, []]);
      assert.deepEqual(new Set(refused.errors.map(({ code }) => code)), new Set(['VALUE_TYPE']));
      assert.match(
        refused.errors[0]?.message ?? '',
        /is not a date: write it in ISO 8601, .* or give the option dateFormat with the form/,
      );
      const read = await shop.importFile(name, file, { dateFormat: 'd.M.yyyy' });
      assert.deepEqual([read.created, lines(read)], [3, []]);
      assert.equal((await shop.item('s0'))?.attributes.Day, '2026-04-03');
      const other = await shop.importFile(name, file, { dateFormat: 'M.d.yyyy' });
      assert.deepEqual([other.updated, lines(other)], [3, []]);
      assert.equal((await shop.item('s0'))?.attributes.Day, '2026-03-04');
    }
  });

  it('trimmed values, misread texts and empty columns are counted in every format', async () => {
    const rows = [
      [' a', 'GrÃ¼n', ' keeps ', '1'],
      ['b ', 'Grün „Ä“ NÃO', '', ' 2'],
      ['c', 'x\ufffd', '', '3'],
      ['d', 'â€“', '', '4'],
    ];
    const expected = [
      ['TEXT_MISREAD', 'Title', 3, '2, 4-5'],
      ['VALUE_TRIMMED', 'SKU', 2, '2-3'],
      ['VALUE_TRIMMED', 'Stock', 1, '3'],
      ['COLUMN_EMPTY', 'Note', 4, 'all'],
    ];
    const header = ['SKU', 'Category Node', 'Title', 'Weight', 'Stock', 'Note', '_own'];
    const table = rows.map(([sku = '', title = '', , stock = '']) => [sku, 'Disk', title, '', stock, '', '']);
    const weighed = table.map((cells, index) => (index === 3 ? cells.with(3, '1') : cells));
    const csv = [header, ...weighed].map((cells) => cells.join(',')).join('\n');
    const outcome = await shop.importFile('items.csv', csv, { mode: 'insert' });
    assert.deepEqual(lines(outcome), expected);
    assert.equal(outcome.warnings[1]?.example, '" a" was stored as "a", without the blanks around it');
    assert.deepEqual([outcome.status, outcome.created, outcome.errors.length], ['COMPLETED', 4, 0]);

    const again = await shop.importFile('items.csv', csv);
    assert.deepEqual([again.unchanged, lines(again)], [4, [['COLUMN_EMPTY', 'Note', 4, 'all']]]);

    const other = await (await world.newShop()).define(CATALOG);
    assert.deepEqual(lines(await other.importFile('items.xlsx', await workbookOf(header, weighed))), expected);

    const elements = rows.map(([sku, Title, Note, Stock]) => ({
      sku,
      nodeName: 'Disk',
      attributes: { Title, Note, Stock: Number(Stock) },
    }));
    const inJson = [
      ['TEXT_MISREAD', 'Title', 3, '1, 3-4'],
      ['VALUE_TRIMMED', 'sku', 2, '1-2'],
    ];
    const text = JSON.stringify(elements);
    const jsonl = elements.map((element) => JSON.stringify(element)).join('\n');
    for (const [name, content] of [
      ['items.json', text],
      ['items.jsonl', jsonl],
    ] as const) {
      const own = await (await world.newShop()).define(CATALOG);
      assert.deepEqual(lines(await own.importFile(name, content)), inJson, name);
    }
    const inline = await (await world.newShop()).define(CATALOG);
    const { body, status } = await inline.bulk('insert', elements);
    assert.equal(status, 200);
    assert.deepEqual(lines(await inline.outcome(body.jobId)), inJson);
  });

  it('warnings are about applied rows: of dry runs too, not of aborted jobs, and of dependent rows once', async () => {
    const csv = 'SKU,Category Node,Parent SKU,Price\nv ,Disk,p,1\np ,Disk,,1\nw ,Disk,v,1\nx ,Disk,nobody,1\ny,Disk,,z';
    const dry = await shop.importFile('items.csv', csv, { validateOnly: true });
    assert.deepEqual(lines(dry), [['VALUE_TRIMMED', 'SKU', 2, '2-3']]);
    const aborted = await shop.importFile('items.csv', csv, { onError: 'abort' });
    assert.deepEqual([aborted.status, lines(aborted)], ['REJECTED', []]);
    const outcome = await shop.importFile('items.csv', csv);
    assert.deepEqual([outcome.created, lines(outcome)], [2, [['VALUE_TRIMMED', 'SKU', 2, '2-3']]]);
    const elements = [
      { sku: 'v2 ', nodeName: 'Disk', parentSku: 'p2' },
      { sku: 'p2 ', nodeName: 'Disk' },
    ];
    const { body } = await shop.bulk('insert', elements, { query: 'onError=abort' });
    assert.deepEqual(lines(await shop.outcome(body.jobId)), [['VALUE_TRIMMED', 'sku', 2, '1-2']]);
  });

  it('names of attributes and categories that were misread are warnings too', async () => {
    const { body } = await shop.bulkAttributes([
      { name: 'GrÃ¶ÃŸe', type: 'TEXT' },
      { name: 'Größe', type: 'TEXT' },
    ]);
    assert.deepEqual(lines(await shop.outcome(body.jobId)), [['TEXT_MISREAD', 'name', 1, '1']]);
    const answer = await shop.bulkCategories([{ path: 'HÃ¼te' }]);
    assert.deepEqual(lines(await shop.outcome(answer.body.jobId)), [['TEXT_MISREAD', 'path', 1, '1']]);
  });
});
