/** Every code that a row of items can fail with, in JSON and in CSV: row, column, message and value. */
import assert from 'node:assert/strict';
import type { RowCode } from '../../../src/domain/kernel/row-problem.js';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import type { Shop, WriteMode } from '../../support/http/shop.js';
import { DISK, SAMPLE_CATALOG } from '../../support/models/sample-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface Expected {
  readonly code: RowCode;
  readonly message: RegExp;
  readonly value?: string;
}

interface BadRow extends Expected {
  readonly mode?: WriteMode;
  /** The element, and the field or attribute named. Left out: JSON cannot fail so. */
  readonly json?: { readonly element: unknown; readonly path: string | null };
  /** Cells by header, and the column named. Left out: CSV cannot fail so. */
  readonly csv?: { readonly cells: Readonly<Record<string, string>>; readonly column: string | null };
}

/** A bad value of an attribute, which fails alike in both. */
function badValue(name: string, value: string, expected: Expected, jsonValue: unknown = value): BadRow {
  return {
    ...expected,
    value: expected.value ?? value,
    json: { element: { sku: 'new', nodeName: DISK, attributes: { [name]: jsonValue } }, path: name },
    csv: { cells: { SKU: 'new', 'Category Node': DISK, [name]: value }, column: name },
  };
}

const longText = 'x'.repeat(65_537);

