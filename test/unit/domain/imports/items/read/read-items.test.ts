/** The readers of cells and of elements, and the drafts they make. */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { normalizeSku, skuOfElement } from '../../../../../../src/domain/catalog/items/item-key.js';
import { DraftBuilder } from '../../../../../../src/domain/imports/items/read/draft-builder.js';
import type { DraftOutcome } from '../../../../../../src/domain/imports/items/read/draft-outcome.js';
import { resolveItemColumns } from '../../../../../../src/domain/imports/items/read/item-columns.js';
import { itemCellReader } from '../../../../../../src/domain/imports/items/read/read-item-cells.js';
import { draftOf, idOf, readElement, rulesOf } from '../rules-fixture.js';

const rules = rulesOf({
  attributes: [{ name: 'Title' }, { name: 'Stock', type: 'INTEGER' }, { name: 'Code' }],
  categories: { 'Storage->Disk': ['Title', 'Stock'], Tape: ['Title'] },
  mappings: { sku: 'Code' },
});
const HEADER = ['SKU', 'Category Node', 'Parent SKU', 'Title', 'Stock', '_note', 'Code'];

function reader(header = HEADER) {
  const read = itemCellReader(new DraftBuilder(rules), resolveItemColumns(header, rules, 'upsert'), 0);
  return (...cells: string[]) => read({ row: 2, cells: header.map((_, index) => cells[index] ?? ''), problem: null });
}
const codes = ({ problems }: DraftOutcome) => problems?.map(({ code, column }) => `${code} ${column}`) ?? [];
const said = ({ draft }: DraftOutcome) =>
  draft && [draft.sku, draft.nodeId, draft.parentSku, draft.document.parse(), draft.cleared];

describe('the reader of cells', () => {
  it('makes a draft of a row, with the SKU in the attribute that is mapped to it', () => {
    assert.deepEqual(said(reader()(' a ', 'Tape', 'p', 'T', '5', 'ignored')), [
      'a',
      4,
      'p',
      { [idOf(0)]: 'T', [idOf(1)]: 5, [idOf(2)]: 'a' },
      [],
    ]);
  });

  it('says nothing of empty cells and clears by NULL', () => {
    assert.deepEqual(said(reader()('a')), ['a', null, undefined, { [idOf(2)]: 'a' }, []]);
    assert.deepEqual(said(reader()('a', '', 'NULL', 'NULL', 'NULL', 'NULL', 'NULL')), [
      'a',
      null,
      null,
      { [idOf(2)]: 'a' },
      [0, 1],
    ]);
  });

  it('takes an escaped NULL and doubled backslashes for text, but in the key', () => {
    const title = (cell: string) => said(reader()('a', '', '', cell))?.[3];
    for (const [cell, text] of [
      ['\\NULL', 'NULL'],
      ['\\\\NULL', '\\NULL'],
      ['\\\\', '\\'],
      ['\\x', '\\x'],
      [' NULL', ' NULL'],
      ['null', 'null'],
      ['NULLS', 'NULLS'],
    ]) {
      assert.deepEqual(title(cell as string), { [idOf(0)]: text, [idOf(2)]: 'a' }, cell);
    }
    assert.equal(reader()('\\NULL').key, '\\NULL');
    assert.equal(reader()('NULL').key, 'NULL');
  });

  it('tells all problems of a row, in the order of the columns', () => {
    assert.deepEqual(codes(reader()('', 'Storage', 'x\u0000', 'a\u0000', 'x')), [
      'SKU_REQUIRED SKU',
      'NODE_NOT_LEAF Category Node',
      'PARENT_NOT_FOUND Parent SKU',
      'INVALID_TEXT Title',
      'VALUE_TYPE Stock',
    ]);
  });

  it('keeps the problem and the key of a row that could not be read', () => {
    const read = itemCellReader(new DraftBuilder(rules), resolveItemColumns(HEADER, rules, 'upsert'), 0);
    const problem = { code: 'ROW_FIELD_COUNT', column: null, message: 'x' } as const;
    assert.deepEqual(read({ row: 2, cells: [' a '], problem }), {
      draft: null,
      problems: [problem],
      key: 'a',
      rest: null,
    });
    assert.equal(read({ row: 2, cells: [], problem }).key, null);
  });

  it('does not let one row speak for the next', () => {
    const read = reader();
    read('a', 'Tape', 'p', 'T', '5');
    assert.deepEqual(said(read('b')), ['b', null, undefined, { [idOf(2)]: 'b' }, []]);
    read('', 'Tape', 'p', 'T', 'x');
    assert.deepEqual(said(read('c', '', '', 'U')), ['c', null, undefined, { [idOf(0)]: 'U', [idOf(2)]: 'c' }, []]);
  });

  it('gives rows of other cells, other headers and other options other hashes, and the same row the same', () => {
    const hash = (outcome: DraftOutcome) => outcome.draft?.hash;
    const row = ['a', 'Tape', '', 'T', '5'];
    assert.equal(hash(reader()(...row)), hash(reader()(...row)));
    assert.notEqual(hash(reader()(...row)), hash(reader()('a', 'Tape', 'T', '', '5')));
    const swapped = ['SKU', 'Category Node', 'Parent SKU', 'Stock', 'Title', '_note', 'Code'];
    assert.notEqual(hash(reader()('a', 'Tape', '', '5', '6')), hash(reader(swapped)('a', 'Tape', '', '5', '6')));
    const columns = resolveItemColumns(HEADER, rules, 'upsert');
    const cells = HEADER.map((_, index) => row[index] ?? '');
    const withSeed = (seed: number) =>
      itemCellReader(new DraftBuilder(rules), columns, seed)({ row: 2, cells, problem: null });
    assert.notEqual(hash(withSeed(1)), hash(withSeed(2)));
  });
});

