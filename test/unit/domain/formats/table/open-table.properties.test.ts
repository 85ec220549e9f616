/** What holds of every text that is opened as a table. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseCsvChunk } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { RejectedInput } from '../../../../../src/domain/formats/model/rejected-input.js';
import type { TableOptions, TableRow } from '../../../../../src/domain/formats/table/table.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { csvRows, plan } from '../source-fixture.js';
import { readTable } from './table-fixture.js';

/** Blocks from a byte to 64 KiB, the small ones often. */
const blockBytes = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 17, max: 65_536 }));
const mangled = fc.string({
  unit: fc.constantFrom('"', ',', ',', '\n', '\r', 'a', 'b', ' ', 'ä', '漢', "'"),
  maxLength: 80,
});
const HEADER = 'one,two,three\n';

type Found = Pick<TableRow, 'row' | 'cells' | 'problem'>[] | string;

/** The rows of a text below the header, or why it is refused. */
async function found(text: string, options: TableOptions, block: number): Promise<Found> {
  try {
    const { rows } = await readTable(text, options, { blockBytes: block });
    return rows.map(({ row, cells, problem }) => ({ row, cells, problem }));
  } catch (error) {
    if (error instanceof RejectedInput) return error.message;
    throw error;
  }
}

function parsed(text: string): Found {
  const form = { delimiter: ',', columns: 3, headerCells: ['one', 'two', 'three'] };
  try {
    return parseCsvChunk(Buffer.from(text), { ...form, firstRow: 2 }).map(({ row, cells, problem }) => ({
      row,
      cells,
      problem,
    }));
  } catch (error) {
    if (error instanceof RejectedInput) return error.message;
    throw error;
  }
}

describe('any text that is opened as a table', () => {
  it('has the cells, the row numbers and the problems of an import, in blocks of any size', async () => {
    const property = fc.asyncProperty(mangled, blockBytes, async (text, block) => {
      assert.deepEqual(await found(HEADER + text, {}, block), parsed(text));
    });
    await fc.assert(property, { numRuns: runsOf(1500) });
  });

  it('has the same rows as the plan of an import, when it has any', async () => {
    const property = fc.asyncProperty(mangled, blockBytes, async (text, block) => {
      const asTable = await found(HEADER + text, {}, block);
      try {
        const planned = csvRows(await plan(HEADER + text, { blockBytes: block }));
        assert.deepEqual(
          planned.map(({ row, cells }) => [row, cells]),
          typeof asTable === 'string' ? asTable : asTable.map(({ row, cells }) => [row, cells]),
        );
      } catch (error) {
        if (!(error instanceof RejectedInput)) throw error;
        assert.deepEqual(asTable, error.reason === 'NO_ROWS' ? [] : error.message);
      }
    });
    await fc.assert(property, { numRuns: runsOf(300) });
  });

  it('has the same cells with apostrophes and quotes exchanged when its quote is an apostrophe', async () => {
    const exchanged = (text: string): string => text.replace(/["']/g, (mark) => (mark === '"' ? "'" : '"'));
    const property = fc.asyncProperty(mangled, blockBytes, async (text, block) => {
      const single = await found(HEADER + exchanged(text), { quote: "'" }, block);
      assert.deepEqual(JSON.parse(JSON.stringify(single)), JSON.parse(exchangedInJson(parsed(text))));
    });
    const exchangedInJson = (rows: Found): string =>
      JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? exchanged(value) : value));
    await fc.assert(property, { numRuns: runsOf(500) });
  });

  it('is divided by its delimiters and line ends alone when it has no quotes', async () => {
    const property = fc.asyncProperty(mangled, blockBytes, async (text, block) => {
      const rows = await found(HEADER + text, { quote: '' }, block);
      const lines = text.split(/\r\n|\r|\n/);
      const expected = lines.flatMap((line, index) =>
        /^,*$/.test(line) ? [] : [{ row: index + 2, cells: line.split(',') }],
      );
      assert.ok(typeof rows !== 'string', String(rows));
      assert.deepEqual(
        rows.map(({ row, cells }) => ({ row, cells })),
        expected,
      );
      for (const { cells, problem } of rows)
        assert.equal(problem?.code, cells.length === 3 ? undefined : 'ROW_FIELD_COUNT');
    });
    await fc.assert(property, { numRuns: runsOf(500) });
  });

  it('has the same rows below title lines, and without rows at its ends', async () => {
    const title = fc.string({ unit: fc.constantFrom('a', ' ', ';', ',', '|'), maxLength: 10 });
    const property = fc.asyncProperty(
      mangled,
      fc.array(title, { maxLength: 4 }),
      fc.nat(4),
      fc.nat(4),
      blockBytes,
      async (text, titles, skipFirst, skipLast, block) => {
        const all = parsed(text);
        if (typeof all === 'string') return;
        const above = titles.map((line) => `${line}\n`).join('');
        const options = { headerRow: titles.length + 1, delimiter: ',', skipFirst, skipLast };
        const { rows, titleLines } = await readTable(above + HEADER + text, options, { blockBytes: block });
        assert.deepEqual(titleLines, titles);
        const kept = all.slice(skipFirst, Math.max(skipFirst, all.length - skipLast));
        assert.deepEqual(
          rows.map(({ row, cells }) => [row - titles.length, cells]),
          kept.map(({ row, cells }) => [row, cells]),
        );
      },
    );
    await fc.assert(property, { numRuns: runsOf(500) });
  });
});
