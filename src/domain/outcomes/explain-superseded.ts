/** Makes the superseded rows of an input say so if their winning row failed. */

import type { RowFailure } from './model/chunk-result.js';
import { WINNER_FAILED } from './record-errors.js';

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
