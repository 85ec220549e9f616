/**
 * Small jobs of one site, executed together: one transaction begins them, applies their rows and ends them. Their order,
 * their fencing tokens and their results are those of jobs that are executed one by one.
 */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { InvariantViolation } from '../kernel/invariant.js';
import { firstEntries } from '../webhooks/emit-events.js';
import { type ChunkResult, countOutcomes } from './chunk-result.js';
import { checkChunk } from './chunks/chunk-window.js';
import { recordFailures, summariseErrors } from './chunks/record-errors.js';
import { checkTotal, endOf, JOB_ENDED_CHANNEL } from './end-job.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import { type BeginHooks, releaseDue, type StepPayload } from './job-steps.js';
import { type LoadedJob, parseJob } from './job-type.js';
import { frontOf, holdWaiting, sweep, sweepsAt } from './order/site-order.js';
import { batchOf, type FrontEntry } from './order/turns.js';

/** Jobs of one batch, and the rows of all of them: a batch holds its site for a tenth of a second or so. */
const MAX_JOBS = 64;
const MAX_ROWS = 1_000;
/** A job that has to wait longer for another transaction's lock leaves the batch. */
const MAX_WAIT_MS = 250;

/** The jobs that a plan step may execute together, as they were seen before anything is locked. */
export interface FoundBatch {
  readonly siteId: number;
  /** What `besides` selects. */
  readonly facts: object;
  readonly entries: readonly FrontEntry[];
  /** All of them may run beside other concurrent jobs. */
  readonly concurrent: boolean;
}

/** A job of a batch, with its rows as they came in the request. */
export interface BatchedJob<Job extends LoadedJob> {
  readonly job: Job;
  readonly position: number;
  /** One JSON text a line. */
  readonly input: string;
}

/** The outcome of beginBatch. */
export type BatchBegin<Job extends LoadedJob> =
  | { readonly kind: 'begun'; readonly jobs: readonly BatchedJob<Job>[]; readonly definitionsVersion: number }
  /** Another job of the site begins at this moment: its end releases these. */
  | { readonly kind: 'held' };

/**
 * Finds the jobs that can be executed together with one whose plan step is due.
 * @returns null when it has to be executed by itself: it is large, its turn has not come, or the token is not current
 */
