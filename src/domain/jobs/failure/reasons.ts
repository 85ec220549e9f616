/** Why a job is FAILED, and what its status message says about it. */
import type { Failure } from '../model/failure.js';

type Reason = Extract<Failure, { kind: 'error' }>['reason'] | 'WORKER_DIED';

export const FAILURES = {
  INTERNAL_ERROR: 'we could not finish the job',
  FILE_MISSING: 'we could not finish the job, because a file that it needs is no longer in the file store',
  WORKER_DIED: 'the job was stopped, because it ended the process that executed it',
} as const satisfies Record<Reason, string>;
export type FailedReason = keyof typeof FAILURES;

export function isFailedReason(reason: string | null): reason is FailedReason {
  return reason !== null && reason in FAILURES;
}
