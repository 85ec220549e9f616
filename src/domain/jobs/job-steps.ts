/** The steps of a job: how it begins, the locks and fencing tokens of its steps, and how the next step is enqueued. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { ADVISORY_LOCKS, stepMark } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';
import { Job } from '../../../db/models/job.js';
import { isLockedOut, withRetries } from '../../../db/with-retries.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { invariant, isCurrentToken } from '../kernel/invariant.js';
import type { JobFacts, JobTypes, LoadedJob } from './job-type.js';
import { parseJob } from './job-type.js';
import { hold, loadFront, loadFrontsOf, lockBegin, recordBegin, release, tryLockBegin } from './order/site-order.js';
import type { Place } from './order/turns.js';
import { dueOf, mayBegin } from './order/turns.js';

/** What beginJob needs from the feature that executes the job. */
export interface BeginHooks<Job extends LoadedJob> {
  readonly types: JobTypes<Job>;
  /** SQL: what to select in addition to the job's columns. */
  readonly besides: string;
  /** Whether a job that was accepted as concurrent has to run exclusively after all. @param row with what `besides` selects */
  runsAlone(row: object): boolean;
  /**
   * Fixes the definitions that jobs use, each of another site.
   * @returns their version for each job, in order; 0 when it uses the current ones at each step
   */
  fixDefinitions(trx: Db, jobs: readonly Job[]): Promise<readonly number[]>;
}

/** The outcome of beginJob. */
export type BeginOutcome<Job extends LoadedJob> =
  | { readonly kind: 'begun'; readonly job: Job; readonly definitionsVersion: number }
  /** The fencing token is no longer current, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** Other jobs of the site come first; the end of one of them releases this job. */
  | { readonly kind: 'held'; readonly siteId: number };

/** Payload of one step of a job. */
export interface StepPayload {
  readonly jobId: string;
  /** Fencing token: a step with another token than the row is refused. */
  readonly dispatch: number;
  /** The step may have ended a worker process, so it runs in a process of its own. */
  readonly suspect?: true | undefined;
}

const NOTHING = 'NULL AS nothing';

/**
 * SQL: when a job begins, by the clock of the database, because those of other machines differ. `now()` would be the
 * start of the transaction, in which other steps of the job may have run. Never before the job was accepted, even if the
 * clock was set back meanwhile.
 */
const BEGINS_AT = 'greatest(clock_timestamp(), job.created_at)';
/** SQL: likewise when a job ends. */
export const ENDS_AT = 'greatest(clock_timestamp(), job.started_at, job.created_at)';

/**
 * Begins a job within `trx`, which then holds the lock of the job's row and the lock under which jobs of the site
 * begin. A job that has begun before (its worker died) begins again without waiting.
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
    // Another job begins, or executes a request in one transaction. A job that has to wait anyway should not occupy a
    // worker meanwhile.
    if (!(await isTurn())) return holdJob(trx, job.site_id, place);
    await lockBegin(trx, job.site_id, place);
  }
  if (!(await isTurn())) return holdJob(trx, job.site_id, place);
  const [definitionsVersion = 0] = await hooks.fixDefinitions(trx, [job]);
  await trx('job')
    .where({ id: jobId })
    .update({
      status: 'IN_PROGRESS',
      started_at: trx.raw(BEGINS_AT),
      definitions_version: definitionsVersion,
      shared: concurrent,
      status_message: null,
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
 * Releases the held jobs of a site whose turn has come. Call it after the commit that ends or holds a job: when both
 * happen at the same time, at least one of the two calls sees the other's commit.
 * @returns what to enqueue
 */
export async function releaseDue(db: Db, siteId: number): Promise<OutboxEntry[]> {
  const due = dueOf(await loadFront(db, siteId));
  return due.length === 0 ? [] : release(db, [siteId], due);
}