export async function findBatch<Job extends LoadedJob>(
  db: Db,
  { jobId, dispatch }: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<FoundBatch | null> {
  // The facts of `besides` are those of the site: they are found once, and not for each job of the front.
  const result = await db.raw<{ rows: (FrontEntry & { site_id: number })[] }>(
    `WITH own AS MATERIALIZED (
       SELECT job.site_id, ${hooks.besides} FROM job
       WHERE job.id = :jobId AND job.step = 'plan' AND job.completed_at IS NULL AND job.started_at IS NULL
     )
     SELECT own.*, front.* FROM own CROSS JOIN LATERAL (${frontOf('own.site_id', MAX_JOBS)}) AS front`,
    { jobId },
  );
  const own = result.rows.find((entry) => entry.jobId === jobId);
  if (own === undefined || !own.batchable || own.dispatch !== dispatch) return null;
  const alone = hooks.runsAlone(own);
  const front = result.rows.map(({ position, jobId: id, state, concurrent, batchable, dispatch: token }) => ({
    ...{ position, jobId: id, state, batchable, dispatch: token },
    concurrent: concurrent && !alone,
  }));
  const entries = batchOf(front, own.position);
  if (entries.length === 0) return null;
  const { site_id: siteId, position, jobId: _, state, concurrent, batchable, dispatch: token, ...facts } = own;
  return { siteId, facts, entries, concurrent: entries.every((entry) => entry.concurrent) };
}

/**
 * Begins a batch within `trx`, which then holds the locks of its jobs' rows and the lock under which jobs of the site
 * begin. What was seen without that lock still holds under it: jobs ahead of the batch can only end, and a job behind an
 * exclusive one of the batch cannot have begun.
 */
export async function beginBatch<Job extends LoadedJob>(
  trx: Knex.Transaction,
  { siteId, facts, entries, concurrent }: FoundBatch,
  own: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<BatchBegin<Job>> {
  const lock = concurrent ? 'pg_try_advisory_xact_lock_shared' : 'pg_try_advisory_xact_lock';
  const tried = await trx.raw(
    `SELECT ${lock}(${ADVISORY_LOCKS.begin}, :siteId) AS locked, set_config('lock_timeout', '${MAX_WAIT_MS}ms', true)`,
    { siteId },
  );
  if (!tried.rows[0].locked) {
    await holdWaiting(trx, siteId, own);
    return { kind: 'held' };
  }
  const result = await trx.raw<{ rows: (JobRow & { input: string | null; nth: number })[] }>(
    `SELECT job.*, chunk.input, member.nth::integer AS nth, ${stepMark('job.id')}
     FROM unnest(:ids::text[]) WITH ORDINALITY AS member (id, nth)
     CROSS JOIN LATERAL (
       SELECT * FROM job
       WHERE id = member.id COLLATE "C" AND step = 'plan' AND status = 'SCHEDULED' AND completed_at IS NULL
         AND started_at IS NULL
       LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job
     CROSS JOIN LATERAL (SELECT input FROM job_chunk WHERE job_id = job.id AND idx = 0 LIMIT 1) AS chunk
     ORDER BY member.nth`,
    { ids: entries.map(({ jobId }) => jobId) },
  );
  const jobs: BatchedJob<Job>[] = [];
  let rows = 0;
  for (const { input, nth, ...row } of result.rows) {
    // A job that is locked, or was cancelled, is not passed over by those that have to come after it.
    if (!concurrent && nth !== jobs.length + 1) break;
    const position = entries[nth - 1]?.position;
    if (position === undefined || row.input_file_id !== null) break;
    rows += row.total_count ?? 0;
    if (jobs.length > 0 && rows > MAX_ROWS) break;
    jobs.push({ job: parseJob(hooks.types, { ...facts, ...row } as JobRow), position, input: input ?? '' });
  }
  // Its queue job ends with this transaction, so that another has to be enqueued once its turn has come.
  if (!jobs.some(({ job }) => job.id === own.jobId)) await holdWaiting(trx, siteId, own);
  const [first] = jobs;
  const definitionsVersion = first === undefined ? 0 : await hooks.fixDefinitions(trx, first.job);
  return { kind: 'begun', jobs, definitionsVersion };
}

/** What came of one job of a batch. */
export interface BatchedEnd {
  readonly jobId: string;
  readonly position: number;
  readonly rowCount: number;
  readonly result: ChunkResult;
}

/**
 * Records the results of a batch's jobs, and ends them. They leave the ordering queue of their site with the commit.
 * @throws InvariantViolation when a job has ended already, or its counts do not add up
 */
export async function endBatch(
  trx: Knex.Transaction,
  siteId: number,
  definitionsVersion: number,
  ends: readonly BatchedEnd[],
): Promise<void> {
  if (ends.length === 0) return;
  const given = [];
  for (const { jobId, rowCount, result } of ends) {
    const outcomes = checkChunk({ job_id: jobId, idx: 0, wave: 0, outcomes: null, row_count: rowCount }, result);
    const counts = countOutcomes(outcomes);
    checkTotal(jobId, counts, rowCount);
    let errorSummary: string | null = null;
    if (counts.failed > 0) {
      await recordFailures(trx, jobId, result.failures);
      errorSummary = JSON.stringify(await summariseErrors(trx, jobId));
    }
    const { status, statusMessage = null } = endOf(counts);
    given.push({ id: jobId, outcomes, ...counts, status, message: statusMessage, errors: errorSummary });
  }
  const result = await trx.raw<{ rows: (Subscribers & { id: string })[] }>(
    `WITH given AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset(:given::jsonb) AS ended (
         id text, outcomes text, created integer, updated integer, unchanged integer, failed integer, status text,
         message text, errors text)
     ), applied AS (
       UPDATE job_chunk SET status = 'done', outcomes = given.outcomes, created_count = created, updated_count = updated,
         unchanged_count = unchanged, error_count = failed, done_at = now()
       FROM given CROSS JOIN LATERAL (
         SELECT ctid AS place FROM job_chunk WHERE job_id = given.id COLLATE "C" AND idx = 0 LIMIT 1) AS held
       WHERE job_chunk.ctid = held.place
     ), left_order AS (
       UPDATE job_order SET state = 'e' WHERE site_id = :siteId AND position = ANY (:positions::bigint[])
     )
     UPDATE job SET status = given.status, status_message = given.message, step = NULL, started_at = now(),
       completed_at = now(), updated_at = now(), definitions_version = :definitionsVersion,
       created_count = created, updated_count = updated, unchanged_count = unchanged, error_count = failed,
       processed_count = created + updated + unchanged + failed, error_summary = coalesce(given.errors::jsonb, error_summary)
     FROM given CROSS JOIN LATERAL (SELECT ctid AS place FROM job WHERE id = given.id COLLATE "C" LIMIT 1) AS held
     WHERE job.ctid = held.place AND job.completed_at IS NULL
     RETURNING job.id, ${SUBSCRIBERS}`,
    { given: JSON.stringify(given), siteId, positions: ends.map(({ position }) => position), definitionsVersion },
  );
  if (result.rows.length !== ends.length) {
    throw new InvariantViolation(
      `site ${siteId}: ${result.rows.length} of the ${ends.length} jobs of a batch could end`,
    );
  }
  for (const { id, ...subscribers } of result.rows) await emitJobEnd(trx, id, subscribers);
}

/**
 * Takes a job out of its batch, within the batch's transaction: it is executed by itself, by another queue job.
 * @returns what to enqueue once the transaction has committed
 */
export async function leaveBatch(trx: Knex.Transaction, siteId: number, position: number): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `UPDATE job_order SET batchable = false, state = 'q', dispatch = dispatch + 1, dispatched_at = now()
     WHERE site_id = :siteId AND position = :position
     RETURNING job_id AS "jobId", dispatch`,
    { siteId, position },
  );
  return result.rows.map((payload: StepPayload) => ({ queue: 'plan', payload }));
}

