/** The rows of a binary COPY of items: what stands in them, byte for byte. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ItemDocument } from '../../../../../../src/domain/imports/items/item-document.js';
import type { ItemState } from '../../../../../../src/domain/imports/items/resolve/item-state.js';
import { copyRows, PieceMemory } from '../../../../../../src/domain/imports/items/write/copy-rows.js';

const SITE = 7;
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1').toString('hex');

function item(fields: Partial<ItemState> = {}): ItemState {
  const plain = { sku: 'a', type: 'I', nodeId: 3, status: 'L', parentSku: null, channels: null } as const;
  return {
    ...plain,
    document: ItemDocument.ofObject({}),
    extra: '',
    hash: 1,
    place: null,
    components: null,
    ...fields,
  };
}

const bytesOf = (items: readonly ItemState[], type: string | null = null): Buffer =>
  Buffer.concat([...copyRows([{ siteId: SITE, items }], new PieceMemory(), type)].map((piece) => Buffer.from(piece)));

/** The values of each row, as they are sent; null is NULL. */
function valuesOf(bytes: Buffer): (Buffer | null)[][] {
  assert.equal(bytes.subarray(0, 19).toString('hex'), HEADER);
  const rows: (Buffer | null)[][] = [];
  let at = 19;
  for (let columns = bytes.readInt16BE(at); columns !== -1; columns = bytes.readInt16BE(at)) {
    at += 2;
    const row: (Buffer | null)[] = [];
    for (; columns > 0; columns--) {
      const length = bytes.readInt32BE(at);
      at += 4;
      row.push(length === -1 ? null : bytes.subarray(at, at + length));
      at += Math.max(0, length);
    }
    rows.push(row);
  }
  assert.equal(at + 2, bytes.length, 'something follows the end');
  return rows;
}

/** As a person reads them. */
function shown(row: readonly (Buffer | null)[]): unknown[] {
  const [site, sku, node, status, parent, channels, attributes, hash] = row;
  assert.equal(row.length, 8);
  assert.equal(attributes?.[0], 1, 'the version of jsonb');
  return [
    site?.readInt32BE(),
    String(sku),
    node?.readInt32BE(),
    String(status),
    parent === null ? null : String(parent),
    channels?.toString('hex') ?? null,
    String(attributes?.subarray(1)),
    Number(hash?.readBigInt64BE()),
  ];
}

const rowsOf = (items: readonly ItemState[]): unknown[][] => valuesOf(bytesOf(items)).map(shown);

describe('rows of a COPY', () => {
  it('hold every field in the order of the columns', () => {
    const document = ItemDocument.ofObject({ x: 1, y: '\\"\n' });
    const full = item({ sku: 'ü\t\\', status: 'D', parentSku: 'p\n', channels: [1, 20], document, extra: '"n":2' });
    // One dimension of integers, which has two of them, beginning with 1.
    const channels = '00000001 00000000 00000017 00000002 00000001 00000004 00000001 00000004 00000014';
    assert.deepEqual(rowsOf([item(), full, item({ extra: '"n":3', channels: [] })]), [
      [7, 'a', 3, 'L', null, null, '{}', 1],
      [7, 'ü\t\\', 3, 'D', 'p\n', channels.replaceAll(' ', ''), '{"x":1,"y":"\\\\\\"\\n","n":2}', 1],
      [7, 'a', 3, 'L', null, '000000000000000000000017', '{"n":3}', 1],
    ]);
  });

  it('begin with the type of the items where it is not the usual one', () => {
    const [row] = valuesOf(bytesOf([item()], 'B'));
    assert.equal(String(row?.[0]), 'B');
    assert.deepEqual(shown(row?.slice(1) ?? []), [7, 'a', 3, 'L', null, null, '{}', 1]);
  });

  it('say every hash and every node as they are', () => {
    const edges = [0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
    const billions = fc.integer({ min: 1, max: 9_007_199 }).map((count) => count * 1e9 - 1);
    const hashes = fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat(), fc.nat(), billions);
    fc.assert(
      fc.property(fc.array(fc.tuple(hashes, fc.nat({ max: 2 ** 31 - 1 })), { minLength: 1 }), (pairs) => {
        const rows = pairs.map(([hash, nodeId]) => [7, 'a', nodeId, 'L', null, null, '{}', hash]);
        assert.deepEqual(rowsOf(pairs.map(([hash, nodeId]) => item({ hash, nodeId }))), rows);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are never cut by the end of a piece, however long they are', () => {
    const texts = fc.string({ unit: 'grapheme', size: 'xlarge', maxLength: 30_000 });
    const some = fc.record({
      sku: texts,
      parentSku: fc.option(fc.string({ unit: 'grapheme', maxLength: 3_000 })),
      channels: fc.option(fc.array(fc.nat({ max: 2 ** 31 - 1 }), { maxLength: 9_000 })),
      document: fc.string({ maxLength: 3_000 }).map((x) => ItemDocument.ofObject({ x })),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), (all) => {
        const read = rowsOf(all.map(item)).map(([, sku, , , parent, channels, attributes]) => [
          sku,
          parent,
          channels === null ? null : (String(channels).length - 24) / 16,
          attributes,
        ]);
        const wanted = all.map(({ sku, parentSku, channels, document }) => {
          // An array that is not empty has a dimension besides, which is as long as an element.
          const elements = channels === null ? null : channels.length + Math.min(channels.length, 1);
          return [sku, parentSku, elements, document.toJson()];
        });
        assert.deepEqual(read, wanted);
      }),
      { numRuns: 20 },
    );
  });
});
