import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ExportRefused } from '../../../../../src/domain/exports/write/export-refused.js';
import { writeWorkbook } from '../../../../../src/domain/exports/write/write-workbook.js';
import type { Cell } from '../../../../../src/domain/formats/xlsx/cell.js';

const ROWS_A_BATCH = 1_000;
/** One row of the sheet is the header's. */
const MOST_ROWS = 1_048_575;
const MOST_COLUMNS = 16_384;

/** Rows without anything in them. */
async function* emptyRows(count: number): AsyncGenerator<Cell[][]> {
  const row: Cell[] = [];
  const batch = Array.from({ length: ROWS_A_BATCH }, () => row);
  for (let left = count; left > 0; left -= ROWS_A_BATCH) yield left < ROWS_A_BATCH ? batch.slice(0, left) : batch;
}

async function write(header: readonly string[], rows: AsyncIterable<Cell[][]>): Promise<void> {
  await writeWorkbook(new PassThrough().resume(), header, rows, new AbortController().signal);
}

function refusal(reason: string, message: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ExportRefused, String(error));
    assert.equal(error.reason, reason);
    assert.match(error.message, message);
    return true;
  };
}

describe('writeWorkbook', function () {
  this.timeout(30_000);

  it('writes as many rows as a sheet holds below its header, and refuses one more', async () => {
    await write(['SKU'], emptyRows(MOST_ROWS));
    const advice = /^A spreadsheet holds 1048576 rows at most, its header included\. Export CSV or JSONL instead\.$/;
    await assert.rejects(write(['SKU'], emptyRows(MOST_ROWS + 1)), refusal('TOO_MANY_ROWS', advice));
  });

  it('writes as many columns as a sheet has, and refuses one more', async () => {
    const header = Array.from({ length: MOST_COLUMNS }, (_, index) => `Column ${index}`);
    await write(header, emptyRows(1));
    const advice = /at most 16384 columns, and these rows have 16385\. Export CSV or JSONL instead\.$/;
    await assert.rejects(write([...header, 'One more'], emptyRows(1)), refusal('TOO_MANY_COLUMNS', advice));
  });

  it('refuses a text that is longer than a cell, naming row and column', async () => {
    const rows = async function* (characters: number): AsyncGenerator<Cell[][]> {
      yield [['a'], ['x'.repeat(characters)]];
    };
    await write(['Title'], rows(32_767));
    const place = /Row 3, column "Title": the text has 32768 characters/;
    await assert.rejects(write(['Title'], rows(32_768)), refusal('CELL_TOO_LONG', place));
  });
});