const BAD_ROWS: Readonly<Record<string, BadRow>> = {
  'a row without a SKU': {
    code: 'SKU_REQUIRED',
    message: /no SKU; every item needs one/,
    json: { element: { nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: '', 'Category Node': DISK }, column: 'SKU' },
  },
  'a SKU of blanks': {
    code: 'SKU_REQUIRED',
    message: /no SKU/,
    json: { element: { sku: ' \t ', nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: ' \t ', 'Category Node': DISK }, column: 'SKU' },
  },
  'a SKU of 256 characters': {
    code: 'SKU_TOO_LONG',
    message: /has 256 characters; at most 255/,
    value: 'x'.repeat(100),
    json: { element: { sku: 'x'.repeat(256), nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: 'x'.repeat(256), 'Category Node': DISK }, column: 'SKU' },
  },
  'a SKU of 256 characters that take two units each': {
    code: 'SKU_TOO_LONG',
    message: /has 256 characters; at most 255/,
    value: '😀'.repeat(50),
    json: { element: { sku: '😀'.repeat(256), nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: '😀'.repeat(256), 'Category Node': DISK }, column: 'SKU' },
  },
  'a NUL in a SKU': {
    code: 'INVALID_TEXT',
    message: /the SKU holds a NUL/,
    json: { element: { sku: 'a\u0000b', nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: 'a\u0000b', 'Category Node': DISK }, column: 'SKU' },
  },
  'a SKU that exists, inserted': {
    mode: 'insert',
    code: 'SKU_EXISTS',
    message: /exists.*use upsert/,
    json: { element: { sku: 'old', nodeName: DISK }, path: 'sku' },
    csv: { cells: { SKU: 'old', 'Category Node': DISK }, column: 'SKU' },
  },
  'an unknown SKU, updated': {
    mode: 'update',
    code: 'SKU_NOT_FOUND',
    message: /no item with this SKU.*use upsert/,
    json: { element: { sku: 'new', attributes: { Title: 'x' } }, path: 'sku' },
    csv: { cells: { SKU: 'new', Title: 'x' }, column: 'SKU' },
  },
  'an unknown category': {
    code: 'NODE_NOT_FOUND',
    message: /no category "Storage->Disc" in the primary tree: did you mean "PRIMARY->Storage->Disk"\?/,
    value: 'Storage->Disc',
    json: { element: { sku: 'new', nodeName: 'Storage->Disc' }, path: 'nodeName' },
    csv: { cells: { SKU: 'new', 'Category Node': 'Storage->Disc' }, column: 'Category Node' },
  },
  'an unknown node id': {
    code: 'NODE_NOT_FOUND',
    message: /no category with the node id 4711/,
    value: '4711',
    json: { element: { sku: 'new', nodeId: 4711 }, path: 'nodeId' },
  },
  'a new item without a category': {
    code: 'NODE_NOT_FOUND',
    message: /a new item needs a category/,
    json: { element: { sku: 'new', attributes: { Title: 'x' } }, path: 'nodeName' },
    csv: { cells: { SKU: 'new', 'Hierarchy Node': '', Title: 'x' }, column: 'Hierarchy Node' },
  },
  'a category with subcategories': {
    code: 'NODE_NOT_LEAF',
    message: /"PRIMARY->Storage" has some/,
    value: 'PRIMARY->Storage',
    json: { element: { sku: 'new', nodeName: 'storage' }, path: 'nodeName' },
    csv: { cells: { SKU: 'new', 'Category Node': 'PRIMARY->Storage' }, column: 'Category Node' },
  },
  'an unknown attribute': {
    code: 'ATTRIBUTE_NOT_FOUND',
    message: /no attribute "Titl": did you mean "Title"\?/,
    json: { element: { sku: 'new', nodeName: DISK, attributes: { Titl: 'x' } }, path: 'Titl' },
  },
  'an attribute that the category does not have': {
    code: 'ATTRIBUTE_NOT_ASSIGNED',
    message: /"Stock" is not assigned to the category "PRIMARY->Storage->Tape"/,
    json: { element: { sku: 'new', nodeName: 'Storage->Tape', attributes: { Stock: 1 } }, path: 'Stock' },
    csv: { cells: { SKU: 'new', 'Category Node': 'Storage->Tape', Stock: '1' }, column: 'Stock' },
  },
  'a text where a whole number belongs': badValue('Stock', 'many', {
    code: 'VALUE_TYPE',
    message: /not a (whole )?number/,
  }),
  'a fraction where a whole number belongs': badValue(
    'Stock',
    '1.5',
    { code: 'VALUE_TYPE', message: /"1.5" is not a whole number/ },
    1.5,
  ),
  'a text where a decimal belongs': badValue('Price', 'cheap', {
    code: 'VALUE_TYPE',
    message: /"cheap" is not a decimal/,
  }),
  'a decimal comma where the separator is a point': badValue('Price', '1.800,50', {
    code: 'VALUE_TYPE',
    message: /decimal separator is "\."/,
  }),
  'a boolean that is none': badValue('Fragile', 'maybe', { code: 'VALUE_TYPE', message: /true/ }),
  'a date that is none': badValue('Released', 'soon', { code: 'VALUE_TYPE', message: /not a date/ }),
  'a day that no calendar has': badValue('Released', '2023-02-29', {
    code: 'VALUE_TYPE',
    message: /is not a day of the calendar/,
  }),
  'a number where a text belongs': {
    code: 'VALUE_TYPE',
    message: /the number 12 is not a text/,
    value: '12',
    json: { element: { sku: 'new', nodeName: DISK, attributes: { Title: 12 } }, path: 'Title' },
  },
  'a number for a SKU': {
    code: 'VALUE_TYPE',
    message: /"sku" must be a text, got the number 12/,
    json: { element: { sku: 12, nodeName: DISK }, path: 'sku' },
  },
  'an attribute list that is none': {
    code: 'VALUE_TYPE',
    message: /"attributes" must be an object of names and values, got a list/,
    json: { element: { sku: 'new', nodeName: DISK, attributes: [] }, path: 'attributes' },
  },
  'a decimal past its range': badValue('Price', '10000', { code: 'VALUE_RANGE', message: /9999/ }, 10_000),
  'a decimal below its range': badValue('Price', '-0.01', { code: 'VALUE_RANGE', message: /the minimum, 0/ }, -0.01),
  'an integer past 2^53': badValue(
    'Stock',
    '9007199254740993',
    { code: 'VALUE_RANGE', message: /9007199254740991/, value: '9007199254740992' },
    2 ** 53,
  ),
  'a decimal of a million digits': badValue('Weight', '1e999999', {
    code: 'VALUE_RANGE',
    message: /more than 1000 digits/,
  }),
  'a text that its pattern does not match': badValue('Code', 'ab-1', {
    code: 'VALUE_PATTERN',
    message: /does not match the pattern/,
  }),
  'a text that does not begin as it must': badValue('Link', 'ftp://a.example', {
    code: 'VALUE_PATTERN',
    message: /does not begin with "https:\/\/"/,
  }),
  'a text that does not contain what it must': badValue('Link', 'https://a.test', {
    code: 'VALUE_PATTERN',
    message: /does not contain "\.example"/,
  }),
  'a value that is no option': badValue('Colour', 'rad', {
    code: 'VALUE_NOT_IN_OPTIONS',
    message: /did you mean "red"\?/,
  }),
  'a text over the length of its attribute': badValue('Size', 'XXXXXL', {
    code: 'VALUE_TOO_LONG',
    message: /longer than 5 characters/,
  }),
  'a text over 64 kB': badValue('Title', longText, {
    code: 'VALUE_TOO_LONG',
    message: /65537 bytes/,
    value: `${'x'.repeat(199)}…`,
  }),
  'a value that another item has': badValue('Gtin', '4006381333931', {
    code: 'VALUE_NOT_UNIQUE',
    message: /the item "old" has the value "4006381333931" already/,
  }),
  'a parent that does not exist': {
    code: 'PARENT_NOT_FOUND',
    message:
      /"nobody" does not exist, neither in the catalog nor among the rows of this input that were applied; import it first, or name/,
    value: 'nobody',
    json: { element: { sku: 'new', nodeName: DISK, parentSku: 'nobody' }, path: 'parentSku' },
    csv: { cells: { SKU: 'new', 'Category Node': DISK, 'Parent SKU': 'nobody' }, column: 'Parent SKU' },
  },
  'an item that is its own parent': {
    code: 'PARENT_NOT_FOUND',
    message: /is the item itself/,
    value: 'old',
    json: { element: { sku: 'old', parentSku: ' old ' }, path: 'parentSku' },
    csv: { cells: { SKU: 'old', 'Parent SKU': 'old' }, column: 'Parent SKU' },
  },
  'a parent that is a variant': {
    code: 'PARENT_NOT_FOUND',
    message: /"variant" is a variant itself/,
    value: 'variant',
    json: { element: { sku: 'new', nodeName: DISK, parentSku: 'variant' }, path: 'parentSku' },
    csv: { cells: { SKU: 'new', 'Category Node': DISK, 'Parent SKU': 'variant' }, column: 'Parent SKU' },
  },
  'a variant that has variants': {
    code: 'PARENT_NOT_FOUND',
    message: /"old" has variants/,
    value: 'other',
    json: { element: { sku: 'old', parentSku: 'other' }, path: 'parentSku' },
    csv: { cells: { SKU: 'old', 'Parent SKU': 'other' }, column: 'Parent SKU' },
  },
  'a NUL in a text': badValue('Title', 'a\u0000b', {
    code: 'INVALID_TEXT',
    message: /NUL/,
    value: 'a\ufffdb',
  }),
  'half a surrogate pair in a text': {
    code: 'INVALID_TEXT',
    message: /half of a surrogate pair/,
    value: 'a\ufffdb',
    json: { element: '{"sku":"new","nodeName":"Storage->Disk","attributes":{"Title":"a\\ud800b"}}', path: 'Title' },
  },
  'an element that is no object': {
    code: 'ROW_NOT_OBJECT',
    message: /expected an object.*got the number 5/,
    json: { element: 5, path: null },
  },
  'an element that is a list': {
    code: 'ROW_NOT_OBJECT',
    message: /got a list/,
    json: { element: [['sku', 'x']], path: null },
  },
  'an unknown field': {
    code: 'FIELD_INVALID',
    message: /no field "SKUs": did you mean "sku"\?/,
    json: { element: { sku: 'new', nodeName: DISK, SKUs: 'x' }, path: 'SKUs' },
  },
  'an attribute given twice': {
    code: 'DUPLICATE_MEMBER',
    message: /"title" is given twice/,
    json: { element: { sku: 'new', nodeName: DISK, attributes: { Title: 'a', title: 'b' } }, path: 'Title' },
  },
  'an attribute given in both lists': {
    code: 'DUPLICATE_MEMBER',
    message: /"Title" is given twice/,
    json: {
      element: {
        sku: 'new',
        nodeName: DISK,
        attributes: { Title: null },
        attributeValues: [{ name: 'Title', value: 'b' }],
      },
      path: 'Title',
    },
  },
  'an attribute value without a value': {
    code: 'VALUE_TYPE',
    message:
      /"attributeValues\[0\]" has no "value": write \{"name": "Title", "value": …\}, with null to clear the value/,
    json: { element: { sku: 'old', attributeValues: [{ name: 'Title', val: 'b' }] }, path: 'attributeValues' },
  },
  'two categories': {
    code: 'FIELD_INVALID',
    message: /name one category/,
    json: { element: { sku: 'new', nodeName: DISK, nodeId: 'Storage->Tape' }, path: 'nodeId' },
  },
  'a type that there is not': {
    code: 'FIELD_INVALID',
    message: /"type" must be ITEM or BUNDLE, got the text "KIT"/,
    json: { element: { sku: 'new', nodeName: DISK, type: 'KIT' }, path: 'type' },
  },
  'an item that holds others': {
    code: 'FIELD_INVALID',
    message: /an ITEM cannot hold others/,
    json: {
      element: { sku: 'new', nodeName: DISK, type: 'ITEM', bundleItems: [{ sku: 'old', quantity: 1 }] },
      path: 'bundleItems',
    },
  },
  'a bundle with a parent': {
    code: 'FIELD_INVALID',
    message: /a bundle cannot be a variant/,
    json: { element: { sku: 'new', nodeName: DISK, type: 'BUNDLE', parentSku: 'old' }, path: 'parentSku' },
  },
  'an item that is to be a bundle': {
    code: 'FIELD_INVALID',
    message: /"other" is an item, and cannot become a bundle/,
    json: { element: { sku: 'other', type: 'BUNDLE' }, path: 'type' },
  },
  'an item that leaves its parent for another': {
    code: 'FIELD_INVALID',
    message: /leaves its parent cannot name one/,
    json: { element: { sku: 'variant', parentSku: 'other', detach: true }, path: 'detach' },
  },
  'a bundle of something that does not exist': {
    code: 'BUNDLE_ITEM_NOT_FOUND',
    message: /there is no "nobody", neither in the catalog nor among the rows/,
    value: 'nobody',
    json: {
      element: { sku: 'new', nodeName: DISK, bundleItems: [{ sku: 'nobody', quantity: 1 }] },
      path: 'bundleItems',
    },
  },
  'a bundle that holds itself': {
    code: 'BUNDLE_CYCLE',
    message: /"new" would hold itself: "new" holds "new"/,
    value: 'new',
    json: { element: { sku: 'new', nodeName: DISK, bundleItems: [{ sku: 'new', quantity: 1 }] }, path: 'bundleItems' },
  },
  'no quantity at all': {
    code: 'VALUE_TYPE',
    message: /"old" needs a quantity, got none/,
    json: { element: { sku: 'new', nodeName: DISK, bundleItems: [{ sku: 'old' }] }, path: 'bundleItems' },
  },
  'a quantity of none': {
    code: 'VALUE_RANGE',
    message: /quantity of "old" is 0; it must be a whole number from 1 to 1000000/,
    value: '0',
    json: {
      element: { sku: 'new', nodeName: DISK, bundleItems: [{ sku: 'old', quantity: 0 }] },
      path: 'bundleItems',
    },
  },
  'one item of a bundle named twice': {
    code: 'FIELD_INVALID',
    message: /names "old" twice/,
    value: 'old',
    json: {
      element: {
        sku: 'new',
        nodeName: DISK,
        bundleItems: [
          { sku: 'old', quantity: 1 },
          { sku: ' old ', quantity: '2' },
        ],
      },
      path: 'bundleItems',
    },
  },
  'bundle items that are no list': {
    code: 'VALUE_TYPE',
    message: /"bundleItems" must be a list/,
    json: { element: { sku: 'new', nodeName: DISK, bundleItems: 'old:1' }, path: 'bundleItems' },
  },
};

