/** The failed rows of a file with a profile, each with what its source holds. */
import type { Db } from '../../../../db/connection.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { failedByChunk } from './failed-chunks.js';

/** A failed row; `source` is what the reader of the source has made of it. */
export interface FailedRow<Source> {
  readonly row: number;
  readonly source: Source;
  readonly problems: readonly RowProblem[];
}

/** How the rows of a source are read; they are asked for in ascending order. */
export interface SourceReader<Source> {
  rowOf(row: number): Promise<Source>;
  /** The next row that is not blank behind the one that was read last; undefined at the end. */
  next(): Promise<{ readonly row: number; readonly source: Source } | undefined>;
  /** Whether a row continues one above it, so that the two go in again together. */
  continues(above: Source, source: Source): boolean;
}

/**
 * The failed rows in order, each with those that continue it, which have no problems.
 * @returns a row that was read and is not among them
 */
export async function* failedRowGroups<Source>(
  db: Db,
  jobId: string,
  reader: SourceReader<Source>,
): AsyncGenerator<FailedRow<Source>, Source | undefined> {
  let ahead: { readonly row: number; readonly source: Source } | undefined;
  const rowOf = async (row: number) => (ahead?.row === row ? ahead.source : await reader.rowOf(row));
  for await (const failed of failedSourceRows(db, jobId, rowOf)) {
    yield failed;
    ahead = await reader.next();
    while (ahead !== undefined && reader.continues(failed.source, ahead.source)) {
      yield { ...ahead, problems: [] };
      ahead = await reader.next();
    }
  }
  return ahead?.source;
}

/**
 * The failed rows in order.
 * @param rowOf reads a row of the source; it is asked in ascending order
 */
export async function* failedSourceRows<Source>(
  db: Db,
  jobId: string,
  rowOf: (row: number) => Promise<Source>,
): AsyncGenerator<FailedRow<Source>> {
  for await (const { failed } of failedByChunk(db, jobId)) {
    for (const [row, problems] of failed) yield { row, source: await rowOf(row), problems };
  }
}
