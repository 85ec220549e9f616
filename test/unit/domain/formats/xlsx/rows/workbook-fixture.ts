/** Plans workbooks held in memory. */
import assert from 'node:assert/strict';
import { RejectedInput, type RejectReason } from '../../../../../../src/domain/formats/model/rejected-input.js';
import type { WorkbookColumn } from '../../../../../../src/domain/formats/model/workbook-column.js';
import { csvRows, type FixtureOptions, plan } from '../../source-fixture.js';

/** Columns that show what cells hold: dates as `<…>`. */
export const OPEN_COLUMN: WorkbookColumn = { kind: 'other', decimalSeparator: '.', writeDate: (date) => `<${date}>` };

export interface ReadWorkbook {
  readonly header: readonly string[];
  /** Row number and cells; a row with a problem has its code and message. */
  readonly rows: [number, ...string[]][];
}

export async function readWorkbook(workbook: Buffer, options: FixtureOptions = {}): Promise<ReadWorkbook> {
  const planned = await plan(workbook, {
    format: 'XLSX',
    workbookColumns: (header) => header.map(() => OPEN_COLUMN),
    ...options,
  });
  const rows = csvRows(planned).map(({ row, cells, problem }): [number, ...string[]] =>
    problem === null ? [row, ...cells] : [row, `${problem.code}: ${problem.message}`],
  );
  return { header: planned.plan.headerCells ?? [], rows };
}

export async function assertRefused(
  workbook: Buffer,
  reason: RejectReason,
  message: RegExp,
  options: FixtureOptions = {},
): Promise<void> {
  await assert.rejects(readWorkbook(workbook, options), (error: unknown) => {
    if (!(error instanceof RejectedInput)) throw error;
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  });
}
