/** The steps of a job: the moment at which it begins, the locks under which each counts, and the next. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';
import { Job } from '../../../db/models/job.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { invariant, isCurrentToken } from '../kernel/invariant.js';
import type { JobFacts, JobTypes, LoadedJob } from './job-type.js';
import { parseJob } from './job-type.js';
import { hold, loadFront, lockBegin, recordBegin, release, tryLockBegin } from './order/site-order.js';
import type { Place } from './order/turns.js';
import { dueOf, mayBegin } from './order/turns.js';

/** What the beginning of a job needs from the feature that carries it out. */
export interface BeginHooks<Job extends LoadedJob> {
  readonly types: JobTypes<Job>;
  /** SQL: what to select besides the job's columns. */
  readonly besides: string;
  /** Whether the job has to run alone after all, though it was accepted as one that may run beside others. */
  runsAlone(job: Job): boolean;
  /** Fixes the definitions that the job goes by. @returns their version; 0: it goes by those of the moment */
  fixDefinitions(trx: Db, job: Job): Promise<number>;
}

/** What came of trying to begin. */
export type BeginOutcome<Job extends LoadedJob> =
  | { readonly kind: 'begun'; readonly job: Job; readonly definitionsVersion: number }
  /** Another dispatch of the same step has taken over, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** Others of the site come first; the end of one of them releases it. */
  | { readonly kind: 'held'; readonly siteId: number };

/** Of one step of a job. */
export interface StepPayload {
  readonly jobId: string;
  /** Fencing token: a step that carries another number than the row is refused. */
  readonly dispatch: number;
}

const NOTHING = 'NULL AS nothing';

/**
 * Begins a job within `trx`, which then holds the job's row and the lock under which jobs of the site begin.
 * A job that has begun before (its worker died) begins again without waiting.
 */
export async function beginJob<Job extends LoadedJob>(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<BeginOutcome<Job>> {
  const row = await lockPlanStep(trx, { jobId, dispatch }, hooks.besides);
  if (row === undefined || row.line_no === null) return { kind: 'stale' };
  const job = parseJob(hooks.types, row);
  if (job.started_at !== null && job.definitions_version !== null) {
    return { kind: 'begun', job, definitionsVersion: job.definitions_version };
  }
  const concurrent = job.shared && !hooks.runsAlone(job);
  const place = { position: row.line_no, concurrent };
  const isTurn = async () => mayBegin(await loadFront(trx, job.site_id), place);
  if (!(await tryLockBegin(trx, job.site_id, place))) {
    // Another job begins, or a whole request is carried out. What has to wait anyway should not fill the workers meanwhile.
    if (!(await isTurn())) return holdJob(trx, job.site_id, place);
    await lockBegin(trx, job.site_id, place);
  }
  if (!(await isTurn())) return holdJob(trx, job.site_id, place);
  const definitionsVersion = await hooks.fixDefinitions(trx, job);
  await trx('job').where({ id: jobId }).update({
    status: 'IN_PROGRESS',
    started_at: new Date(),
    definitions_version: definitionsVersion,
    shared: concurrent,
    updated_at: new Date(),
  });
  await recordBegin(trx, job.site_id, place);
  return { kind: 'begun', job, definitionsVersion };
}

async function holdJob(trx: Knex.Transaction, siteId: number, place: Place): Promise<{ kind: 'held'; siteId: number }> {
  await hold(trx, siteId, place);
  return { kind: 'held', siteId };
}

/**
 * Releases the held jobs of a site whose turn has come. To be called once a job's end, or its being held, is committed:
 * of two that do so at the same time one sees the other.
 * @returns what to enqueue
 */
export async function releaseDue(db: Db, siteId: number): Promise<OutboxEntry[]> {
  const due = dueOf(await loadFront(db, siteId));
  return due.length === 0 ? [] : release(db, siteId, due);
}

/**
 * Locks a job's row, if the dispatch is still the one that counts.
 * @returns the row as it lies in the table, its options and plan unparsed
 */
export async function lockJobStep(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  step: 'apply-all' | 'finish' | 'export' | 'replay',
): Promise<JobRow | undefined> {
  const job = await Job.query(trx).findById(jobId).forNoKeyUpdate();
  if (job === undefined || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch)) return undefined;
  return job.completed_at === null && job.step === step ? job : undefined;
}