describe('the memory of a site’s rules', () => {
  it('does not keep the text of a chunk for the sake of a category that it names', () => {
    const names = Array.from({ length: 64 }, (_, index) => `A category of some length, number ${index}`);
    const site = rulesOf({ attributes: [], categories: Object.fromEntries(names.map((name) => [name, []])) });
    const columns = resolveItemColumns(['SKU', 'Category Node'], site, 'upsert');
    const before = heapBytes();
    for (const name of names) {
      const chunk = Buffer.from(`a,${name}\n${'x'.repeat(1024 * 1024)}`).toString();
      const cells = ['a', chunk.slice(2, chunk.indexOf('\n'))];
      const { draft } = itemCellReader(new DraftBuilder(site), columns, 0)({ row: 2, cells, problem: null });
      assert.ok(draft?.nodeId);
    }
    const grown = heapBytes() - before;
    assert.ok(grown < 16 * 1024 * 1024, `the heap has grown by ${grown} bytes`);
  });

  it('finds categories whose path is longer than it remembers', () => {
    const name = 'x'.repeat(1_200);
    const site = rulesOf({ attributes: [], categories: { [name]: [] } });
    for (let time = 0; time < 2; time++) assert.equal(draftOf(site, { sku: 'a', nodeName: name }).nodeId, 2);
  });
});

