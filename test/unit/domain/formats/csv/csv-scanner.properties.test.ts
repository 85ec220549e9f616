/** The scanner against a slow reader of the same dialect: whatever bytes come, both find the same records and cells. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CsvScanner } from '../../../../../src/domain/formats/csv/csv-scanner.js';
import { parseCsvChunk } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { RejectedInput } from '../../../../../src/domain/formats/model/rejected-input.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { referenceRows } from './reference-csv.js';

const text = fc.string({
  unit: fc.constantFrom('"', '"', ',', ';', '\n', '\r', 'a', 'ü', '€', '😀', ' '),
  maxLength: 60,
});
const LIMITS = { maxCellBytes: 1_000_000, maxColumns: 1_000 };

describe('the CSV scanner', () => {
  it('reads any text as a reader of one character at a time does', () => {
    const property = fc.property(text, fc.constantFrom(',', ';'), (given, delimiter) => {
      const expected = referenceRows(given, delimiter, 2);
      const read = () => parseCsvChunk(Buffer.from(given), { delimiter, columns: 3, firstRow: 2 });
      if (expected === null) {
        assert.throws(read, (error) => error instanceof RejectedInput && error.reason === 'UNCLOSED_QUOTE');
        return;
      }
      const codeOf = ({ cells, strayCell }: { cells: readonly string[]; strayCell: number }) => {
        if (strayCell >= 0) return 'INVALID_TEXT';
        return cells.length === 3 ? null : 'ROW_FIELD_COUNT';
      };
      assert.deepEqual(
        read().map(({ row, cells, problem }) => ({ row, cells, code: problem?.code ?? null })),
        expected.map((one) => ({ row: one.row, cells: one.cells, code: codeOf(one) })),
      );
    });
    fc.assert(property, { numRuns: runsOf(5_000) });
  });

  it('finds by its search what it finds by its cells, wherever the bytes are cut', () => {
    const property = fc.property(text, fc.nat({ max: 60 }), fc.nat({ max: 3 }), (given, cutAt, keyColumn) => {
      if (referenceRows(given, ',', 1) === null) return;
      const bytes = Buffer.from(given);
      const searching = new CsvScanner(0x2c, keyColumn, LIMITS);
      const walking = new CsvScanner(0x2c, -1, LIMITS);
      const cut = bytes.subarray(0, Math.min(cutAt, bytes.length));
      for (let at = 0, row = 1; at < bytes.length; row++) {
        // A record that the cut ends is read again when all of it is there.
        searching.attach(cut);
        const isWhole = at < cut.length && searching.read(at, false, row);
        if (!isWhole) {
          searching.attach(bytes);
          assert.ok(searching.read(at, true, row));
        }
        walking.attach(bytes);
        assert.ok(walking.readCells(at, true, row));
        assert.deepEqual([searching.stop, searching.next], [walking.stop, walking.next]);
        const form = keyColumn < walking.cells ? (walking.forms[keyColumn] as number) : 2;
        assert.equal(searching.keyForm, ['plain', 'escaped', 'none'][form]);
        if (form < 2) {
          const place = [walking.starts[keyColumn], walking.ends[keyColumn]];
          assert.deepEqual([searching.keyStart, searching.keyEnd], place);
        }
        at = walking.next;
      }
    });
    fc.assert(property, { numRuns: runsOf(5_000) });
  });
});