withReaderOfRun('the codes of item rows', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
    shop = await (await world.newShop()).define(SAMPLE_CATALOG);
    const made = await shop.bulk('insert', [
      { sku: 'old', nodeName: DISK, attributes: { Gtin: '4006381333931' } },
      { sku: 'other', nodeName: DISK },
      { sku: 'variant', nodeName: DISK, parentSku: 'old' },
    ]);
    assert.equal(made.body.success?.length, 3, JSON.stringify(made.body));
  });
  after(() => world.stop());

  for (const [what, { json, mode = 'upsert', code, message, value = null }] of Object.entries(BAD_ROWS)) {
    if (json === undefined) continue;
    it(`JSON: ${what} is ${code}`, async () => {
      // A row that is right goes first, so that the index is not 0.
      const bad = typeof json.element === 'string' ? json.element : JSON.stringify(json.element);
      const { status, body } = await shop.bulk(mode, `[${rightRow(mode)},${bad}]`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.success.length, 1, JSON.stringify(body.success));
      assert.equal(body.failed.length, 1);
      const [{ index, errors }] = body.failed;
      assert.deepEqual([index, errors.length], [1, 1], JSON.stringify(errors));
      assertError(errors[0], { code, message, value, column: json.path });
      const [error] = await shop.errors(body.jobId);
      assert.equal(error?.row, 2);
      await undo();
    });
  }

  for (const [what, { csv, mode = 'upsert', code, message, value = null }] of Object.entries(BAD_ROWS)) {
    if (csv === undefined) continue;
    it(`CSV: ${what} is ${code}`, async () => {
      const outcome = await shop.importFile('items.csv', csvOf(csv.cells, mode), { mode });
      assert.equal(outcome.status, 'COMPLETED_PARTIALLY', outcome.message);
      assert.deepEqual([outcome.total, outcome.failed], [2, 1]);
      const [error] = outcome.errors;
      assert.equal(outcome.errors.length, 1, JSON.stringify(outcome.errors));
      assert.equal(error?.row, 3);
      const shown = code === 'VALUE_RANGE' && value === '9007199254740992' ? csv.cells.Stock : value;
      assertError({ ...error, path: error?.column }, { code, message, value: shown ?? null, column: csv.column });
      await undo();
    });
  }

  it('CSV: a row with another number of cells than the header is ROW_FIELD_COUNT', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Title\nold,one\nold2,two,three\nother\n', {
      mode: 'update',
    });
    assert.deepEqual(
      outcome.errors.map(({ row, key, column, code }) => [row, key, column, code]),
      [
        [3, 'old2', null, 'ROW_FIELD_COUNT'],
        [4, 'other', null, 'ROW_FIELD_COUNT'],
      ],
    );
    assert.match(outcome.errors[0]?.message ?? '', /Row 3 has 3 cells, but the header has 2/);
    assert.match(outcome.errors[1]?.message ?? '', /Row 4 has 1 cell, but the header has 2/);
  });

  it('a category that exists in an alternate tree is named as such, by path and by node id', async () => {
    await shop.bulkCategories([
      { name: 'Summer', type: 'ALTERNATE' },
      { name: 'Beach', parentNodeName: 'Summer', type: 'ALTERNATE' },
    ]);
    const trees = await shop.ask('GET', '/api-category/v1/category?type=ALTERNATE&limit=100');
    const beach = trees.data.find(({ name }: { name: string }) => name === 'Beach');
    const { body } = await shop.bulk('upsert', [
      { sku: 'x1', nodeName: 'summer -> beach' },
      { sku: 'x2', nodeId: beach.nodeId },
      { sku: 'x3', nodeName: 'Winter->Beach' },
    ]);
    const messages = body.errors.map(({ message }: { message: string }) => message);
    const exists = /^the category "Summer->Beach" is in an alternate tree.*POST \/api-category\/v1\/category\/item$/;
    assert.match(messages[0], exists);
    assert.match(messages[1], exists);
    assert.match(messages[2], /no category "Winter->Beach" in the primary tree: .*create the category first/);
  });

  it('CSV: an attribute that does not exist refuses the file, for it is wrong in every row', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Titl\nold,one\n', { mode: 'update' });
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(outcome.message, /column 2, "Titl".*did you mean "Title"\?/);
  });

  it('tells everything that is wrong with a row at once', async () => {
    const element = { sku: '', nodeName: 'Nowhere', attributes: { Stock: 'x', Price: -1, Colour: 'pink' } };
    const { status, body } = await shop.bulk('upsert', [element]);
    assert.equal(status, 422);
    assert.equal(body.code, 'STATUS_ERROR');
    assert.deepEqual(
      body.errors.map(({ index, path, code }: { index: number; path: string; code: string }) => [index, path, code]),
      [
        [0, 'sku', 'SKU_REQUIRED'],
        [0, 'nodeName', 'NODE_NOT_FOUND'],
        [0, 'Stock', 'VALUE_TYPE'],
        [0, 'Price', 'VALUE_RANGE'],
        [0, 'Colour', 'VALUE_NOT_IN_OPTIONS'],
      ],
    );
  });

  const undo = () => world.db('item').where({ site_id: shop.siteId, sku: 'right' }).delete();
});

