/** Why jobs are FAILED, and what their status messages say about it. */

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
