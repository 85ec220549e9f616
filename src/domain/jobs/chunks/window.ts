/** Limits how many chunks of a job are on the queue at once: enough to keep workers busy, few enough to be fair. */
import { invariant } from '../../kernel/invariant.js';

/** Chunks that are on the queue. */
export interface Dispatched {
  readonly ofJob: number;
  readonly ofSite: number;
}

/** The most chunks on the queue at once: per job, and per site (except that every job may have one). */
export const WINDOW: Dispatched = { ofJob: 6, ofSite: 12 };

/** How many further chunks the window has room for: at least one, so that no job waits for other jobs of its site to end. */
export function room({ ofJob, ofSite }: Dispatched, window: Dispatched = WINDOW): number {
  return Math.max(1, Math.min(window.ofJob - ofJob, window.ofSite - ofSite));
}

/**
 * Asserts that no more chunks were dispatched than the window has room for; one chunk is always allowed.
 * @param before the chunks on the queue without them
 * @throws InvariantViolation
 */
export function checkWindow(jobId: string, before: Dispatched, dispatched: number, window = WINDOW): void {
  const fits = before.ofJob + dispatched <= window.ofJob && before.ofSite + dispatched <= window.ofSite;
  const message = () =>
    `${dispatched} chunks were dispatched in addition to ${before.ofJob} of the job and ${before.ofSite} of its site`;
  invariant(dispatched <= 1 || fits, `job ${jobId}`, message);
}
