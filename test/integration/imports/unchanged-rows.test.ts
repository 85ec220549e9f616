/** Rows that change nothing are recognised and write nothing. */
import assert from 'node:assert/strict';
import { forEachReader } from '../../support/for-each-reader.js';
import type { Shop } from '../../support/http/shop.js';
import { DISK, SAMPLE_CATALOG } from '../../support/models/sample-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = 'SKU,Category Node,Title,Price,Weight,Stock,Released,Fragile,Colour,Gtin,Parent SKU';
const ROWS = [
  `a,${DISK},"Title, with ""quotes""",1.50,0012.500,007,2024-02-29,yes,red,0001,`,
  `b,${DISK},Füß,9999,123456789012345678901.10,-5,2024-01-31T10:00:00+02:00,no,green,0002,`,
  `c,${DISK},,,,,,,,,a`,
  `d,${DISK},"two\nlines",0,1e-10,0,,,blue,,`,
];
const FILE = [HEADER, ...ROWS].join('\n');

forEachReader('unchanged rows', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(SAMPLE_CATALOG);
    const first = await shop.importFile('items.csv', FILE);
    assert.deepEqual([first.status, first.created], ['COMPLETED', 4]);
  });

  /** The version of every tuple: another one was written anew. */
  const tuples = async (): Promise<unknown[]> => [
    ...(await world
      .db('item')
      .where({ site_id: shop.siteId })
      .orderBy('sku')
      .select('sku', world.db.raw('xmin, ctid'))),
    ...(await world
      .db('item_unique_value')
      .where({ site_id: shop.siteId })
      .orderBy(['sku', 'attribute_id'])
      .select('sku', world.db.raw('xmin, ctid'))),
  ];

  it('the same file again writes no tuple', async () => {
    const before = await tuples();
    const again = await shop.importFile('items.csv', FILE);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', 4]);
    assert.deepEqual(await tuples(), before);
  });

  it('the same values written otherwise write no tuple: other columns, forms, formats', async () => {
    const before = await tuples();
    const csv = 'sku;PRICE;weight;Stock;Fragile;Title\na;1,5;12,5;7;TRUE;"Title, with ""quotes"""\nb;09999,00;;-5;0;\n';
    const semicolons = await shop.importFile('items.csv', csv, { decimalSeparator: ',' });
    assert.deepEqual([semicolons.unchanged, semicolons.failed], [2, 0]);
    const { body } = await shop.bulk('upsert', [
      { sku: 'a', nodeName: DISK, attributes: { Price: 1.5, Weight: '12.5', Fragile: true, Released: '2024-02-29' } },
      { sku: 'b', attributes: { Weight: '123456789012345678901.1', Released: '2024-01-31T08:00:00.000Z' } },
      { sku: 'c', parentSku: 'a' },
      { sku: 'd', attributes: { Weight: '0.0000000001', Title: 'two\nlines' } },
    ]);
    assert.deepEqual(
      body.success.map(({ message }: { message: string }) => message),
      ['unchanged', 'unchanged', 'unchanged', 'unchanged'],
    );
    assert.deepEqual(await tuples(), before);
  });

  it('one changed cell writes one tuple', async () => {
    const before = await tuples();
    const changed = await shop.importFile('items.csv', FILE.replace('9999,', '9998,'));
    assert.deepEqual([changed.updated, changed.unchanged], [1, 3]);
    const after = await tuples();
    const differing = after.filter((tuple, index) => JSON.stringify(tuple) !== JSON.stringify(before[index]));
    // The item, and the claim of its unique value.
    assert.deepEqual(new Set(differing.map((tuple) => (tuple as { sku: string }).sku)), new Set(['b']));
  });

  it('a file that comes back after another one changed the items is applied again', async () => {
    await shop.importFile('items.csv', 'SKU,Title\na,other\n');
    const back = await shop.importFile('items.csv', FILE);
    assert.deepEqual([back.updated, back.unchanged], [1, 3]);
    assert.equal((await shop.item('a'))?.attributes.Title, 'Title, with "quotes"');
  });

  it('the same row under another header, separator or format is not taken for the same', async () => {
    await shop.importFile('items.csv', 'SKU,Price,Weight\na,1,2\n');
    const swapped = await shop.importFile('items.csv', 'SKU,Weight,Price\na,1,2\n');
    assert.equal(swapped.updated, 1);
    const item = await shop.item('a');
    assert.deepEqual([item?.attributes.Price, item?.attributes.Weight], ['2', '1']);
    await shop.importFile('items.csv', 'SKU;Released\na;01.02.2024\n', { dateFormat: 'dd.MM.yyyy' });
    const american = await shop.importFile('items.csv', 'SKU;Released\na;01.02.2024\n', { dateFormat: 'MM.dd.yyyy' });
    assert.equal(american.updated, 1);
    assert.equal((await shop.item('a'))?.attributes.Released, '2024-01-02');
  });

  it('items whose keys have lines are told apart from those of single lines', async () => {
    const rows = (title: string) =>
      ['k', 'k\nl', 'l', 'l\n'].map((sku, nth) => `"${sku}",${DISK},${nth > 1 ? title : 'Old'}`);
    const file = (title: string) => ['SKU,Category Node,Title', ...rows(title)].join('\n');
    const first = await shop.importFile('items.csv', file('Old'));
    // Of the last two, which are the same when they are trimmed, one stands.
    assert.deepEqual([first.created, first.failed], [3, 1]);
    const again = await shop.importFile('items.csv', file('Old'));
    assert.deepEqual([again.unchanged, again.updated], [3, 0]);
    const changed = await shop.importFile('items.csv', file('New'));
    assert.deepEqual([changed.unchanged, changed.updated], [2, 1]);
    const titles = await Promise.all(['k', 'k\nl', 'l'].map(async (sku) => (await shop.item(sku))?.attributes.Title));
    assert.deepEqual(titles, ['Old', 'Old', 'New']);
  });

  it('an insert of what exists fails, even where it would change nothing', async () => {
    const again = await shop.importFile('items.csv', FILE, { mode: 'insert' });
    assert.deepEqual([again.failed, new Set(again.errors.map(({ code }) => code))], [4, new Set(['SKU_EXISTS'])]);
  });

  it('rows that failed before fail again, and are not taken for unchanged', async () => {
    const bad = 'SKU,Stock\na,many\n';
    for (let time = 0; time < 2; time++) {
      const outcome = await shop.importFile('items.csv', bad);
      assert.equal(outcome.failed, 1);
    }
  });

  for (const [name, write] of [
    ['CSV', csvOf],
    ['JSONL', jsonlOf],
  ] as const) {
    it(`are told from changed, new, bad and repeated ones among them, in ${name}`, async () => {
      const file = `many.${name.toLowerCase()}`;
      const stored = Array.from({ length: 12 }, (_, index) => rowOf(`m${index}`, `Title ${index}`));
      await shop.importFile(file, write(stored));
      const before = new Set((await tuples()).map((tuple) => JSON.stringify(tuple)));
      const rows = [
        ...stored.slice(0, 3),
        rowOf('m3', 'Changed'),
        rowOf('new', 'New'),
        stored[4] as Row,
        rowOf('m5', 'Bad', 'pink'),
        ...stored.slice(6, 9),
        // The last row with a key stands, whichever of them is known.
        rowOf('m9', 'Changed too'),
        stored[9] as Row,
        stored[10] as Row,
        rowOf('m10', 'Changed as well'),
        rowOf('m11', 'with "quotes"\nand lines'),
      ];
      const { created, updated, unchanged, failed } = await shop.importFile(file, write(rows));
      assert.deepEqual({ created, updated, unchanged, failed }, { created: 1, updated: 3, unchanged: 8, failed: 3 });
      const titles = await Promise.all(
        ['m3', 'm5', 'm9', 'm10', 'm11'].map(async (sku) => (await shop.item(sku))?.attributes.Title),
      );
      assert.deepEqual(titles, ['Changed', 'Title 5', 'Title 9', 'Changed as well', 'with "quotes"\nand lines']);
      const after = (await tuples()) as { sku: string }[];
      const written = after.filter((tuple) => !before.has(JSON.stringify(tuple)));
      assert.deepEqual([...new Set(written.map(({ sku }) => sku))].sort(), ['m10', 'm11', 'm3', 'new']);
    });
  }
});

interface Row {
  readonly sku: string;
  readonly nodeName: string;
  readonly attributes: { readonly Title: string; readonly Colour: string; readonly Gtin: string };
}

function rowOf(sku: string, title: string, colour = 'red'): Row {
  return { sku, nodeName: DISK, attributes: { Title: title, Colour: colour, Gtin: `g-${sku}` } };
}

function jsonlOf(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function csvOf(rows: readonly Row[]): string {
  const lines = rows.map(({ sku, nodeName, attributes: { Title, Colour, Gtin } }) => {
    const title = /["\n]/.test(Title) ? `"${Title.replaceAll('"', '""')}"` : Title;
    return `${sku},${nodeName},${title},${Colour},${Gtin}\n`;
  });
  return `SKU,Category Node,Title,Colour,Gtin\n${lines.join('')}`;
}
