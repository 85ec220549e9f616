/** The problems of rows that another row has replaced, in the same input or in a later job. */
import type { RowProblem } from '../../kernel/row-problem.js';

/**
 * The problem of a superseded row: another row of the same job has the same key. Whether that row is applied is not
 * known yet, so the message does not say so.
 */
export function duplicateProblem(column: string, winningRow: number, winner: 'first' | 'last'): RowProblem {
  const place = winner === 'first' ? 'comes first' : 'comes later';
  const message = `row ${winningRow} has the same key and ${place}, and the ${winner} row with a key wins; remove one of the two rows`;
  return { code: 'SKU_DUPLICATE_IN_REQUEST', column, message, winningRow };
}

/** What a row of a retry would overwrite: somebody has changed it since the retried job had ended. */
export interface LaterChange {
  readonly at: Date;
  readonly how: 'changed' | 'deleted';
}

/** The problem of a row of a retry that is older than what it would change. @param jobId of the retried job */
export function outdatedProblem(
  what: 'item' | 'attribute' | 'category',
  { at, how }: LaterChange,
  jobId = '',
): RowProblem {
  const message = `the ${what} was ${how} at ${at.toISOString()}, after job ${jobId} had ended, and this row is older; leave it as it is, or retry the job with "force": true to apply the row all the same`;
  return { code: 'ROW_SUPERSEDED', column: null, message };
}
