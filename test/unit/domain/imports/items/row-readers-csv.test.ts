/** The two readers of the rows of files: whatever stands in a CSV file, both give the same drafts, keys and problems. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvRows } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { WORKBOOK_DELIMITER } from '../../../../../src/domain/formats/model/workbook-column.js';
import type { ReadRow } from '../../../../../src/domain/imports/items/item-batch.js';
import { resolveItemColumns } from '../../../../../src/domain/imports/items/read/item-columns.js';
import type { RowReaderName, SourceRows } from '../../../../../src/domain/imports/rows/row-applier.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { ATTRIBUTES, everything, readAll, rules, TRICKY } from './row-reader-fixture.js';

const HEADER = ['Category Node', 'SKU', 'Parent SKU', ...ATTRIBUTES.map(({ name }) => name), '_note'];

const columns = resolveItemColumns(HEADER, rules, 'upsert');

function sourceOf(bytes: Buffer, delimiter = ','): SourceRows {
  const options = { delimiter, firstRow: 2, headerCells: HEADER };
  const rows = csvRows(bytes, { ...options, columns: HEADER.length, keepMarked: true });
  return { format: 'CSV', rows, source: { bytes, ...options } };
}

function read(name: RowReaderName, bytes: Buffer): ReadRow[] {
  return readAll(name, sourceOf(bytes), columns);
}

const assertAlike = (source: () => SourceRows, message?: string) =>
  assert.deepEqual(everything('fast', source(), columns), everything('plain', source(), columns), message);

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

describe('the readers of CSV rows', () => {
  it('agree on any file', () => {
    fc.assert(
      fc.property(file, fc.boolean(), (text, withoutLastEnd) => {
        const bytes = Buffer.from((withoutLastEnd ? text.replace(/[\r\n]+$/, '') : text).toWellFormed());
        assertAlike(() => sourceOf(bytes));
      }),
      { numRuns: runsOf(3_000) },
    );
  });

  it('agree on every tricky cell in every column', () => {
    for (let column = 0; column < HEADER.length; column++) {
      for (const text of TRICKY) {
        const cells = HEADER.map((_, index) => (index === column ? text : (['Shirts', 'S1'][index] ?? '')));
        const bytes = Buffer.from(
          `${cells.map(quoted).join(',')}\n${cells.map((c) => (/[",\r\n]/.test(c) ? quoted(c) : c)).join(',')}\n`,
        );
        assertAlike(() => sourceOf(bytes), `${HEADER[column]}: ${JSON.stringify(text)}`);
      }
    }
  });

  it('agree on the copies of workbooks, in which only texts are in quotes', () => {
    fc.assert(
      fc.property(file, (text) => {
        const bytes = Buffer.from(text.toWellFormed().replaceAll(',', WORKBOOK_DELIMITER));
        assertAlike(() => sourceOf(bytes, WORKBOOK_DELIMITER));
      }),
      { numRuns: runsOf(300) },
    );
  });

  it('the fast one gives a row of plain cells one hash, quoted or not, and other rows others', () => {
    const hashes = (text: string) => read('fast', Buffer.from(text)).map(({ outcome }) => outcome.draft?.hash);
    const rest = ','.repeat(HEADER.length - 4);
    const [plain, enclosed, other] = hashes(
      `Shirts,S1,,one${rest}\n"Shirts","S1",,"one"${rest}\nShirts,S1,,two${rest}\n`,
    );
    assert.equal(plain, enclosed);
    assert.notEqual(plain, other);
    assert.ok(Number.isSafeInteger(plain));
  });
});