describe('an attribute that is required', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: [{ name: 'Title', type: 'TEXT', validation: { required: true } }, 'Note'],
      categories: { Disk: ['Title', 'Note'] },
    });
    await shop.bulk('insert', [{ sku: 'old', nodeName: 'Disk', attributes: { Title: 'Old', Note: 'n' } }]);
  });
  after(() => world.stop());

  const expected = {
    code: 'ATTRIBUTE_REQUIRED',
    message: /"Title" is required and has no value/,
    value: null,
    column: 'Title',
  };

  it('JSON: is missed by a new item, and by one that it is taken from', async () => {
    const { body } = await shop.bulk('upsert', [
      { sku: 'new', nodeName: 'Disk', attributes: { Note: 'x' } },
      { sku: 'old', attributes: { Title: null } },
      { sku: 'empty', nodeName: 'Disk', attributes: { Title: '' } },
    ]);
    assert.equal(body.errors.length, 3);
    for (const error of body.errors) assertError(error, expected);
  });

  it('CSV: is missed by a new item, and by one that it is taken from', async () => {
    const rows = 'SKU,Category Node,Title,Note\nnew,Disk,,x\nold,,NULL,\nold2,Disk,NULL,\n';
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(
      outcome.errors.map(({ row }) => row),
      [2, 3, 4],
    );
    for (const error of outcome.errors) assertError({ ...error, path: error.column }, expected);
  });

  it('is not missed by a change that leaves it alone', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Title,Note\nold,,changed\n');
    assert.deepEqual([outcome.status, outcome.updated], ['COMPLETED', 1]);
    assert.deepEqual((await shop.item('old'))?.attributes, { Title: 'Old', Note: 'changed' });
  });
});

