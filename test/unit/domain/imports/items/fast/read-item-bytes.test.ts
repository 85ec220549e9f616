/** The reader of bytes against the readers of strings: whatever stands in a file, both say the same. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvRows } from '../../../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { ItemBytesReader } from '../../../../../../src/domain/imports/items/fast/read-item-bytes.js';
import type { ReadRow } from '../../../../../../src/domain/imports/items/item-batch.js';
import { DraftBuilder } from '../../../../../../src/domain/imports/items/read/draft-builder.js';
import { resolveItemColumns } from '../../../../../../src/domain/imports/items/read/item-columns.js';
import { itemCellReader } from '../../../../../../src/domain/imports/items/read/read-item-cells.js';
import { ATTRIBUTES, rules, TRICKY, told } from './byte-reader-fixture.js';

const HEADER = ['Category Node', 'SKU', 'Parent SKU', ...ATTRIBUTES.map(({ name }) => name), '_note'];

const columns = resolveItemColumns(HEADER, rules, 'upsert');

function readBytes(bytes: Buffer): ReadRow[] {
  const source = { bytes, delimiter: ',', firstRow: 2, headerCells: HEADER };
  const reader = new ItemBytesReader(source, new DraftBuilder(rules), columns, 1);
  const read: ReadRow[] = [];
  while (reader.readSome(read, 3));
  return read;
}

function readStrings(bytes: Buffer): ReadRow[] {
  const readRow = itemCellReader(new DraftBuilder(rules), columns, 1);
  const options = { delimiter: ',', columns: HEADER.length, firstRow: 2, headerCells: HEADER };
  return [...csvRows(bytes, options)].map((row) => ({ row: row.row, outcome: readRow(row) }));
}

const cell = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TRICKY) }, { weight: 1, arbitrary: fc.string() });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const written = fc
  .tuple(cell, fc.boolean())
  .map(([text, quote]) => (quote || /[",\r\n]/.test(text) ? quoted(text) : text));
const record = fc
  .array(written, { minLength: HEADER.length, maxLength: HEADER.length })
  .map((cells) => cells.join(','));
const raggedRecord = fc.array(written, { maxLength: HEADER.length + 2 }).map((cells) => cells.join(','));
const stray = record.map((line) => line.replace(',', ',"stray" quote,'));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
const file = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: record },
        { weight: 1, arbitrary: raggedRecord },
        { weight: 1, arbitrary: stray },
      ),
      lineEnd,
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((lines) => lines.map(([line, end]) => line + end).join(''));

describe('the reader of item bytes', () => {
  it('says of any file what the readers of strings say', () => {
    fc.assert(
      fc.property(file, fc.boolean(), (text, withoutLastEnd) => {
        const bytes = Buffer.from((withoutLastEnd ? text.replace(/[\r\n]+$/, '') : text).toWellFormed());
        assert.deepEqual(told(readBytes(bytes)), told(readStrings(bytes)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('says of every tricky cell in every column what the readers of strings say', () => {
    for (let column = 0; column < HEADER.length; column++) {
      for (const text of TRICKY) {
        const cells = HEADER.map((_, index) => (index === column ? text : (['Shirts', 'S1'][index] ?? '')));
        const bytes = Buffer.from(
          `${cells.map(quoted).join(',')}\n${cells.map((c) => (/[",\r\n]/.test(c) ? quoted(c) : c)).join(',')}\n`,
        );
        assert.deepEqual(
          told(readBytes(bytes)),
          told(readStrings(bytes)),
          `${HEADER[column]}: ${JSON.stringify(text)}`,
        );
      }
    }
  });

  it('gives a row of plain cells one hash, quoted or not, and other rows others', () => {
    const hashes = (text: string) => readBytes(Buffer.from(text)).map(({ outcome }) => outcome.draft?.hash);
    const rest = ','.repeat(HEADER.length - 4);
    const [plain, enclosed, other] = hashes(
      `Shirts,S1,,one${rest}\n"Shirts","S1",,"one"${rest}\nShirts,S1,,two${rest}\n`,
    );
    assert.equal(plain, enclosed);
    assert.notEqual(plain, other);
    assert.ok(Number.isSafeInteger(plain));
  });
});
