/** Opens files held in memory as tables. */
import assert from 'node:assert/strict';
import { RejectedInput, type RejectReason } from '../../../../../src/domain/formats/model/rejected-input.js';
import { openTable } from '../../../../../src/domain/formats/table/open-table.js';
import type { OpenTable, TableOptions, TableRow } from '../../../../../src/domain/formats/table/table.js';
import { type FixtureOptions, sourceInput } from '../source-fixture.js';

export interface ReadTable extends Omit<OpenTable, 'batches'> {
  readonly rows: TableRow[];
}

export async function readTable(
  upload: Buffer | string,
  options: TableOptions = {},
  input: FixtureOptions = {},
): Promise<ReadTable> {
  const { batches, ...head } = await openTable(sourceInput(Buffer.from(upload), input), options);
  const rows: TableRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return { ...head, rows };
}

/** The number and the cells of each row; of a row with a problem, its code and message. */
export function shownRows({ rows }: ReadTable): [number, ...string[]][] {
  return rows.map(({ row, cells, problem }) =>
    problem === null ? [row, ...cells] : [row, `${problem.code}: ${problem.message}`],
  );
}

export async function assertNotATable(
  upload: Buffer | string,
  reason: RejectReason,
  message: RegExp,
  options: TableOptions = {},
  input: FixtureOptions = {},
): Promise<void> {
  await assert.rejects(readTable(upload, options, input), (error: unknown) => {
    if (!(error instanceof RejectedInput)) throw error;
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    return true;
  });
}
