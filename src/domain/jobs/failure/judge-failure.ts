/**
 * Decides whether a step or a chunk that failed is tried again, waits for an outage to end, or has failed
 * permanently.
 */
import type { JobRow } from '../../../../db/models/job.js';
import { backoffMs, OUTAGE_BACKOFF, STEP_BACKOFF } from '../../../platform/backoff.js';
import type { Failure } from '../model/failure.js';
import { FAILURES, type FailedReason } from './reasons.js';

/** Attempts at one step before its job is FAILED. */
const MAX_ATTEMPTS = 8;
/** A step that meets so many outages in a row although the part serves others: further ones are its own failures. */
export const MAX_OUTAGES = 20;
/** A step that has ended so many processes in which nothing else ran is not executed again. */
const MAX_DEATHS = 3;

/** The failures of a step or a chunk so far. */
export type Failed = Pick<JobRow, 'attempts' | 'outages' | 'deaths'>;

/** What to do about a failure. */
export type Judgement =
  /** Enqueue the step again, with these counts. `waits`: why, as clients see it; null when an attempt was spent. */
  | {
      readonly kind: 'again';
      readonly counts: Partial<Failed>;
      readonly delayMs: number;
      readonly waits: string | null;
    }
  /** The caller executes the step again, with the same fencing token. */
  | { readonly kind: 'counted'; readonly counts: Partial<Failed> }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly cause: string };

export function judge({ attempts, outages, deaths }: Failed, failure: Failure, now: Date = new Date()): Judgement {
  if (failure.kind === 'death') {
    if (deaths + 1 < MAX_DEATHS) return { kind: 'counted', counts: { deaths: deaths + 1 } };
    const cause = `${FAILURES.WORKER_DIED} (${failure.how}) each of ${MAX_DEATHS} times, although nothing else ran there`;
    return { kind: 'failed', reason: 'WORKER_DIED', cause };
  }
  if (failure.kind === 'outage' && (failure.lasting || outages < MAX_OUTAGES)) {
    const delayMs = backoffMs(OUTAGE_BACKOFF, outages + 1);
    const next = new Date(now.getTime() + delayMs).toISOString();
    const waits = `waits, because the ${failure.part} cannot be used at present; this is no fault of the job, which continues by itself (next attempt: ${next})`;
    return { kind: 'again', counts: { outages: outages + 1 }, delayMs, waits };
  }
  if (attempts + 1 < MAX_ATTEMPTS) {
    const counts = { attempts: attempts + 1 };
    return { kind: 'again', counts, delayMs: backoffMs(STEP_BACKOFF, attempts + 1), waits: null };
  }
  const reason = failure.kind === 'error' ? failure.reason : 'INTERNAL_ERROR';
  return { kind: 'failed', reason, cause: FAILURES[reason] };
}