/** What is left when everything is collected that nobody holds. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('the reader of elements', () => {
  const element = (fields: object) => readElement(rules, { sku: 'a', ...fields });

  it('takes attributes as an object and as a list, whatever the case of their names', () => {
    const expected = ['a', 3, undefined, { [idOf(0)]: 'T', [idOf(1)]: 5, [idOf(2)]: 'a' }, []];
    assert.deepEqual(said(element({ nodeId: 3, attributes: { title: 'T', STOCK: 5 } })), expected);
    const list = [
      { name: ' Title ', value: 'T' },
      { name: 'stock', value: 5 },
    ];
    assert.deepEqual(said(element({ nodeName: 'Storage->Disk', attributeValues: list })), expected);
  });

  it('clears by null and empty text, and reads a parent of null or nothing as none', () => {
    assert.deepEqual(draftOf(rules, { sku: 'a', attributes: { Title: null, Stock: '' } }).cleared, [0, 1]);
    assert.equal(draftOf(rules, { sku: 'a', parentSku: null }).parentSku, null);
    assert.equal(draftOf(rules, { sku: 'a', parentSku: '' }).parentSku, null);
    assert.equal(draftOf(rules, { sku: 'a' }).parentSku, undefined);
  });

  it('ignores fields that begin with _, and refuses others it does not know', () => {
    assert.deepEqual(codes(element({ _row: 1, _code: 'x' })), []);
    assert.deepEqual(codes(element({ Sku: 'b', stuff: 1 })), ['FIELD_INVALID Sku', 'FIELD_INVALID stuff']);
  });

  it('refuses what it does not know in an entry of a list, with the near name', () => {
    const values = element({ attributeValues: [{ name: 'Title', value: 'T', vaule: 'U' }] });
    assert.deepEqual(codes(values), ['FIELD_INVALID attributeValues']);
    assert.match(values.problems?.[0]?.message ?? '', /no member "vaule": did you mean "value"\?/);
    const bundle = element({ type: 'BUNDLE', bundleItems: [{ sku: 'b', quantity: 1, unit: 'kg' }] });
    assert.deepEqual(codes(bundle), ['FIELD_INVALID bundleItems']);
    assert.match(bundle.problems?.[0]?.message ?? '', /no member "unit": an entry has sku and quantity only/);
  });

  it('refuses names that objects inherit', () => {
    const outcome = readElement(
      rules,
      JSON.parse('{"sku":"a","attributes":{"__proto__":"x","constructor":"y"},"toString":1}'),
    );
    assert.deepEqual(codes(outcome), [
      'ATTRIBUTE_NOT_FOUND __proto__',
      'ATTRIBUTE_NOT_FOUND constructor',
      'FIELD_INVALID toString',
    ]);
  });

  it('says of each field what it takes', () => {
    assert.deepEqual(
      codes(element({ nodeName: 5, nodeId: [], parentSku: 1, attributes: 'x', attributeValues: {}, type: 'SET' })),
      [
        'VALUE_TYPE nodeName',
        'VALUE_TYPE nodeId',
        'VALUE_TYPE parentSku',
        'VALUE_TYPE attributes',
        'VALUE_TYPE attributeValues',
        'FIELD_INVALID type',
      ],
    );
    for (const nodeId of [0, -1, 1.5, 1e300, 99])
      assert.deepEqual(codes(element({ nodeId })), ['NODE_NOT_FOUND nodeId']);
    assert.deepEqual(codes(element({ nodeId: 1 })), ['NODE_NOT_LEAF nodeId']);
  });

  it('refuses two categories, and takes one that is named twice', () => {
    assert.deepEqual(codes(element({ nodeName: 'Tape', nodeId: 3 })), ['FIELD_INVALID nodeId']);
    assert.deepEqual(codes(element({ nodeName: 'Tape', nodeId: 4 })), []);
  });

  it('lets the attribute mapped to the SKU say nothing else than the SKU', () => {
    assert.deepEqual(codes(element({ attributes: { Code: 'a' } })), []);
    assert.deepEqual(codes(element({ attributes: { Code: null } })), []);
    assert.deepEqual(codes(element({ attributes: { Code: 'b' } })), ['VALUE_PATTERN Code']);
  });

  it('refuses what is no object', () => {
    for (const other of [null, 5, 'x', true, [], [{ sku: 'a' }]]) {
      assert.deepEqual(codes(readElement(rules, other)), ['ROW_NOT_OBJECT null']);
    }
  });

  it('refuses an element without a SKU, and a SKU that is no text', () => {
    assert.deepEqual(codes(readElement(rules, {})), ['SKU_REQUIRED sku']);
    for (const sku of [null, 5, {}, []]) assert.deepEqual(codes(element({ sku })), ['VALUE_TYPE sku']);
  });
});

describe('keys', () => {
  it('are trimmed and in NFC, and keep their case', () => {
    assert.equal(normalizeSku('\u00a0 Zu\u0308\t'), 'Zü');
    assert.notEqual(normalizeSku('a'), normalizeSku('A'));
  });

  it('are read off an element before anything about it is checked', () => {
    assert.equal(skuOfElement({ sku: ' a ', stuff: 1 }), ' a ');
    for (const other of [{ sku: 5 }, {}, null, 'sku', ['sku']]) assert.equal(skuOfElement(other), null);
  });

  it('may have 255 characters', () => {
    assert.equal(draftOf(rules, { sku: 'x'.repeat(255) }).sku.length, 255);
    assert.deepEqual(codes(readElement(rules, { sku: 'x'.repeat(256) })), ['SKU_TOO_LONG sku']);
  });
});
