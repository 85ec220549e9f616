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
