/** COPY text of items: what stands in a row, byte for byte. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ItemDocument } from '../../../../../../src/domain/imports/items/item-document.js';
import type { ItemState } from '../../../../../../src/domain/imports/items/resolve/item-state.js';
import { copyRows } from '../../../../../../src/domain/imports/items/write/copy-rows.js';

const SITE = 7;

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

const textOf = (items: readonly ItemState[]): string =>
  Buffer.concat([...copyRows([{ siteId: SITE, items }])].map((piece) => Buffer.from(piece))).toString();

describe('rows of a COPY', () => {
  it('hold every field in the order of the columns', () => {
    const document = ItemDocument.ofObject({ x: 1 });
    const full = item({ sku: 'ü\t\\', status: 'D', parentSku: 'p\n', channels: [1, 20], document, extra: '"n":2' });
    assert.equal(
      textOf([item(), full, item({ extra: '"n":3' })]),
      [
        '7\ta\t3\tL\t\\N\t\\N\t{}\t1\n',
        '7\tü\\t\\\\\t3\tD\tp\\n\t{1,20}\t{"x":1,"n":2}\t1\n',
        '7\ta\t3\tL\t\\N\t\\N\t{"n":3}\t1\n',
      ].join(''),
    );
  });

  it('say every hash and every node as they are', () => {
    const edges = [0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1];
    const billions = fc.integer({ min: 1, max: 9_007_199 }).map((count) => count * 1e9 - 1);
    const hashes = fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat(), fc.nat(), billions);
    fc.assert(
      fc.property(fc.array(fc.tuple(hashes, fc.nat({ max: 2 ** 31 - 1 })), { minLength: 1 }), (pairs) => {
        const rows = pairs.map(([hash, nodeId]) => `7\ta\t${nodeId}\tL\t\\N\t\\N\t{}\t${hash}\n`);
        assert.equal(textOf(pairs.map(([hash, nodeId]) => item({ hash, nodeId }))), rows.join(''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are never cut by the end of a piece, however long they are', () => {
    const skus = fc.array(fc.string({ unit: 'grapheme', size: 'xlarge', maxLength: 30_000 }), { maxLength: 12 });
    const escapes = /[\\\n\r\t]/g;
    const escaped = (text: string) =>
      text.replace(escapes, (found) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[found] ?? '\\\\');
    fc.assert(
      fc.property(skus, (all) => {
        const rows = all.map((sku) => `7\t${escaped(sku)}\t3\tL\t\\N\t\\N\t{}\t1\n`);
        assert.equal(textOf(all.map((sku) => item({ sku }))), rows.join(''));
      }),
      { numRuns: 20 },
    );
  });
});