/** Like releaseDue for several sites, whose fronts it loads at once. */
export async function releaseDueOf(db: Db, siteIds: readonly number[]): Promise<OutboxEntry[]> {
  if (siteIds.length === 0) return [];
  const fronts = [...(await loadFrontsOf(db, siteIds))];
  const due = fronts
    .map(([siteId, front]) => ({ siteId, entries: dueOf(front) }))
    .filter(({ entries }) => entries.length > 0);
  if (due.length === 0) return [];
  return release(
    db,
    due.map(({ siteId }) => siteId),
    due.flatMap(({ entries }) => entries),
  );
}

/**
 * Locks a job's row, if the fencing token is current.
 * @returns the row as it is in the table, its options and plan unparsed
 */
export async function lockJobStep(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  step: 'apply-all' | 'finish' | 'export' | 'replay',
): Promise<JobRow | undefined> {
  const job = await Job.query(trx)
    .findById(jobId)
    .select('job.*', raw(stepMark('job.id')))
    .forNoKeyUpdate();
  if (job === undefined || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch)) return undefined;
  return job.completed_at === null && job.step === step ? job : undefined;
}

/**
 * Like lockJobStep for the plan step, whose fencing token is in job_order. Locks the job's row there as well.
 * @param besides SQL: what to select in addition to the job's columns
 */
export async function lockPlanStep(
  trx: Knex.Transaction,
  { jobId, dispatch }: StepPayload,
  besides: string = NOTHING,
): Promise<JobRow | undefined> {
  const found: (JobRow & { readonly plan_dispatch: number }) | undefined = await Job.query(trx)
    .findById(jobId)
    .select('job.*', 'job_order.dispatch as plan_dispatch', raw(besides), raw(stepMark('job.id')))
    .joinRaw('JOIN job_order ON job_order.site_id = job.site_id AND job_order.position = job.line_no')
    .where({ 'job.step': 'plan' })
    .whereNull('job.completed_at')
    .forNoKeyUpdate()
    .castTo<JobRow & { readonly plan_dispatch: number }>();
  return found !== undefined && isCurrentToken(`job ${jobId}`, dispatch, found.plan_dispatch) ? found : undefined;
}

/** The columns of a job whose step is new: nothing has failed yet, and it does not wait. */
export const NEW_STEP = { attempts: 0, outages: 0, deaths: 0, status_message: null } as const;

/** Moves a job to another step. The caller's transaction has locked the job's row. */
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
      ...NEW_STEP,
    })
    .returning('dispatch');
  return { queue: step, payload: { jobId, dispatch: row.dispatch } };
}

/**
 * Returns what the queue should have of a job now, except for its plan step.
 * @param suspect the plan step was found without its worker, which may have executed the present steps inline
 */
export async function presentEntries(db: Db, jobId: string, suspect = false): Promise<JobOutboxEntry[]> {
  const job = await db('job').where({ id: jobId }).whereNull('completed_at').first('step', 'dispatch');
  if (job === undefined || job.step === 'plan') return [];
  const chunks: { readonly idx: number; readonly dispatch: number }[] =
    job.step === 'apply'
      ? await db('job_chunk').where({ job_id: jobId, status: 'dispatched' }).select('idx', 'dispatch')
      : [];
  const known = await db('suspect_step').where({ job_id: jobId, step: job.step }).select('chunk');
  const suspicion = (chunk: number) => suspicionOf(suspect || known.some((one) => one.chunk === chunk));
  if (job.step !== 'apply') return [{ queue: job.step, payload: { jobId, dispatch: job.dispatch, ...suspicion(0) } }];
  return chunks.map(({ idx, dispatch }) => ({
    queue: 'apply',
    payload: { jobId, chunk: idx, dispatch, ...suspicion(idx) },
  }));
}

/** The row of an outbox entry, if its fencing token is current. */
export function rowOfEntry(db: Db, entry: JobOutboxEntry) {
  if (entry.queue === 'apply') {
    const { jobId, chunk, dispatch: number } = entry.payload;
    return db('job_chunk').where({ job_id: jobId, idx: chunk, dispatch: number, status: 'dispatched' });
  }
  const { jobId, dispatch: number } = entry.payload;
  if (entry.queue === 'plan') {
    const place = db('job').where({ id: jobId, step: 'plan' }).whereNull('completed_at').select('site_id', 'line_no');
    return db('job_order').whereIn(['site_id', 'position'], place).where({ dispatch: number });
  }
  return db('job').where({ id: jobId, step: entry.queue, dispatch: number }).whereNull('completed_at');
}

