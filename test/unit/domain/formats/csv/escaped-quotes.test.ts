/** Texts with a backslash before quotes are read as those in which quotes are doubled, wherever they are cut into blocks. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { escapedCell, withoutEscapes } from '../../../../../src/domain/formats/csv/escaped-quotes.js';
import { parseCsvChunk } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';

const cell = fc
  .array(fc.constantFrom('"', '\\', ',', '\n', 'a', 'ü', ' ', ';', 'N', '😀', "'"), { maxLength: 6 })
  .map((parts) => parts.join(''));

async function read(text: string, cuts: readonly number[], quote: '"' | "'" = '"'): Promise<string> {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  async function* blocks(): AsyncGenerator<Buffer> {
    for (const [index, end] of at.slice(1).entries()) yield bytes.subarray(at[index], end);
  }
  const pieces: Buffer[] = [];
  for await (const piece of withoutEscapes(blocks(), { escape: '\\', quote, delimiter: ',' })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('texts with a backslash before quotes', () => {
  it('have the cells that were written, with either quote', async () => {
    const rows = fc.array(fc.array(cell, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(fc.nat()),
        fc.constantFrom('"' as const, "'" as const),
        async (rest, cuts, quote) => {
          // Rows of nothing are left out.
          const given = rest.map((cells) => ['a', ...cells]);
          const text = given.map((cells) => `${cells.map((one) => escapedCell(one, quote)).join(',')}\n`).join('');
          const form = { delimiter: ',', quote, columns: -1, firstRow: 1 };
          const found = parseCsvChunk(Buffer.from(await read(text, cuts, quote)), form);
          assert.deepEqual(
            found.map(({ cells }) => cells),
            given,
          );
        },
      ),
    );
  });

  it('keep what is no escape: backslashes before other characters, and those in cells without quotes', async () => {
    for (const cuts of [[], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
      assert.equal(await read('a\\"b,5"" c,\\N\n"x\\y","a""b",""\n', cuts), 'a\\"b,5"" c,\\N\n"x\\y","a""b",""\n');
      assert.equal(await read('"a\\\nb","\\"","c\\', cuts), '"a\nb","""","c\\');
    }
  });
});
