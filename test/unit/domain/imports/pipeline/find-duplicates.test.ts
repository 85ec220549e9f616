import assert from 'node:assert/strict';
import fc from 'fast-check';
import { skuOfElement } from '../../../../../src/domain/catalog/items/item-key.js';
import { parseJsonRow } from '../../../../../src/domain/formats/json/json-rows.js';
import { KeyTracker } from '../../../../../src/domain/imports/pipeline/find-duplicates.js';

function losersOf(skus: readonly unknown[], winner: 'first' | 'last'): [number, number][] {
  const keys = new KeyTracker({ keyOf: skuOfElement, normaliseKey: (key) => key.trim(), winner });
  const rows = skus.map((sku, index) => ({ row: index + 1, text: '', element: { sku }, problem: null }));
  assert.deepEqual([...keys.track(rows)], rows, 'the rows pass on as they are');
  return [...keys.superseded()].sort(([a], [b]) => a - b);
}

describe('rows of a request that share a key', () => {
  it('lose to the last, or to the first', () => {
    assert.deepEqual(losersOf(['a', 'b', ' a ', 'a'], 'last'), [
      [1, 4],
      [3, 4],
    ]);
    assert.deepEqual(losersOf(['a', 'b', ' a ', 'a'], 'first'), [
      [3, 1],
      [4, 1],
    ]);
  });

  it('are none when they have no key', () => {
    assert.deepEqual(losersOf(['', ' ', 5, null, undefined, 5], 'last'), []);
  });

  it('leave one standing of each key, whatever the rows', () => {
    const keys = fc.array(fc.constantFrom('a', 'b ', ' b', 'c', '', 7), { maxLength: 30 });
    fc.assert(
      fc.property(keys, fc.constantFrom('first' as const, 'last' as const), (skus, winner) => {
        const superseded = new Map(losersOf(skus, winner));
        const rowsByKey = new Map<string, number[]>();
        skus.forEach((sku, index) => {
          const key = typeof sku === 'string' ? sku.trim() : '';
          if (key !== '') rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), index + 1]);
        });
        const expected = new Map<number, number>();
        for (const rows of rowsByKey.values()) {
          const stands = winner === 'first' ? rows[0] : rows.at(-1);
          for (const row of rows) if (row !== stands && stands !== undefined) expected.set(row, stands);
        }
        assert.deepEqual([...superseded].sort(), [...expected].sort());
      }),
    );
  });

  it('are found alike in the bytes of lines, however those are written', async () => {
    const text = fc.constantFrom('a', 'b ', 'ä', '\\u0061', 'sku', 'a\\"b', '');
    const line = fc.oneof(
      text.map((sku) => `{"sku":"${sku}"}`),
      fc.tuple(text, text).map(([sku, title]) => `{ "attributes" : {"sku":"${title}"}, "sku" : "${sku}" }`),
      fc.tuple(text, text).map(([sku, other]) => `{"sku":"${other}","sku":"${sku}"}`),
      fc.constantFrom('7', '[{"sku":"a"}]', '{"sku":7}', '{"x":["sku","a"]}', '{"SKU":"a"}', 'null'),
    );
    const lines = fc.array(line, { maxLength: 12 });
    const property = fc.asyncProperty(
      lines,
      fc.constantFrom('first' as const, 'last' as const),
      async (rows, winner) => {
        const kind = { keyOf: skuOfElement, normaliseKey: (key: string) => key.trim(), winner };
        const [byBytes, byElements] = [new KeyTracker(kind), new KeyTracker(kind)];
        await byBytes.trackLines(Buffer.from(rows.join('\n')), 'sku');
        // A row that gives its SKU twice has none.
        const elements = rows.map((row, index) => parseJsonRow(index + 1, row));
        for (const _ of byElements.track(elements));
        assert.deepEqual([...byBytes.superseded()].sort(), [...byElements.superseded()].sort());
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });
});
