/**
 * Decides whether a step or a chunk that failed is tried again, waits for an outage to end, or has failed
 * permanently.
 */
import type { Knex } from 'knex';
import type { JobRow } from '../../../../db/models/job.js';
import { backoffMs, OUTAGE_BACKOFF, STEP_BACKOFF } from '../../../platform/backoff.js';
import type { Failure } from '../model/failure.js';
import { FAILURES, type FailedReason } from './reasons.js';

/** Attempts at one step before its job is FAILED. */
const MAX_ATTEMPTS = 8;
/** A step that meets so many outages in a row although the part serves others: further ones are its own failures. */
const MAX_OUTAGES = 20;
/** The part serves others if one of so many jobs, those accepted last, has been done within this time. */
const JOBS_ASKED = 200;
const SERVED_WITHIN = '2 minutes';
/** A step that has ended so many processes in which nothing else ran is not executed again. */
const MAX_DEATHS = 3;

/** The failures of a step or a chunk so far. */
type Failed = Pick<JobRow, 'attempts' | 'outages' | 'deaths'>;

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

/**
 * Decides what to do about a failure.
 * @internal exported for tests
 */
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

/** Like judge. A step is the reason of its outages only if others are done meanwhile. */
export async function judgeStep(
  trx: Knex.Transaction,
  jobId: string,
  row: Failed,
  failure: Failure,
): Promise<Judgement> {
  const isDoubtful = failure.kind === 'outage' && !failure.lasting && row.outages >= MAX_OUTAGES;
  return judge(row, isDoubtful && !(await othersAreServed(trx, jobId)) ? { ...failure, lasting: true } : failure);
}

async function othersAreServed(trx: Knex.Transaction, jobId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { served: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM (SELECT id, status, completed_at FROM job ORDER BY id DESC LIMIT ${JOBS_ASKED}) AS newest
       WHERE id <> ? AND status IN ('COMPLETED', 'COMPLETED_PARTIALLY')
         AND completed_at > now() - interval '${SERVED_WITHIN}') AS served`,
    [jobId],
  );
  return rows[0]?.served === true;
}