/**
 * Like lockJobStep for the plan step, whose fencing token is in the site's order. Locks the job's row there as well.
 * @param besides SQL: what to select besides its columns
 */
export async function lockPlanStep(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  besides: string = NOTHING,
): Promise<JobRow | undefined> {
  return Job.query(trx)
    .findById(jobId)
    .select('job.*', raw(besides))
    .joinRaw('JOIN job_order ON job_order.site_id = job.site_id AND job_order.position = job.line_no')
    .where({ 'job.step': 'plan', 'job_order.dispatch': dispatch })
    .whereNull('job.completed_at')
    .forNoKeyUpdate();
}

/** Turns a job to another step. The caller's transaction has locked its row. */
export async function enqueueStep(
  trx: Knex.Transaction,
  jobId: string,
  step: 'apply-all' | 'finish',
): Promise<OutboxEntry> {
  const [row] = await trx('job')
    .where({ id: jobId })
    .update({
      step,
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.fn.now(),
      updated_at: trx.fn.now(),
      attempts: 0,
    })
    .returning('dispatch');
  return { queue: step, payload: { jobId, dispatch: row.dispatch } };
}

/** What of a job the queue should have now, but for its plan. */
export async function presentEntries(db: Db, jobId: string): Promise<JobOutboxEntry[]> {
  const job = await db('job').where({ id: jobId }).whereNull('completed_at').first('step', 'dispatch');
  if (job === undefined || job.step === 'plan') return [];
  if (job.step !== 'apply') return [{ queue: job.step, payload: { jobId, dispatch: job.dispatch } }];
  const chunks = await db('job_chunk').where({ job_id: jobId, status: 'dispatched' }).select('idx', 'dispatch');
  return chunks.map(({ idx, dispatch }) => ({ queue: 'apply', payload: { jobId, chunk: idx, dispatch } }));
}

/** What is recorded as a job of a single step begins, or begins another attempt. */
interface OneStepBegin {
  /** Absent: its type makes no plan. */
  readonly plan?: object;
  /** Null: not known yet. */
  readonly totalCount: number | null;
}

/**
 * Begins an attempt at a job of a single step, whose row the transaction has locked, unless as many of its site run as
 * may.
 * @returns when the job began, the first time; null: it is held, and the end of another releases it
 */
export async function beginOneStep(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id' | 'started_at' | 'jobType'>,
  { plan, totalCount }: OneStepBegin,
): Promise<Date | null> {
  const window = windowOf(job.jobType);
  if (job.started_at === null && window !== null && !(await hasRoom(trx, window, job.site_id, job.id))) {
    await trx('job').where({ id: job.id }).update({ dispatched_at: null, updated_at: new Date() });
    return null;
  }
  const startedAt = job.started_at ?? new Date();
  await trx('job')
    .where({ id: job.id })
    .update({
      status: 'IN_PROGRESS',
      started_at: startedAt,
      ...(plan === undefined ? {} : { plan: JSON.stringify(plan) }),
      total_count: totalCount,
      processed_count: 0,
      updated_at: new Date(),
    });
  return startedAt;
}

/**
 * Releases jobs of a single step that are held for others of their site.
 * @param siteId null: in all sites
 * @returns what to enqueue
 */
export async function releaseOneStep(db: Db, jobType: JobFacts, siteId: number | null): Promise<JobOutboxEntry[]> {
  const window = windowOf(jobType);
  return window === null ? [] : releaseHeld(db, window, siteId);
}

/** How far a job of a single step is; what is absent stays. */
interface OneStepProgress {
  readonly totalCount?: number;
  readonly processedCount?: number;
  readonly updatedCount?: number;
  readonly outputFileId?: string;
  /** It goes on without being dispatched anew: the reconciler need not look for it on the queue for a while. */
  readonly goesOn?: true;
}

/**
 * Records how far a job of a single step is, while the dispatch counts.
 * @param plan which must be the job's as well; absent: whatever it is
 * @returns whether the dispatch, and the plan, still count
 */
