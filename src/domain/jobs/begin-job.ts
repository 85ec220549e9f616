/** The moment at which a job begins: its turn in line has come, and the definitions it goes by are fixed. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { lockLine, mustWait, type PlaceInLine, park, tryLockLine } from './line.js';

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
  /** Others of the site come first; whoever leaves the line takes it up again. */
  | { readonly kind: 'parked'; readonly job: Job };

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

/** A job that changes definitions holds the site's row, perhaps for long, and all others of the site wait for its end anyway. */
const CHANGES_DEFINITIONS = `EXISTS (
  SELECT 1 FROM job AS other
  WHERE other.site_id = job.site_id AND other.completed_at IS NULL AND other.started_at IS NOT NULL
    AND other.kind IN ('attribute', 'category'))`;

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
  step: 'plan' | 'apply-all' | 'finish',
  dispatch: number,
  besides: string = NOTHING,
): Promise<Job | undefined> {
  const job = await Job.query(trx).findById(jobId).select('job.*', raw(besides)).forNoKeyUpdate();
  return job !== undefined && job.completed_at === null && job.step === step && job.dispatch === dispatch
    ? job
    : undefined;
}

/**
 * Begins a job within `trx`, which then holds the job's row and the site's line.
 * A job that has begun before (its worker died) begins again without waiting.
 */
export async function beginJob(
  trx: Knex.Transaction,
  jobId: string,
  dispatch: number,
  hooks: BeginHooks,
): Promise<BeginOutcome> {
  const job = await lockJobStep(trx, jobId, 'plan', dispatch, `${HAS_UNIQUE}, ${hooks.besides}`);
  if (job === undefined || job.line_no === null) return { kind: 'stale' };
  if (job.started_at !== null && job.definitions_version !== null) {
    return { kind: 'begun', job, definitionsVersion: job.definitions_version };
  }
  // Inserts that may claim one unique value have an order after all: the earlier job has it.
  const shared = job.shared && !('has_unique' in job && job.has_unique === true);
  const place = { id: job.id, site_id: job.site_id, line_no: job.line_no, shared };
  if (!(await tryLockLine(trx, place))) {
    // Somebody begins, or a whole request is carried out. What has to wait anyway should not fill the workers meanwhile.
    if (await mustWait(trx, place)) return parkJob(trx, job, place);
    await lockLine(trx, place);
  }
  if (await mustWait(trx, place)) return parkJob(trx, job, place);
  // Other jobs change the definitions; only what goes by them needs them kept.
  const definitionsVersion = job.kind !== 'item' ? 0 : await hooks.snapshotDefinitions(trx, job.site_id);
  await Job.query(trx).findById(jobId).patch({
    status: 'IN_PROGRESS',
    started_at: new Date(),
    definitions_version: definitionsVersion,
    shared,
    updated_at: new Date(),
  });
  return { kind: 'begun', job, definitionsVersion };
}

async function parkJob(trx: Knex.Transaction, job: Job, place: PlaceInLine): Promise<BeginOutcome> {
  await park(trx, place);
  return { kind: 'parked', job };
}
