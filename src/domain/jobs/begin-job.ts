/** The moment at which a job begins: its turn has come, and the definitions it goes by are fixed. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { hold, loadFront, lockBegin, recordBegin, tryLockBegin } from './site-order.js';
import { mayBegin, type Place } from './turns.js';

/** What the beginning of a job needs from the folders below, which this one does not know. */
export interface BeginHooks {
  /** SQL: what to select besides the job's columns. */
  readonly besides: string;
  /** Snapshots the site's definitions as they are now. @returns their version */
  snapshotDefinitions(trx: Db, siteId: number): Promise<number>;
}

/** What came of trying to begin. */
export type BeginOutcome =
  | { readonly kind: 'begun'; readonly job: Job; readonly definitionsVersion: number }
  /** Another dispatch of the same step has taken over, or the job has ended: there is nothing to do. */
  | { readonly kind: 'stale' }
  /** Others of the site come first; the end of one of them releases it. */
  | { readonly kind: 'held'; readonly job: Job };

/**
 * Makes ready for a job: snapshots the definitions that an item job is about to begin with, in a transaction of its own: made in the job's,
 * a new snapshot would let all others of the site that begin meanwhile wait for that job's end.
 * @returns whether the job is small: it should not wait for others' computing
 */
export async function prepareDefinitions(
  db: Db,
  jobId: string,
  hooks: BeginHooks,
): Promise<{ readonly small: boolean }> {
  const found = await db.raw(
    `SELECT job.site_id, job.kind = 'item' AND job.input_file_id IS NULL AND job.total_count <= ${SMALL_ROWS} AS small,
            job.kind IN ('item', 'status') AND job.started_at IS NULL AND kept.version IS NULL AND NOT ${CHANGES_DEFINITIONS} AS missing
     FROM job JOIN site ON site.id = job.site_id
     LEFT JOIN definition_snapshot AS kept ON kept.site_id = site.id AND kept.version = site.definitions_version
     WHERE job.id = ?`,
    [jobId],
  );
  const [job] = found.rows;
  if (job?.missing === true) await db.transaction((trx) => hooks.snapshotDefinitions(trx, job.site_id));
  return { small: job?.small === true };
}

/**
 * A job that changes definitions holds the site's row, perhaps for long, and all others of the site wait for its end
 * anyway. It is exclusive, so it is the first of the order.
 */
const CHANGES_DEFINITIONS = `EXISTS (
  SELECT 1 FROM (
    SELECT state, job_id FROM job_order
    WHERE job_order.site_id = job.site_id AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = job.site_id), 0)
    ORDER BY position LIMIT 1) AS first
  JOIN LATERAL (SELECT kind FROM job AS other WHERE other.id = first.job_id LIMIT 1) AS other ON true
  WHERE first.state = 'r' AND other.kind IN ('attribute', 'category'))`;

/** Rows of a request that is carried out before imports go on: so few that reading them never pauses. */
const SMALL_ROWS = 50;

const NOTHING = 'NULL AS nothing';
const HAS_UNIQUE = `EXISTS (
  SELECT 1 FROM attribute
  WHERE attribute.site_id = job.site_id AND definition -> 'validation' -> 'unique' = 'true') AS has_unique`;

/**
 * Loads a job and locks its row, if `dispatch` is still the one that counts.
 * @param besides what to select besides its columns
 */
export async function lockJobStep(
  trx: Knex.Transaction,
  jobId: string,
  step: 'apply-all' | 'finish',
  dispatch: number,
  besides: string = NOTHING,
): Promise<Job | undefined> {
  const job = await Job.query(trx).findById(jobId).select('job.*', raw(besides)).forNoKeyUpdate();
  return job !== undefined && job.completed_at === null && job.step === step && job.dispatch === dispatch
    ? job
    : undefined;
}

/** Like lockJobStep for the plan step, whose fencing token is in the site's order. Locks the job's row there as well. */
export async function lockPlanStep(
  trx: Knex.Transaction,
  jobId: string,
  dispatch: number,
  besides: string = NOTHING,
): Promise<Job | undefined> {
  return Job.query(trx)
    .findById(jobId)
    .select('job.*', raw(besides))
    .joinRaw('JOIN job_order ON job_order.site_id = job.site_id AND job_order.position = job.line_no')
    .where({ 'job.step': 'plan', 'job_order.dispatch': dispatch })
    .whereNull('job.completed_at')
    .forNoKeyUpdate();
}

/**
 * Begins a job within `trx`, which then holds the job's row and the lock under which jobs of the site begin.
 * A job that has begun before (its worker died) begins again without waiting.
 */
export async function beginJob(
  trx: Knex.Transaction,
  jobId: string,
  dispatch: number,
  hooks: BeginHooks,
): Promise<BeginOutcome> {
  const job = await lockPlanStep(trx, jobId, dispatch, `${HAS_UNIQUE}, ${hooks.besides}`);
  if (job === undefined || job.line_no === null) return { kind: 'stale' };
  if (job.started_at !== null && job.definitions_version !== null) {
    return { kind: 'begun', job, definitionsVersion: job.definitions_version };
  }
  // Inserts that may claim one unique value have an order after all: the earlier job has it.
  const concurrent = job.shared && !('has_unique' in job && job.has_unique === true);
  const place = { position: job.line_no, concurrent };
  const isTurn = async () => mayBegin(await loadFront(trx, job.site_id), place);
  if (!(await tryLockBegin(trx, job.site_id, place))) {
    // Another job begins, or a whole request is carried out. What has to wait anyway should not fill the workers meanwhile.
    if (!(await isTurn())) return holdJob(trx, job, place);
    await lockBegin(trx, job.site_id, place);
  }
  if (!(await isTurn())) return holdJob(trx, job, place);
  // Other jobs change the definitions; only what goes by them needs them kept.
  const definitionsVersion = job.kind !== 'item' ? 0 : await hooks.snapshotDefinitions(trx, job.site_id);
  await Job.query(trx).findById(jobId).patch({
    status: 'IN_PROGRESS',
    started_at: new Date(),
    definitions_version: definitionsVersion,
    shared: concurrent,
    updated_at: new Date(),
  });
  await recordBegin(trx, job.site_id, place);
  return { kind: 'begun', job, definitionsVersion };
}

async function holdJob(trx: Knex.Transaction, job: Job, place: Place): Promise<BeginOutcome> {
  await hold(trx, job.site_id, place);
  return { kind: 'held', job };
}
