/** The problems of rows that another row has replaced, in the same input or in a later job. */

import type { RowProblem } from '../../kernel/row-problem.js';
import type { RowFailure } from './chunk-result.js';

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

/** The message of a superseded row whose winning row failed. `{row}` stands for that row, `{place}` for where it is. */
export const WINNER_FAILED =
  'row {row} has the same key and comes {place}; it failed, so nothing of either was applied; correct row {row}, or remove it';

/** The failures of all rows of a job, where each superseded row says so if its winning row failed. */
export function explainSuperseded(failures: readonly RowFailure[]): RowFailure[] {
  const failed = new Set(failures.map(({ row }) => row));
  return failures.map((failure) => {
    const [problem] = failure.problems;
    const winner = problem?.winningRow;
    if (problem === undefined || winner === undefined || !failed.has(winner)) return failure;
    const place = winner > failure.row ? 'later' : 'first';
    const message = WINNER_FAILED.replaceAll('{row}', String(winner)).replace('{place}', place);
    return { ...failure, problems: [{ ...problem, message }] };
  });
}
