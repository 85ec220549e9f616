/** Workbooks (.xlsx) on their way in: through the same pipeline as every other file, and back out as error files. */
import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Cell } from '../../../src/domain/formats/xlsx/cell.js';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import { places, type Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { cellsOf, workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = ['SKU', 'Category Node', 'Title', 'Stock', 'Weight', 'Sold', 'Active', 'Colour', 'Size'];

withReaderOfRun('workbooks', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        'Title',
        { name: 'Stock', type: 'INTEGER' },
        { name: 'Weight', type: 'DECIMAL' },
        { name: 'Sold', type: 'DATETIME', format: 'yyyy-dd-MM' },
        { name: 'Active', type: 'BOOLEAN' },
        { name: 'Colour', type: 'OPTIONS', options: ['red', 'green'] },
        { name: 'Size', type: 'OPTIONS', optionsType: 'DECIMAL', options: ['1.5', '2'] },
      ],
      categories: { Disk: ['Title', 'Stock', 'Weight', 'Sold', 'Active', 'Colour', 'Size'] },
    });
  });

  const rows: Cell[][] = [
    ['007', 'Disk', '0123', 5, 12.5, { date: '2024-03-02' }, true, 'red', 1.5],
    [123, 'Disk', 456, 0, 0.1, { date: '2024-03-02T10:30:00Z' }, false, 'green', 2],
    ['c', 'Disk', '=1+1 "x",\n;', '7', '3.25', '2024-02-03', 'yes', null, null],
  ];

  it('keep texts as texts, and read numbers, dates and booleans as their columns want them', async () => {
    const outcome = await shop.importFile('items.xlsx', await workbookOf(HEADER, rows));
    assert.deepEqual(
      [outcome.status, outcome.created, outcome.failed],
      ['COMPLETED', 3, 0],
      JSON.stringify(outcome.errors),
    );
    assert.deepEqual((await shop.item('007'))?.attributes, {
      Title: '0123',
      Stock: 5,
      Weight: '12.5',
      Sold: '2024-03-02',
      Active: true,
      Colour: 'red',
      Size: '1.5',
    });
    assert.deepEqual((await shop.item('123'))?.attributes, {
      Title: '456',
      Stock: 0,
      Weight: '0.1',
      Sold: '2024-03-02T10:30:00.000Z',
      Active: false,
      Colour: 'green',
      Size: '2',
    });
    const third = await shop.item('c');
    assert.deepEqual(
      [third?.attributes.Title, third?.attributes.Sold, third?.attributes.Active],
      ['=1+1 "x",\n;', '2024-03-02', true],
    );
  });

  it('keep the zeros that a format shows before a code, and numbers that no spreadsheet has rounded', async () => {
    const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const number = (at: string, value: string, style = 0) => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
    const line = (row: number, cells: readonly string[]) => `<row r="${row}">${cells.join('')}</row>`;
    const header = ['SKU', 'Category Node', 'Title', 'Weight', 'Stock'].map((name, at) =>
      text(`${'ABCDE'[at]}1`, name),
    );
    const given: readonly (readonly [sku: string, title: string, weight: string])[] = [
      [number('A2', '42', 1), number('C2', '7', 2), number('D2', '12345678901234567890')],
      [number('A3', '123456', 1), number('C3', '-7', 1), number('D3', '0.28999999999999998')],
      [number('A4', '43'), number('C4', '7', 3), number('D4', '0.1000000000000000000001')],
    ];
    const body = given.map(([sku, title, weight], nth) =>
      line(nth + 2, [sku, text(`B${nth + 2}`, 'Disk'), title, weight, number(`E${nth + 2}`, '5', 1)]),
    );
    const rowsOf = [line(1, header), ...body].join('');
    const formats = ['00000', '[$-409]000;@', '0'];
    const outcome = await shop.importFile('items.xlsx', await workbookFile({ rows: rowsOf, formats }));
    assert.deepEqual(outcome.errors, []);
    assert.deepEqual(
      (await shop.items()).map(({ sku, attributes }) => [sku, attributes.Title, attributes.Weight, attributes.Stock]),
      [
        ['00042', '007', '12345678901234567890', 5],
        ['123456', '-00007', '0.29', 5],
        ['43', '7', '0.1000000000000000000001', 5],
      ],
    );
  });

  it('change nothing when they come again, and read numbers whatever the decimal separator of texts', async () => {
    const first = await shop.importFile('items.xlsx', await workbookOf(HEADER, rows));
    assert.equal(first.created, 3);
    const again = await shop.importFile('again.xlsx', await workbookOf(HEADER, rows));
    assert.deepEqual([again.unchanged, again.failed], [3, 0]);
    const comma = rows.map((cells) => cells.map((cell) => (cell === '3.25' ? '3,25' : cell)));
    const other = await shop.importFile('comma.xlsx', await workbookOf(HEADER, comma), { decimalSeparator: ',' });
    assert.deepEqual([other.unchanged, other.failed], [3, 0], JSON.stringify(other.errors));
  });

  it('are read from the sheet that is named, and gzipped ones too', async () => {
    const workbook = await workbookOf(HEADER, rows, { sheetName: 'Stock & prices' });
    const outcome = await shop.importFile('items.xlsx.gz', gzipSync(workbook), { sheet: 'stock & Prices' });
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 3]);
    const missing = await shop.importFile('items.xlsx', workbook, { sheet: 'Sheet1' });
    assert.deepEqual([missing.status, missing.reason], ['REJECTED', 'SHEET_NOT_FOUND']);
  });

  it('tell of each cell that its column cannot take, with all others of the row', async () => {
    const outcome = await shop.importFile(
      'items.xlsx',
      await workbookOf(HEADER, [
        ['a', 'Disk', 1.5, 2.5, { date: '2024-01-01' }, 45_351, null, 'blue', 7],
        ['b', 'Disk', { date: '2024-01-01' }, 1, 1, { error: '#N/A' }, { error: '#REF!' }, null, null],
        [1.5, 'Disk', 'x', 1, 1, null, null, null, null],
        ['d', 'Disk', 'nul\u0000', 1, 1, null, null, null, null],
        ['e', 'Disk', 'x', 1, 1, null, null, null, null, 'beyond'],
      ]),
    );
    assert.deepEqual(places(outcome), [
      [2, 'Title', 'VALUE_TYPE'],
      [2, 'Stock', 'VALUE_TYPE'],
      [2, 'Weight', 'VALUE_TYPE'],
      [2, 'Sold', 'VALUE_TYPE'],
      [2, 'Colour', 'VALUE_NOT_IN_OPTIONS'],
      [2, 'Size', 'VALUE_NOT_IN_OPTIONS'],
      [3, 'Title', 'VALUE_TYPE'],
      [3, 'Sold', 'VALUE_TYPE'],
      [3, 'Active', 'VALUE_TYPE'],
      [4, 'SKU', 'VALUE_TYPE'],
      [5, 'Title', 'INVALID_TEXT'],
      [6, null, 'ROW_FIELD_COUNT'],
    ]);
    assert.match(outcome.errors.at(-1)?.message ?? '', /Row 6 has 10 cells, but the header has 9. Clear/);
  });

  for (const zipped of [false, true]) {
    it(`have an error file in their own format, ready to be mended${zipped ? ', gzipped as they were' : ''}`, async () => {
      const bad: Cell[][] = [
        ...rows,
        ['d', 'Disk', 1.5, 'many', 2.25, null, null, 'red', null],
        ['e', 'Nowhere', '007', 1, 0.001, { date: '2024-03-02' }, true, null, null],
        ['f', 'Disk', { error: '#N/A' }, 1, 1, { error: '#N/A' }, null, null, null],
      ];
      const bytes = await workbookOf([...HEADER, '_code'], bad);
      const name = zipped ? 'items.xlsx.gz' : 'items.xlsx';
      const outcome = await shop.importFile(name, zipped ? gzipSync(bytes) : bytes);
      assert.deepEqual([outcome.created, outcome.failed], [3, 3]);
      const file = await shop.download(outcome.errorFile ?? '');
      assert.equal(file.name, `errors-${name}`);
      const errors = zipped ? gunzipSync(file.bytes) : file.bytes;
      const [header, d, e, f] = (await cellsOf(errors)).map((cells) => cells.slice(0, 12));
      assert.deepEqual(header, [...HEADER, '_row', '_column', '_code']);
      assert.deepEqual(d, [
        'd',
        'Disk',
        'n:1.5',
        'many',
        'n:2.25',
        '',
        '',
        'red',
        '',
        'n:5',
        'Title; Stock',
        'VALUE_TYPE; VALUE_TYPE',
      ]);
      assert.deepEqual(e?.slice(0, 6), ['e', 'Nowhere', '007', 'n:1', 'n:0.001', 'n:45353']);
      assert.deepEqual(f?.slice(2, 6), ['e:#N/A', 'n:1', 'n:1', 'e:#N/A']);
      const again = await shop.importFile(`errors-${name}`, file.bytes);
      assert.deepEqual(
        [again.failed, again.errors.map(({ code }) => code)],
        [3, outcome.errors.map(({ code }) => code)],
      );
      await shop.category('Nowhere', ['Title', 'Stock', 'Weight', 'Sold', 'Active']);
      const corrected = await shop.importFile(`errors-${name}`, file.bytes);
      assert.deepEqual([corrected.created, corrected.failed], [1, 2]);
      assert.deepEqual((await shop.item('e'))?.attributes, {
        Title: '007',
        Stock: 1,
        Weight: '0.001',
        Sold: '2024-03-02',
        Active: true,
      });
    });
  }

  it('define attributes, dates and numbers in their rules included', async () => {
    const header = ['Attribute Title', 'Type of Attribute', 'Decimal', 'Min', 'Max', 'Mandatory', 'Value 1', 'Value 2'];
    const outcome = await shop.importFile(
      'attributes.xlsx',
      await workbookOf(header, [
        ['Depth', 'NUMBER', true, 0.5, 1000, true, null, null],
        ['Launch', 'DATE', null, { date: '2024-01-01' }, { date: '2024-12-31' }, null, null, null],
        ['Grade', 'LOV', null, null, null, false, 'A', 7],
        ['Broken', 'NUMBER', null, { error: '#REF!' }, null, null, null, null],
      ]),
      {},
      { type: 'ATTRIBUTE_IMPORT' },
    );
    assert.deepEqual([outcome.created, places(outcome)], [3, [[5, 'Min', 'VALUE_TYPE']]]);
  });

  it('are refused as a whole with a reason when they are none', async () => {
    const damaged = await shop.importFile('items.xlsx', (await workbookOf(HEADER, rows)).subarray(0, 900));
    assert.deepEqual([damaged.status, damaged.reason], ['REJECTED', 'WORKBOOK_DAMAGED']);
    const csv = await shop.importFile('items.xlsx', 'SKU,Category Node\na,Disk\n');
    assert.deepEqual([csv.status, csv.reason], ['REJECTED', 'WRONG_FORMAT']);
    const unknown = await shop.importFile('items.xlsx', await workbookOf(['SKU', 'Titel'], [['a', 'b']]));
    assert.deepEqual([unknown.status, unknown.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    const bomb = await workbookFile({ rows: ' '.repeat(40 * 1024 * 1024) });
    const refused = await shop.importFile('items.xlsx', bomb);
    assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'EXPANSION_RATIO']);
    assert.deepEqual(await shop.items(), []);
  });
});