/** A row that is applied in every mode. */
function rightRow(mode: WriteMode): string {
  if (mode === 'update') return JSON.stringify({ sku: 'other', attributes: { Title: 'x' } });
  return JSON.stringify({ sku: 'right', nodeName: DISK });
}

function csvOf(bad: Readonly<Record<string, string>>, mode: WriteMode): string {
  const right: Record<string, string> = JSON.parse(rightRow(mode));
  const headers = Object.keys(bad);
  if (!headers.some((header) => header.endsWith(' Node')) && mode !== 'update') headers.push('Category Node');
  const rightCells = headers.map((header) => {
    if (header === 'SKU') return right.sku ?? '';
    return header.endsWith(' Node') && mode !== 'update' ? DISK : '';
  });
  const badCells = headers.map((header) => bad[header] ?? '');
  return [headers, rightCells, badCells].map((cells) => cells.map(quoted).join(',')).join('\n');
}

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

function assertError(
  error: { code?: string; path?: string | null | undefined; message?: string; value?: string | null | undefined },
  expected: { code: string; message: RegExp; value: string | null; column: string | null },
): void {
  assert.deepEqual([error.code, error.path], [expected.code, expected.column], JSON.stringify(error));
  assert.match(error.message ?? '', expected.message);
  if (expected.value !== null) assert.equal(error.value, expected.value);
}