/** Records that a step was found without its worker, if its fencing token is current: it stays suspect until it is done. */
export async function suspectStep(db: Db, entry: JobOutboxEntry): Promise<void> {
  const row = rowOfEntry(db, entry);
  if (entry.queue === 'plan') await row.update({ suspect: true });
  else {
    const found = row.select(
      db.raw('?::text, ?::text, ?::integer', [entry.payload.jobId, entry.queue, chunkOf(entry)]),
    );
    await db.raw('INSERT INTO suspect_step (job_id, step, chunk) ? ON CONFLICT DO NOTHING', [found]);
  }
}

/** Whether a step has been found without its worker, under whatever fencing token. */
export async function isSuspect(db: Db, entry: JobOutboxEntry): Promise<boolean> {
  const { jobId } = entry.payload;
  const found =
    entry.queue === 'plan'
      ? rowOfEntry(db, entry).where({ suspect: true })
      : db('suspect_step').where({ job_id: jobId, step: entry.queue, chunk: chunkOf(entry) });
  return (await found.first(db.raw('1'))) !== undefined;
}

function chunkOf(entry: JobOutboxEntry): number {
  return entry.queue === 'apply' ? entry.payload.chunk : 0;
}

/** The member of a step's payload that says whether it is suspect. */
export function suspicionOf(suspect: boolean): Pick<StepPayload, 'suspect'> {
  return suspect ? { suspect } : {};
}

// Ends the transactions in which steps of a job run, so that its cancellation waits neither for a long statement nor for
// a worker that computes while its transaction holds locks.

/** How long a cancellation waits for a transaction of the job that may be about to commit. */
export const PATIENCE_MS = 500;
/** How long the session of an ended transaction may take to release its locks. */
const RELEASE_MS = 500;
/** SQLSTATE */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Runs a transaction that waits for the locks of a job for a limited time. When the time is over, the transactions in
 * which the job's steps run are ended, whatever their workers do, and the work is tried again.
 * @param patienceMs how long a step may still commit
 * @param work must not have effects outside of the transaction. `stepsEnded`: transactions of the job that were ended
 * @throws what `work` throws, and 55P03 when something else holds the locks
 */
export async function withoutSteps<T>(
  db: Db,
  jobId: string,
  patienceMs: number,
  work: (trx: Knex.Transaction, stepsEnded: number) => Promise<T>,
): Promise<T> {
  let stepsEnded = 0;
  for (const waitMs of [patienceMs, RELEASE_MS]) {
    try {
      return await withRetries(db, async (trx) => {
        await trx.raw(`SELECT set_config('lock_timeout', '${waitMs}ms', true)`);
        return work(trx, stepsEnded);
      });
    } catch (error) {
      if (!isLockedOut(error)) throw error;
    }
    stepsEnded += await endSteps(db, jobId);
  }
  return withRetries(db, (trx) => work(trx, stepsEnded));
}

/**
 * Ends the sessions that run steps of the job: Postgres rolls back their transactions, and their workers get an error.
 * They are found and ended by one statement, by the lock that only such a transaction holds.
 * @returns how many there were; 0 when it is not permitted
 */
async function endSteps(db: Db, jobId: string): Promise<number> {
  const ending = db.raw(
    `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::integer AS ended
     FROM pg_locks CROSS JOIN (SELECT hashtextextended(?, ?) AS mark) AS step
     WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = ((mark >> 32) & 4294967295)::oid AND objid = (mark & 4294967295)::oid`,
    [jobId, ADVISORY_LOCKS.step],
  );
  try {
    return (await ending).rows[0].ended;
  } catch (error) {
    // This role may not end the sessions of the workers: they can only be waited for.
    if (error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE) return 0;
    throw error;
  }
}

// Jobs of a single step.

/** What is recorded when an attempt at a job of a single step begins. */
interface OneStepBegin {
  /** Absent when jobs of its type have no plan. */
  readonly plan?: object;
  /** Null when it is not known yet. */
  readonly totalCount: number | null;
}

