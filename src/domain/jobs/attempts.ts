/** Attempts at jobs of a single step that make everything anew each time: exports, comparisons and inspections. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Contention } from '../../platform/limits/contention.js';
import type { Logger } from '../../platform/logger.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { type JobTypes, type LoadedJob, parseJob } from '../job-model/job-type.js';
import { lockJobStep } from './job-steps.js';
import { releaseHeld } from './single-step/site-window.js';
import { beginOneStep, type OneStepProgress, recordProgress } from './single-step.js';
import type { SingleStep } from './steps/single-steps.js';

const POLL_EVERY_MS = 1_000;

type AttemptedJob = LoadedJob & { readonly plan: { readonly attempt: number } | null };

/** What an attempt is executed with. */
export interface AttemptServices {
  readonly db: Db;
  readonly logger?: Logger | undefined;
  /** Notices the account. */
  readonly contention?: Pick<Contention, 'notice'>;
}

/** An attempt that has begun. */
export interface StepAttempt<Job extends AttemptedJob> extends StepPayload {
  readonly job: Job;
  readonly startedAt: Date;
  /** Counted from 1. When a worker dies, the same outbox entry is attempted again. */
  readonly attempt: number;
  /** Records its progress at intervals, until the watch is stopped. */
  readonly watch: (db: Db, progress: () => Promise<OneStepProgress>) => AttemptWatch;
  /** Locks the job's row. @returns whether the attempt is still current */
  readonly lock: (trx: Knex.Transaction) => Promise<boolean>;
}

type NotBegun =
  /** The fencing token is outdated, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** The site already has as many such jobs executed as it may; the end of one of them releases this one. `outboxEntries`: what to enqueue now. */
  | { readonly kind: 'held'; readonly outboxEntries: readonly JobOutboxEntry[] };

type BeginAttempt<Job extends AttemptedJob> = { readonly kind: 'begun'; readonly attempt: StepAttempt<Job> } | NotBegun;

/** What has come of an attempt. */
export type AttemptOutcome = { readonly kind: 'ended' } | NotBegun;

/** Begins an attempt, which makes it the current one of its job. */
export async function beginAttempt<Job extends AttemptedJob>(
  { db, contention, logger }: AttemptServices,
  types: JobTypes<Job>,
  payload: StepPayload,
  step: SingleStep,
): Promise<BeginAttempt<Job>> {
  const begun = await withRetries(db, (trx) => recordBegin(trx, types, payload, step));
  if (begun.kind === 'stale') return begun;
  if (begun.kind === 'held') {
    // One that ended after this one counted those that run did not see that this one is held.
    return { kind: 'held', outboxEntries: await releaseHeld(db, begun.job.jobType, begun.job.site_id) };
  }
  const { job } = begun.attempt;
  contention?.notice(job.account_id);
  logger?.info({ jobId: job.id, type: job.type }, 'a job has begun');
  return begun;
}

async function recordBegin<Job extends AttemptedJob>(
  trx: Knex.Transaction,
  types: JobTypes<Job>,
  payload: StepPayload,
  step: SingleStep,
) {
  const find = async (within: Knex.Transaction) => {
    const row = await lockJobStep(within, payload, step);
    return row === undefined ? undefined : parseJob(types, row);
  };
  const job = await find(trx);
  if (job === undefined) return { kind: 'stale' } as const;
  const attempt = (job.plan?.attempt ?? 0) + 1;
  const startedAt = await beginOneStep(trx, job, { plan: { attempt }, totalCount: null });
  if (startedAt === null) return { kind: 'held', job } as const;
  const lock = async (within: Knex.Transaction) => (await find(within))?.plan?.attempt === attempt;
  const watch = (db: Db, progress: () => Promise<OneStepProgress>) => watchAttempt(db, payload, attempt, progress);
  return { kind: 'begun', attempt: { ...payload, job, startedAt, attempt, lock, watch } } as const;
}

interface AttemptWatch {
  /** Aborts when the attempt is no longer current. */
  readonly stale: AbortSignal;
  stop(): Promise<void>;
}

/** Records the progress of an attempt at intervals, and thereby notices when it is no longer current. */
function watchAttempt(
  db: Db,
  payload: StepPayload,
  attempt: number,
  progress: () => Promise<OneStepProgress>,
): AttemptWatch {
  const stale = new AbortController();
  let polling: Promise<void> = Promise.resolve();
  const poll = async () => {
    const isCurrent = await recordProgress(db, payload, await progress(), { attempt });
    if (!isCurrent) stale.abort(new Error('the job was cancelled, or is executed by another worker'));
  };
  // A failed poll does not fail the attempt; the next one may succeed.
  const timer = setInterval(() => {
    polling = polling.then(poll).catch(() => undefined);
  }, POLL_EVERY_MS);
  return {
    stale: stale.signal,
    stop: () => {
      clearInterval(timer);
      return polling;
    },
  };
}
