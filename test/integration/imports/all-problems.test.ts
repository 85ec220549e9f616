/** A row with several independent problems is told all of them at once, in every format and mode, with either reader. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forEachReader } from '../../support/for-each-reader.js';
import type { Outcome, Shop, WriteMode } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

/** A problem to plant: what it writes into the row, as JSON and as cells, and what is to be reported. */
interface Plant {
  readonly code: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly cells: Readonly<Record<string, string>>;
  /** Field or attribute, and column. */
  readonly at: readonly [field: string, column: string];
  /** Plants of one group contradict each other, or concern the same. */
  readonly group: string;
  readonly modes?: readonly WriteMode[];
}

const value = (name: string, given: string, code: string): Plant => ({
  code,
  json: { attributes: { [name]: given } },
  cells: { [name]: given },
  at: [name, name],
  group: name,
});

const PLANTS: readonly Plant[] = [
  value('Price', 'cheap', 'VALUE_TYPE'),
  value('Stock', '1.5', 'VALUE_TYPE'),
  value('Gtin', 'taken', 'VALUE_NOT_UNIQUE'),
  { ...value('Other', 'x', 'ATTRIBUTE_NOT_ASSIGNED'), group: 'category' },
  {
    code: 'NODE_NOT_FOUND',
    json: { nodeName: 'Nowhere' },
    cells: { 'Category Node': 'Nowhere' },
    at: ['nodeName', 'Category Node'],
    group: 'category',
  },
  {
    code: 'ATTRIBUTE_REQUIRED',
    json: { attributes: { Title: null } },
    cells: { Title: 'NULL' },
    at: ['Title', 'Title'],
    group: 'category',
    modes: ['upsert'],
  },
  {
    code: 'PARENT_NOT_FOUND',
    json: { parentSku: 'nobody' },
    cells: { 'Parent SKU': 'nobody' },
    at: ['parentSku', 'Parent SKU'],
    group: 'parent',
  },
  {
    code: 'NODE_NOT_FOUND',
    json: { alternateCategories: ['Gone'] },
    cells: { 'Alternate Categories': 'Gone' },
    at: ['alternateCategories', 'Alternate Categories'],
    group: 'alternates',
  },
  {
    code: 'VALUE_RANGE',
    json: { channels: [9_999_999_999] },
    cells: { Channels: '9999999999' },
    at: ['channels', 'Channels'],
    group: 'channels',
  },
  { code: 'SKU_NOT_FOUND', json: {}, cells: {}, at: ['sku', 'SKU'], group: 'sku', modes: ['update'] },
  { code: 'SKU_EXISTS', json: {}, cells: {}, at: ['sku', 'SKU'], group: 'sku', modes: ['insert'] },
  { code: 'SKU_REQUIRED', json: {}, cells: {}, at: ['sku', 'SKU'], group: 'sku' },
];

const MODES: readonly WriteMode[] = ['upsert', 'insert', 'update'];
/** Rows of each job. */
const ROWS = 30;

function planted(mode: WriteMode): fc.Arbitrary<readonly Plant[]> {
  const possible = PLANTS.filter(({ modes }) => modes?.includes(mode) ?? true);
  return (
    fc
      .uniqueArray(fc.constantFrom(...possible), {
        minLength: 2,
        maxLength: 6,
        selector: ({ group }) => group,
        size: 'max',
      })
      // Without a key it is not known whether the row creates an item, or has the value already.
      .filter((plants) => !hasCode(plants, 'SKU_REQUIRED') || !hasCode(plants, 'ATTRIBUTE_REQUIRED'))
      .filter((plants) => !hasCode(plants, 'SKU_REQUIRED') || !hasCode(plants, 'VALUE_NOT_UNIQUE'))
      // What an unfit parent would leave to the row is not known.
      .filter((plants) => !hasCode(plants, 'PARENT_NOT_FOUND') || !hasCode(plants, 'ATTRIBUTE_REQUIRED'))
  );
}

const hasCode = (plants: readonly Plant[], code: string) => plants.some((plant) => plant.code === code);

