/** How a step or a chunk fails, and what the status message of its job says about it. */
import type { JobRow } from '../../../../db/models/job.js';
import { FAILURES, type FailedReason, isFailedReason } from './failure-reasons.js';
import type { HowItEnds } from './job-end.js';
import { remainingRows } from './job-end.js';

/** How a step failed. Workers decide which it was. */
export type Failure =
  | { readonly kind: 'error'; readonly reason: Exclude<FailedReason, 'WORKER_DIED'> }
  /** A part of the system does not serve. `lasting`: no step is the reason; the part did not answer afterwards either. */
  | { readonly kind: 'outage'; readonly part: string; readonly lasting: boolean }
  /** The process ended in which nothing else ran. `how`: the signal or the exit code. */
  | { readonly kind: 'death'; readonly how: string };

/** What a failure is unless something else is known about it. */
export const OWN_FAULT: Failure = { kind: 'error', reason: 'INTERNAL_ERROR' };

/** The end of a job of which a chunk has failed permanently; null when none has. @param applied rows that stay */
export function failedEnd(job: Pick<JobRow, 'reason' | 'status_message'>, applied: number): HowItEnds | null {
  const { reason } = job;
  if (!isFailedReason(reason)) return null;
  const cause = job.status_message ?? FAILURES[reason];
  const statusMessage = `${cause}; ${remainingRows(applied)}; send the file again${applied > 0 ? ' to apply the rest' : ''}`;
  return { status: 'FAILED', statusMessage, reason };
}
