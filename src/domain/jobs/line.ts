/** The line of a site: in which order its jobs take effect. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/outbox.js';

/** Namespace of the advisory locks that guard the moment at which a site's jobs begin. */
const LINE_LOCK = 0x6c696e65;
/**
 * Jobs of one site that run beside each other: enough to keep a database busy, few enough to leave workers, and their
 * memory, to the jobs of other sites.
 */
const SIDE_BY_SIDE = 4;
/** How many parked jobs are looked at when one leaves the line. */
const LOOK_AHEAD = 64;

/** What of a job decides its turn. */
export interface PlaceInLine {
  readonly id: string;
  readonly site_id: number;
  readonly line_no: number;
  readonly shared: boolean;
}

/**
 * Whether the job `one` has to wait for another of its site to end: one accepted earlier, or one already running,
 * unless both may run beside each other and not too many do. One text for who asks and for who takes up: were a job
 * parked by one rule and taken up by another, it would be asked again and again.
 */
const WAITS = `(
  EXISTS (
    SELECT 1 FROM job AS other
    WHERE other.site_id = one.site_id AND other.completed_at IS NULL AND other.line_no IS NOT NULL
      AND NOT other.shared AND other.id <> one.id AND (other.line_no < one.line_no OR other.started_at IS NOT NULL))
  OR NOT one.shared AND EXISTS (
    SELECT 1 FROM job AS other
    WHERE other.site_id = one.site_id AND other.completed_at IS NULL AND other.line_no IS NOT NULL
      AND other.shared AND (other.line_no < one.line_no OR other.started_at IS NOT NULL))
  OR (
    SELECT count(*) FROM (
      SELECT 1 FROM job AS other
      WHERE other.site_id = one.site_id AND other.completed_at IS NULL AND other.line_no < one.line_no
      LIMIT ${SIDE_BY_SIDE}) AS ahead) = ${SIDE_BY_SIDE}
)`;

/** Whether it is not yet the job's turn. */
export async function mustWait(db: Db, place: PlaceInLine): Promise<boolean> {
  const result = await db.raw(
    `SELECT ${WAITS} AS waits
     FROM (SELECT :id::text AS id, :site_id::integer AS site_id, :line_no::bigint AS line_no, :shared::boolean AS shared) AS one`,
    { ...place },
  );
  return result.rows[0].waits;
}

/**
 * Lets jobs of one site begin one after another: two that looked at the line at once could both believe it is their
 * turn. Jobs that run beside each other share the lock. Held to the end of the transaction.
 */
export async function lockLine(trx: Knex.Transaction, job: PlaceInLine): Promise<void> {
  const lock = job.shared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await trx.raw(`SELECT ${lock}(?, ?)`, [LINE_LOCK, job.site_id]);
}

/** Like lockLine, but does not wait. @returns whether the line is locked */
export async function tryLockLine(trx: Knex.Transaction, job: PlaceInLine): Promise<boolean> {
  const lock = job.shared ? 'pg_try_advisory_xact_lock_shared' : 'pg_try_advisory_xact_lock';
  const result = await trx.raw(`SELECT ${lock}(?, ?) AS locked`, [LINE_LOCK, job.site_id]);
  return result.rows[0].locked;
}

/**
 * Puts a job aside until its turn has come. Whether it may run beside others is kept as it was found, for whoever takes
 * it up to go by.
 */
export async function park(trx: Db, { id, shared }: PlaceInLine): Promise<void> {
  await trx('job').where({ id }).update({ dispatched_at: null, shared, updated_at: trx.fn.now() });
}

/**
 * Takes up the parked jobs whose turn has come.
 * @param siteId one site; null: every site (the reconciler)
 * @returns what to enqueue once the statement has committed
 */
export async function takeUpParked(db: Db, siteId: number | null): Promise<Dispatch[]> {
  const result = await db.raw(
    `WITH parked AS (
       SELECT id, site_id, line_no, shared FROM job
       WHERE completed_at IS NULL AND line_no IS NOT NULL AND step = 'plan' AND dispatched_at IS NULL
         ${siteId === null ? '' : 'AND site_id = :siteId'}
       ORDER BY line_no LIMIT ${siteId === null ? LOOK_AHEAD * 16 : LOOK_AHEAD}
     ), due AS (
       SELECT job.id FROM job JOIN parked AS one USING (id)
       WHERE job.dispatched_at IS NULL AND job.step = 'plan' AND job.completed_at IS NULL AND NOT ${WAITS}
       FOR UPDATE OF job SKIP LOCKED
     )
     UPDATE job SET dispatch = dispatch + 1, dispatched_at = now(), updated_at = now()
     FROM due WHERE job.id = due.id
     RETURNING job.id, job.dispatch`,
    siteId === null ? {} : { siteId },
  );
  return result.rows.map(({ id, dispatch }: { id: string; dispatch: number }) => ({
    queue: 'plan',
    payload: { jobId: id, dispatch },
  }));
}
