/** How a step or a chunk fails, and what the status message of its job says about it. */
import type { JobRow } from '../../../../db/models/job.js';
import { type HowItEnds, remainingRows } from './job-end.js';

/** Why a job is FAILED, and what its status message says about it. */
export const FAILURES = {
  INTERNAL_ERROR: 'we could not finish the job',
  FILE_MISSING: 'we could not finish the job, because a file that it needs is no longer in the file store',
  WORKER_DIED: 'the job was stopped, because it ended the process that executed it',
} as const;
export type FailedReason = keyof typeof FAILURES;

export function isFailedReason(reason: string | null): reason is FailedReason {
  return reason !== null && reason in FAILURES;
}

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