const COLUMNS = [
  ...['SKU', 'Category Node', 'Parent SKU', 'Alternate Categories', 'Channels'],
  ...['Title', 'Price', 'Stock', 'Gtin', 'Other'],
];

describe('a row with several problems', () => {
  forEachReader('is told all of them', (environment) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, chunkRows: 20, environment });
      shop = await (await world.newShop()).define({
        attributes: [
          { name: 'Title', type: 'TEXT', validation: { required: true, inheritable: true } },
          { name: 'Price', type: 'DECIMAL' },
          { name: 'Stock', type: 'INTEGER' },
          { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
          'Other',
        ],
        categories: { Disk: ['Title', 'Price', 'Stock', 'Gtin'], Tape: ['Other'] },
      });
      const skus = Array.from({ length: ROWS }, (_, nth) => `own${nth}`);
      const rows = skus.map((sku) => ({ sku, nodeName: 'Disk', attributes: { Title: sku } }));
      const { body } = await shop.bulk('insert', [
        ...rows,
        { sku: 'owner', nodeName: 'Disk', attributes: { Title: 'o', Gtin: 'taken' } },
      ]);
      assert.deepEqual(body.failed, []);
    });
    after(() => world.stop());

    /** A row that would be applied, in which the problems are planted. */
    const skuOf = (mode: WriteMode, plants: readonly Plant[], nth: number): string => {
      if (hasCode(plants, 'SKU_REQUIRED')) return '';
      const isMissing = hasCode(plants, 'SKU_NOT_FOUND') || (mode === 'insert' && !hasCode(plants, 'SKU_EXISTS'));
      return `${isMissing ? 'new' : 'own'}${nth}`;
    };
    const elementOf = (mode: WriteMode, plants: readonly Plant[], nth: number): object => {
      const element: Record<string, unknown> = { nodeName: 'Disk' };
      const attributes: Record<string, unknown> = { Title: 'x' };
      for (const { json } of plants) {
        const { attributes: values, ...fields } = json;
        Object.assign(element, fields);
        Object.assign(attributes, values);
      }
      return { ...element, sku: skuOf(mode, plants, nth), attributes };
    };
    const lineOf = (mode: WriteMode, plants: readonly Plant[], nth: number): string => {
      const cells: Record<string, string> = { 'Category Node': 'Disk', Title: 'x' };
      for (const plant of plants) Object.assign(cells, plant.cells);
      cells.SKU = skuOf(mode, plants, nth);
      return COLUMNS.map((column) => cells[column] ?? '').join(',');
    };
    const told = (errors: readonly { code: string; column: string | null }[]) =>
      errors.map(({ code, column }) => `${code} ${column}`).sort();
    const assertTold = ({ errors }: Outcome, rows: readonly (readonly Plant[])[], form: 0 | 1, first: number): void => {
      for (const [nth, plants] of rows.entries()) {
        const due = plants.map(({ code, at }) => `${code} ${at[form]}`).sort();
        assert.deepEqual(told(errors.filter(({ row }) => row === nth + first)), due, `row ${nth + first}`);
      }
    };

    for (const mode of MODES) {
      it(`of any number, by ${mode} in every format`, async () => {
        const rows = fc.sample(planted(mode), { numRuns: ROWS, seed: 20_261_122 });
        const elements = rows.map((plants, nth) => elementOf(mode, plants, nth));
        const { body } = await shop.bulk(mode, elements);
        assertTold(await shop.outcome(body.jobId), rows, 0, 1);
        const lines = elements.map((element) => JSON.stringify(element)).join('\n');
        assertTold(await shop.importFile('a.jsonl', lines, { mode, onError: 'abort' }), rows, 0, 1);
        const csv = [COLUMNS.join(','), ...rows.map((plants, nth) => lineOf(mode, plants, nth))].join('\n');
        assertTold(await shop.importFile('a.csv', csv, { mode }), rows, 1, 2);
        assert.equal((await shop.items()).length, ROWS + 1);
      });
    }

    it('as a bundle: a wrong value, an unknown item in it and one that is taken', async () => {
      const element = {
        sku: 'kit',
        nodeName: 'Disk',
        attributes: { Title: 'k', Price: 'cheap', Gtin: 'taken' },
        bundleItems: [{ sku: 'none', quantity: 1 }],
      };
      const { body } = await shop.bulk('upsert', [element]);
      assert.deepEqual(told((await shop.outcome(body.jobId)).errors), [
        'BUNDLE_ITEM_NOT_FOUND bundleItems',
        'VALUE_NOT_UNIQUE Gtin',
        'VALUE_TYPE Price',
      ]);
    });

    it('as they are when the other rows of the job are applied', async () => {
      const csv = [
        'SKU,Category Node,Parent SKU,Title,Price,Gtin',
        'v,Disk,p,V,cheap,free',
        'p,Disk,,P,1,',
        'w,Disk,bad,W,cheap,taken',
        'bad,Disk,,B,cheap,',
        'owner,,,,,free',
      ].join('\n');
      const { errors } = await shop.importFile('a.csv', csv, { onError: 'abort' });
      assert.deepEqual(
        errors.map(({ row, code }) => `${row} ${code}`),
        ['2 VALUE_TYPE', '2 VALUE_NOT_UNIQUE', '4 VALUE_TYPE', '4 PARENT_NOT_FOUND', '5 VALUE_TYPE'],
      );
      assert.match(errors[3]?.message ?? '', /row 5, for "bad", failed too: correct it first$/);
    });

    it('as an attribute and as a category, with what they name', async () => {
      const { body } = await shop.bulkAttributes([{ action: 'UPDATE', name: 'Nothing', description: 5 }]);
      assert.deepEqual((await shop.errors(body.jobId)).map(({ code, column }) => `${code} ${column}`).sort(), [
        'ATTRIBUTE_NOT_FOUND name',
        'FIELD_INVALID description',
      ]);
      const file = await shop.importFile(
        'a.csv',
        'Attribute Title,Max Length\nNothing,x\n',
        { mode: 'update' },
        {
          type: 'ATTRIBUTE_IMPORT',
        },
      );
      assert.deepEqual(told(file.errors), ['ATTRIBUTE_NOT_FOUND Attribute Title', 'FIELD_INVALID Max Length']);
      const rows = [
        { name: 'Deep', parentNodeName: 'Gone', order: 'x', itemAttributes: [{ name: 'Missing' }] },
        { name: 'Child', parentNodeId: 99_999, active: 'perhaps' },
        { path: 'Made', order: 1.5 },
        { path: 'Made->Below' },
      ];
      const answer = await shop.bulkCategories(rows);
      const errors = await shop.errors(answer.body.jobId);
      const codes = (row: number) => told(errors.filter((error) => error.row === row));
      assert.deepEqual(codes(1), [
        'ATTRIBUTE_NOT_FOUND itemAttributes[0]',
        'FIELD_INVALID order',
        'NODE_NOT_FOUND parentNodeName',
      ]);
      assert.deepEqual(codes(2), ['FIELD_INVALID active', 'NODE_NOT_FOUND parentNodeId']);
      assert.deepEqual(codes(3), ['FIELD_INVALID order']);
      assert.deepEqual(codes(4), ['NODE_NOT_FOUND parentNodeName']);
      assert.match(errors.find(({ row }) => row === 4)?.message ?? '', /row 3, which would create it, was not applied/);
      const categories = await shop.importFile(
        'c.csv',
        'Category Path,Order,Item Attributes\nGone->Deep,x,Missing\n',
        {},
        { type: 'CATEGORY_IMPORT' },
      );
      assert.deepEqual(told(categories.errors), [
        'ATTRIBUTE_NOT_FOUND Item Attributes',
        'FIELD_INVALID Order',
        'NODE_NOT_FOUND Category Path',
      ]);
      const { data } = await shop.ask('GET', `${CATEGORY}?limit=100`);
      assert.equal(data.length, 3);
    });
  });
});