export async function recordProgress(
  db: Db,
  { jobId, dispatch }: StepPayload,
  { totalCount, processedCount, updatedCount, outputFileId, goesOn }: OneStepProgress,
  plan?: object,
): Promise<boolean> {
  const job = db('job').where({ id: jobId, dispatch }).whereNull('completed_at');
  if (plan !== undefined) job.whereRaw('plan @> ?::jsonb', [JSON.stringify(plan)]);
  const counted = await job.update({
    updated_at: db.fn.now(),
    ...(totalCount === undefined ? {} : { total_count: totalCount }),
    ...(processedCount === undefined ? {} : { processed_count: processedCount }),
    ...(updatedCount === undefined ? {} : { updated_count: updatedCount }),
    ...(outputFileId === undefined ? {} : { output_file_id: outputFileId }),
    ...(goesOn === undefined ? {} : { dispatched_at: db.fn.now() }),
  });
  return counted > 0;
}

// How many jobs of one site, of a type that has no place in its order, run at once: so that those of others find a worker.

/** Sites looked at in one go. */
const BATCH = 200;

/** A type whose jobs are a single step, not more than `size` of one site at once. */
interface SiteWindow {
  readonly step: 'export' | 'replay';
  readonly size: number;
}

/** Null: any number of its jobs run. */
function windowOf({ steps: [step], siteWindow }: Pick<JobFacts, 'steps' | 'siteWindow'>): SiteWindow | null {
  if (siteWindow === undefined || (step !== 'export' && step !== 'replay')) return null;
  return { step, size: siteWindow };
}

/** Whether one more job of the site may begin. Holds the site's lock to the end of the transaction. */
export async function hasRoom(
  trx: Knex.Transaction,
  { step, size }: SiteWindow,
  siteId: number,
  jobId: string,
): Promise<boolean> {
  await lockWindow(trx, siteId);
  const running = await trx('job')
    .where({ site_id: siteId, step })
    .whereNull('completed_at')
    .whereNotNull('started_at')
    .whereNot({ id: jobId })
    .count<{ count: string }[]>();
  return Number(running[0]?.count ?? 0) < size;
}

/**
 * Releases jobs that are held for others of their site, now that there is room.
 * @param siteId one site; null: every site (the reconciler)
 * @returns what to enqueue
 */
export async function releaseHeld(db: Db, window: SiteWindow, siteId: number | null): Promise<JobOutboxEntry[]> {
  const held = db('job').where({ step: window.step }).whereNull('completed_at');
  if (siteId !== null) held.where({ site_id: siteId });
  // Sites that have no room are left alone: there may be any number of them, and each would be locked.
  const sites: { site_id: number }[] = await held
    .groupBy('site_id')
    .havingRaw('bool_or(dispatched_at IS NULL) AND count(dispatched_at) < ?', [window.size])
    .limit(BATCH)
    .select('site_id');
  const outboxEntries: JobOutboxEntry[] = [];
  for (const site of sites) outboxEntries.push(...(await releaseOfSite(db, window, site.site_id)));
  return outboxEntries;
}

function releaseOfSite(db: Db, { step, size }: SiteWindow, siteId: number): Promise<JobOutboxEntry[]> {
  return db.transaction(async (trx) => {
    await lockWindow(trx, siteId);
    // A job that begins at this moment has locked its row and looks for itself, once this transaction is through.
    const result = await trx.raw(
      `WITH taken AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS places FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL AND dispatched_at IS NULL
         ORDER BY created_at, id LIMIT greatest(0, :size - (SELECT places FROM taken))
         FOR UPDATE SKIP LOCKED
       )
       UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
       FROM due WHERE job.id = due.id
       RETURNING job.id, job.dispatch`,
      { siteId, size },
    );
    const released: number = result.rows.length;
    invariant(released <= size, `site ${siteId}`, () => `${released} jobs were released into a window of ${size}`);
    return result.rows.map(({ id, dispatch }: { id: string; dispatch: number }) => ({
      queue: step,
      payload: { jobId: id, dispatch },
    }));
  });
}

async function lockWindow(trx: Knex.Transaction, siteId: number): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.siteWindow, siteId]);
}