/**
 * Begins an attempt at a job of a single step, whose row the transaction has locked, unless the window of its site is
 * full.
 * @returns when the job's first attempt began; null when the job is held until another one ends
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
  const [begun] = await trx('job')
    .where({ id: job.id })
    .update({
      status: 'IN_PROGRESS',
      started_at: trx.raw(`coalesce(job.started_at, ${BEGINS_AT})`),
      status_message: null,
      ...(plan === undefined ? {} : { plan: JSON.stringify(plan) }),
      total_count: totalCount,
      processed_count: 0,
      updated_at: new Date(),
    })
    .returning('started_at');
  return begun.started_at;
}

/**
 * Releases jobs of a single step that are held until other jobs of their site end.
 * @param siteId null for all sites
 * @returns what to enqueue
 */
export async function releaseOneStep(db: Db, jobType: JobFacts, siteId: number | null): Promise<JobOutboxEntry[]> {
  const window = windowOf(jobType);
  return window === null ? [] : releaseHeld(db, window, siteId);
}

/** The progress of a job of a single step; absent members stay as they are. */
interface OneStepProgress {
  readonly totalCount?: number;
  readonly processedCount?: number;
  readonly updatedCount?: number;
  readonly outputFileId?: string;
  /** The job is still being executed: the reconciler need not look for it on the queue for a while. */
  readonly goesOn?: true;
}

/**
 * Records the progress of a job of a single step, if the fencing token is current.
 * @param plan members that the job's plan must have too; absent: the plan is not compared
 * @returns whether the fencing token and the plan are current
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

// Limits how many jobs of a single step run at once per site, so that those of other sites find a worker.

/** The most sites that one call reads. */
const BATCH = 200;

/** The window of a job type of a single step: at most `size` jobs of one site run at once. */
interface SiteWindow {
  readonly step: 'export' | 'replay';
  readonly size: number;
}

/** Null when any number of jobs of the type may run. */
function windowOf({ steps: [step], siteWindow }: Pick<JobFacts, 'steps' | 'siteWindow'>): SiteWindow | null {
  if (siteWindow === undefined || (step !== 'export' && step !== 'replay')) return null;
  return { step, size: siteWindow };
}

/**
 * Whether one more job of the site may begin. The lock of the site's window is held to the end of the transaction.
 * @internal exported for tests
 */
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
 * Releases held jobs where the window has room.
 * @param siteId one site; null for all sites (the reconciler)
 * @returns what to enqueue
 * @internal exported for tests
 */
export async function releaseHeld(db: Db, window: SiteWindow, siteId: number | null): Promise<JobOutboxEntry[]> {
  const held = db('job').where({ step: window.step }).whereNull('completed_at');
  if (siteId !== null) held.where({ site_id: siteId });
  // Sites without room are left out: there may be any number of them, and each would be locked.
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
    // A job that begins at this moment has locked its row, and counts for itself after this transaction.
    const result = await trx.raw(
      `WITH running AS (
         SELECT count(*) FILTER (WHERE dispatched_at IS NOT NULL) AS jobs FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL
       ), due AS (
         SELECT id FROM job
         WHERE site_id = :siteId AND step = '${step}' AND completed_at IS NULL AND dispatched_at IS NULL
         ORDER BY created_at, id LIMIT greatest(0, :size - (SELECT jobs FROM running))
         FOR UPDATE SKIP LOCKED
       )
       UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
       FROM due WHERE job.id = due.id
       RETURNING job.id, job.dispatch, (SELECT jobs::integer FROM running) AS running`,
      { siteId, size },
    );
    const entries: JobOutboxEntry[] = [];
    for (const { id, dispatch, running } of result.rows) {
      const inWindow = running + result.rows.length;
      const owner = `site ${siteId}`;
      invariant(inWindow <= size, owner, () => `${inWindow} jobs are on the queue at once, in a window of ${size}`);
      entries.push({ queue: step, payload: { jobId: id, dispatch } });
    }
    return entries;
  });
}

async function lockWindow(trx: Knex.Transaction, siteId: number): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.siteWindow, siteId]);
}
