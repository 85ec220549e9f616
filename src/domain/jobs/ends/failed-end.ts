/** Ends a job of which a chunk has failed permanently. */
import type { JobRow } from '../../../../db/models/job.js';
import { FAILURES, isFailedReason } from '../failure/reasons.js';
import type { HowItEnds } from '../model/job-end.js';

/** The end of a job of which a chunk has failed permanently; null when none has. @param applied rows that stay */
export function failedEnd(job: Pick<JobRow, 'reason' | 'status_message'>, applied: number): HowItEnds | null {
  const { reason } = job;
  if (!isFailedReason(reason)) return null;
  const cause = job.status_message ?? FAILURES[reason];
  const statusMessage = `${cause}; ${remainingRows(applied)}; send the file again${applied > 0 ? ' to apply the rest' : ''}`;
  return { status: 'FAILED', statusMessage, reason };
}

/** What the end of a job that did not reach its last row says of those before. */
export function remainingRows(applied: number): string {
  if (applied === 0) return 'no row was applied before';
  return applied === 1 ? 'the row applied before remains' : `the ${applied} rows applied before remain`;
}