/**
 * Has the jobs that wait at the front of a site executed one by one: a worker process ended while it executed a batch
 * of them, and any of them may be the reason.
 */
export async function splitBatch(db: Db, { siteId, entries }: FoundBatch): Promise<void> {
  await db.raw(
    `UPDATE job_order SET batchable = false WHERE site_id = :siteId AND position = ANY (:positions::bigint[])`,
    {
      siteId,
      positions: entries.map(({ position }) => position),
    },
  );
}

/**
 * Announces the ends of a batch's jobs after its commit, and releases the jobs that were held for them. See followEnd.
 * @returns what to enqueue
 */
export async function followBatch(
  db: Db,
  siteId: number,
  ended: readonly Pick<BatchedEnd, 'jobId' | 'position'>[],
): Promise<OutboxEntry[]> {
  if (ended.length === 0) return releaseDue(db, siteId);
  const result = await db.raw<{ rows: { end_event_ids: string[] | null }[] }>(
    `SELECT job.end_event_ids, pg_notify(:channel, ended.id)
     FROM unnest(:ids::text[]) AS ended (id)
     CROSS JOIN LATERAL (SELECT end_event_ids FROM job WHERE id = ended.id COLLATE "C" LIMIT 1) AS job`,
    { channel: JOB_ENDED_CHANNEL, ids: ended.map(({ jobId }) => jobId) },
  );
  const eventIds = result.rows.flatMap(({ end_event_ids: ids }) => ids ?? []);
  const released = await releaseDue(db, siteId);
  if (ended.some(({ position }) => sweepsAt(position))) await sweep(db, [siteId]);
  return eventIds.length === 0 ? released : [...released, ...(await firstEntries(db, eventIds))];
}
