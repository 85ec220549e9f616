/** Whatever cells our writer writes, our reader reads the same. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Cell } from '../../../../../../src/domain/formats/xlsx/cell.js';
import { decimalOfNumber } from '../../../../../../src/domain/formats/xlsx/rows/cell-number.js';
import { isStorable } from '../../../../../../src/domain/kernel/characters.js';
import { runsOf } from '../../../../../support/models/property-runs.js';
import { workbookOf } from '../../../../../support/models/written-workbook.js';
import { readWorkbook } from './workbook-fixture.js';

const unit = fc.constantFrom(
  ...[
    'a',
    'B',
    '0',
    '7',
    ' ',
    '\n',
    '\r',
    '\t',
    '"',
    ',',
    ';',
    '&',
    '<',
    '>',
    "'",
    '_',
    'x',
    '_x0041_',
    '_x000D_',
    'ß',
  ],
  ...['–', '日', '😀', '\u0001', '\u001f', '\ufffe', '\uffff', '\u00a0', ']]>', '=', '\\', 'NULL'],
);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit, minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('\u0000', 'a\u0000', '\ud800', '\udc00b', 'x'.repeat(32_767)) },
);
const day = fc.integer({ min: Date.UTC(1900, 2, 1) / 86_400_000, max: Date.UTC(9999, 11, 31) / 86_400_000 });
const date = fc.oneof(
  day.map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
  fc.integer({ min: Date.UTC(1900, 2, 1), max: Date.UTC(9999, 11, 31) }).map((time) => new Date(time).toISOString()),
);
const cell: fc.Arbitrary<Cell> = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer().map((cents) => cents / 100),
  fc.boolean(),
  fc.constant(null),
  date.map((given) => ({ date: given })),
);

/** What the reader makes of a cell; null: the row's problem. */
function expected(given: Cell): string | null {
  if (given === null) return '';
  if (typeof given === 'string') return isStorable(given) ? given : null;
  if (typeof given === 'boolean') return given ? 'TRUE' : 'FALSE';
  if (typeof given === 'object') return 'date' in given ? `<${given.date}>` : null;
  const digits = String(given).split('e')[0]?.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '') ?? '';
  // What is longer is written as a text, for spreadsheet programs would round it.
  return digits.length > 15 ? String(given) : decimalOfNumber(String(given));
}

describe('a workbook written and read again', () => {
  it('has the same cells', async () => {
    const table = fc.integer({ min: 1, max: 4 }).chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
        blockBytes: fc.integer({ min: 1, max: 2_000 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, async ({ columns, rows }) => {
        const header = Array.from({ length: columns }, (_, index) => `Column ${index}`);
        const workbook = await workbookOf(header, [...rows, ['end']]);
        const read = await readWorkbook(workbook);
        assert.deepEqual(read.header, header);
        const wanted = rows.flatMap((cells, index): [number, ...string[]][] => {
          const texts = cells.map(expected);
          if (texts.every((each) => each === '')) return [];
          return [texts.includes(null) ? [index + 2, 'PROBLEM'] : [index + 2, ...(texts as string[])]];
        });
        const got = read.rows
          .slice(0, -1)
          .map((row) => (row[1]?.startsWith('INVALID_TEXT') ? [row[0], 'PROBLEM'] : row));
        assert.deepEqual(got, wanted);
      }),
      { numRuns: runsOf(150) },
    );
  });
});
