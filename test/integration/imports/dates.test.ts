/** Dates of files: by the attribute's format, else by the job's, else ISO; and ISO alone in JSON, whatever the formats. */
import assert from 'node:assert/strict';
import type { Cell } from '../../../src/domain/formats/xlsx/cell.js';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import type { Shop } from '../../support/http/shop.js';
import { workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** `Sold` has a format of its own, `Bought` has none. */
const CATALOG = {
  attributes: [
    { name: 'Sold', type: 'DATETIME', format: 'dd.MM.yyyy' },
    { name: 'Bought', type: 'DATETIME' },
  ],
  categories: { Disk: ['Sold', 'Bought'] },
};
const HEADER = ['SKU', 'Category Node', 'Sold', 'Bought'] as const;
const CELLS = ['2024-03-04', '05.03.2024', '03/06/2024', '2024-03-07T23:30:00-02:00', '7 March 2024'];
const OWN = { a: '2024-03-04', b: '2024-03-05', c: null, d: '2024-03-08T01:30:00.000Z', e: null };
const JOBS = { a: '2024-03-04', b: null, c: '2024-03-06', d: '2024-03-08T01:30:00.000Z', e: null };
const ISO = { a: '2024-03-04', b: null, c: null, d: '2024-03-08T01:30:00.000Z', e: null };

const sku = (index: number) => String.fromCharCode(97 + index);

withReaderOfRun('dates of a file', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(CATALOG);
  });

  /** One cell an item and attribute, so that each is judged by itself. */
  const rows = (): string[][] =>
    (['Sold', 'Bought'] as const).flatMap((name) =>
      CELLS.map((cell, index) => [
        `${name}-${sku(index)}`,
        'Disk',
        name === 'Sold' ? cell : '',
        name === 'Sold' ? '' : cell,
      ]),
    );
  const separated = (delimiter: string) => [[...HEADER], ...rows()].map((row) => row.join(delimiter)).join('\n');
  const elements = () =>
    rows().map(([key, nodeName, Sold, Bought]) => ({ sku: key, nodeName, attributes: Sold ? { Sold } : { Bought } }));

  const FILES: Readonly<Record<string, () => string | Promise<Buffer>>> = {
    'i.csv': () => separated(','),
    'i.tsv': () => separated('\t'),
    'i.xlsx': () => workbookOf([...HEADER], rows()),
    'i.json': () => JSON.stringify(elements()),
    'i.jsonl': () =>
      elements()
        .map((element) => `${JSON.stringify(element)}\n`)
        .join(''),
  };

  for (const [file, content] of Object.entries(FILES)) {
    const isJson = file.includes('json');
    // JSON has no use for the format of a job, which is told when the file is announced.
    for (const dateFormat of isJson ? [undefined] : [undefined, 'MM/dd/yyyy']) {
      it(`${file}, ${dateFormat === undefined ? 'no format for the job' : dateFormat}`, async () => {
        const outcome = await shop.importFile(file, await content(), dateFormat === undefined ? {} : { dateFormat });
        const expected = {
          Sold: isJson ? ISO : OWN,
          Bought: isJson || dateFormat === undefined ? ISO : JOBS,
        };
        for (const name of ['Sold', 'Bought'] as const) {
          const read = await Promise.all(
            CELLS.map(async (_, index) => [
              sku(index),
              (await shop.item(`${name}-${sku(index)}`))?.attributes[name] ?? null,
            ]),
          );
          assert.deepEqual(Object.fromEntries(read), expected[name], name);
        }
        assert.deepEqual(new Set(outcome.errors.map(({ code }) => code)), new Set(['VALUE_TYPE']));
        assert.equal(outcome.created + outcome.failed, rows().length);
      });
    }
  }

  it('are dates in a workbook where their cells are dates, whatever the formats', async () => {
    const cells: Cell[][] = [
      ['a', 'Disk', { date: '2024-03-04' }, { date: '2024-03-04' }],
      ['b', 'Disk', { date: '2024-03-05T10:30:00Z' }, { date: '2024-03-05T10:30:00Z' }],
    ];
    const book = await workbookOf([...HEADER], cells);
    const outcome = await shop.importFile('i.xlsx', book, { dateFormat: 'MM/dd/yyyy' });
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 2], JSON.stringify(outcome.errors));
    for (const name of ['Sold', 'Bought']) {
      assert.deepEqual(await shop.values(name), { a: '2024-03-04', b: '2024-03-05T10:30:00.000Z' });
    }
  });
});
