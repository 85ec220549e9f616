import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CopyRow, copyTextRows } from '../../../db/copy-text.js';

/** As Postgres writes it. */
function written(rows: readonly CopyRow[]): Buffer {
  const escapes: Record<string, string> = {
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  };
  const cell = (text: string | null) =>
    text === null ? '\\N' : text.replace(/[\\\b\f\n\r\t\v]/g, (one) => escapes[one] ?? one);
  return Buffer.from(rows.map((row) => `${row.map(cell).join('\t')}\n`).join(''));
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the rows of a COPY in text format', () => {
  it('come apart as they were, however they are cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\\', '\t', '\n', '\r', '\v', 'N', ' ') });
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((columns) => fc.array(fc.array(fc.option(text), { minLength: columns, maxLength: columns })));
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        const read: CopyRow[] = [];
        for await (const batch of copyTextRows(pieces(written(rows), size))) read.push(...batch);
        assert.deepEqual(read, rows);
      }),
    );
  });
});
