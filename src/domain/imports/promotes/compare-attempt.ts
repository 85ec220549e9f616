/** Begins an attempt to compare stages, which makes it the current attempt of its job, and notices when it no longer is. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { lockJobStep } from '../../jobs/job-steps.js';
import { parseJob } from '../../jobs/model/job-type.js';
import type { StepPayload } from '../../jobs/model/step-payload.js';
import { beginOneStep, recordProgress } from '../../jobs/single-step.js';
import { COMPARE_JOBS, type CompareJob } from '../model/compare-job.js';

/** An attempt that has begun. */
export interface CompareAttempt extends StepPayload {
  readonly job: CompareJob;
  /** Counted from 1. When a worker dies, the same outbox entry is attempted again. */
  readonly attempt: number;
}

type BeginCompare =
  | { readonly kind: 'begun'; readonly attempt: CompareAttempt }
  /** The fencing token is outdated, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** The site already has as many of these jobs as it may; the end of one of them releases this one. */
  | { readonly kind: 'held'; readonly siteId: number };

export async function beginCompare(trx: Knex.Transaction, payload: StepPayload): Promise<BeginCompare> {
  const job = await lockCompare(trx, payload);
  if (job === undefined) return { kind: 'stale' };
  const attempt = (job.plan?.attempt ?? 0) + 1;
  const startedAt = await beginOneStep(trx, job, { plan: { attempt }, totalCount: null });
  if (startedAt === null) return { kind: 'held', siteId: job.site_id };
  return { kind: 'begun', attempt: { ...payload, job, attempt } };
}

/** Locks the job's row. @returns whether the attempt is still current */
export async function lockAttempt(trx: Knex.Transaction, { attempt, ...payload }: CompareAttempt): Promise<boolean> {
  const job = await lockCompare(trx, payload);
  return job?.plan?.attempt === attempt;
}

async function lockCompare(trx: Knex.Transaction, payload: StepPayload): Promise<CompareJob | undefined> {
  const row = await lockJobStep(trx, payload, 'export');
  return row === undefined ? undefined : parseJob(COMPARE_JOBS, row);
}

const POLL_EVERY_MS = 1_000;

interface CompareWatch {
  /** Aborts when the attempt is no longer current. */
  readonly stale: AbortSignal;
  /** Notes that one more difference was found. */
  found(): void;
  stop(): Promise<void>;
}

export function watchCompare(db: Db, attempt: CompareAttempt): CompareWatch {
  const stale = new AbortController();
  let count = 0;
  let polling: Promise<void> = Promise.resolve();

  async function poll(): Promise<void> {
    const isCurrent = await recordProgress(db, attempt, { processedCount: count }, { attempt: attempt.attempt });
    if (!isCurrent) stale.abort(new Error('the comparison was cancelled, or is done by another worker'));
  }

  // A failed poll does not fail the comparison; the next one may succeed.
  const timer = setInterval(() => {
    polling = polling.then(poll).catch(() => undefined);
  }, POLL_EVERY_MS);
  return {
    stale: stale.signal,
    found: () => {
      count++;
    },
    stop: () => {
      clearInterval(timer);
      return polling;
    },
  };
}
