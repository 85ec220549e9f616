/**
 * The ordering queue of each site, in the narrow table job_order: in which order jobs take effect, and which jobs are
 * held until others end. However many jobs wait, each statement reads one short range of one index.
 *
 * Positions of a site are assigned under a lock that is held until they are committed. A reader that sees a position
 * therefore sees all lower ones, and no job can appear later ahead of the front.
 */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import { prepared } from '../../../../db/prepared.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { CONCURRENT_JOBS, type FrontEntry, type OrderState, type Place } from './turns.js';

/** One end of a job in so many sweeps the rows of ended jobs of its site: a power of two. */
const SWEEP_EVERY = 64;
/**
 * A job with so many others waiting directly ahead of it is accepted as held: its turn cannot come for a while, and
 * enqueueing it only to find that out would cost a queue job and a transaction.
 */
const WAITING_AHEAD = 2 * CONCURRENT_JOBS;
/** A site that got no new job for so long keeps no rows of ended jobs. */
const IDLE_AFTER = '10 minutes';

/**
 * CTEs for a statement that places a job: `placed (position, state)`. Bind siteId, id, concurrent and batchable. The
 * statement should be the last before the commit, because other requests of the site wait for its lock.
 *
 * A batchable job directly behind another one that waits is held as well: the batch that begins with the other executes
 * both, and one queue job is enough for all of them. Release what is due after the commit: that batch may have begun.
 */
export const PLACED = `
  turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.position}, :siteId)),
  ahead AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE state IN ('q', 'h')) AS waiting,
      coalesce((array_agg(batchable AND state IN ('q', 'h') ORDER BY position DESC))[1], false) AS batch
    FROM (
      SELECT position, state, batchable FROM job_order WHERE site_id = :siteId ORDER BY position DESC LIMIT ${WAITING_AHEAD}
    ) AS last
  ),
  placed AS (
    INSERT INTO job_order (site_id, position, job_id, state, concurrent, batchable, dispatch, dispatched_at)
    SELECT :siteId, nextval('job_line_no_seq'), :id,
      CASE WHEN ahead.waiting = ${WAITING_AHEAD} OR (:batchable::boolean AND ahead.batch) THEN 'h' ELSE 'q' END::"char",
      :concurrent, :batchable, 1, now()
    FROM turn, ahead
    RETURNING position, state
  )`;

/**
 * How long a statement for many jobs waits for the lock of a site. It has locked other sites already, whose requests wait
 * meanwhile.
 */
const PLACING_WAIT = '1s';

/**
 * Like PLACED for many jobs of many sites: needs a CTE `given (number, id, site_id, concurrent, batchable)`, `number`
 * being the order of arrival, and results in `placed (job_id, position, state)`. The states are those that PLACED gives
 * when the jobs are placed one after another. It locks sites in the order of their ids, so that two such statements do
 * not deadlock, and fails with 55P03 when one of them stays locked.
 *
 * A job that was just placed waits. So the jobs directly ahead of another one all wait if those of this statement do not
 * leave room for one that does not.
 */
export const PLACED_TOGETHER = `
  patience AS MATERIALIZED (SELECT set_config('lock_timeout', '${PLACING_WAIT}', true) AS set),
  turns AS MATERIALIZED (
    SELECT count(pg_advisory_xact_lock(${ADVISORY_LOCKS.position}, site.site_id)) AS locked
    FROM patience, (SELECT DISTINCT site_id FROM given ORDER BY site_id) AS site WHERE patience.set IS NOT NULL
  ),
  ahead AS MATERIALIZED (
    SELECT site.site_id, last.waiting, last.batch FROM (SELECT DISTINCT site_id FROM given) AS site
    CROSS JOIN LATERAL (
      SELECT coalesce(min(back) FILTER (WHERE NOT waits) - 1, count(*)) AS waiting,
        coalesce(bool_or(batchable AND waits) FILTER (WHERE back = 1), false) AS batch
      FROM (
        SELECT row_number() OVER (ORDER BY position DESC) AS back, state IN ('q', 'h') AS waits, batchable
        FROM (
          SELECT position, state, batchable FROM job_order WHERE job_order.site_id = site.site_id
          ORDER BY position DESC LIMIT ${WAITING_AHEAD}
        ) AS newest
      ) AS newest
    ) AS last
  ),
  ordered AS MATERIALIZED (
    SELECT id, site_id, concurrent, batchable,
      CASE WHEN ahead.waiting + row_number() OVER of_site > ${WAITING_AHEAD}
        OR (batchable AND coalesce(lag(batchable) OVER of_site, ahead.batch)) THEN 'h' ELSE 'q' END::"char" AS state
    FROM given JOIN ahead USING (site_id)
    WINDOW of_site AS (PARTITION BY site_id ORDER BY number)
    ORDER BY number
  ),
  placed AS (
    INSERT INTO job_order (site_id, position, job_id, state, concurrent, batchable, dispatch, dispatched_at)
    SELECT site_id, nextval('job_line_no_seq'), id, state, concurrent, batchable, 1, now() FROM turns, ordered
    RETURNING job_id, position, state
  )`;

/**
 * SQL: the first jobs of a site that have not ended, as FrontEntry, and whether each is suspect.
 * @param site SQL: the site's id
 */
export function frontOf(site: string, limit: number = CONCURRENT_JOBS): string {
  return `SELECT position, job_id AS "jobId", job_order.state, concurrent, batchable, job_order.dispatch, suspect
    FROM job_order
    WHERE job_order.site_id = ${site} AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = ${site}), 0)
    ORDER BY position LIMIT ${limit}`;
}

/** Loads the front of a site: the first jobs that have not ended, which run or may be next. */
export async function loadFront(db: Db, siteId: number): Promise<FrontEntry[]> {
  const result = await db.raw(frontOf(':siteId'), { siteId });
  return result.rows;
}

/** Loads the fronts of the given sites that have one. */
export async function loadFrontsOf(db: Db, siteIds: readonly number[]): Promise<ReadonlyMap<number, FrontEntry[]>> {
  const result = await prepared(
    db,
    `SELECT site.site_id AS "siteId", front.* FROM unnest(:siteIds::integer[]) AS site (site_id)
     CROSS JOIN LATERAL (${frontOf('site.site_id')}) AS front
     ORDER BY site.site_id, front.position`,
    { siteIds: [...siteIds] },
  );
  const fronts = new Map<number, FrontEntry[]>();
  for (const { siteId, ...entry } of result.rows) {
    const front = fronts.get(siteId);
    if (front === undefined) fronts.set(siteId, [entry]);
    else front.push(entry);
  }
  return fronts;
}

/**
 * Makes jobs of one site begin one after another: two that read the front at the same time could both conclude that it
 * is their turn. Concurrent jobs share the lock. It is held to the end of the transaction.
 */
export async function lockBegin(trx: Knex.Transaction, siteId: number, { concurrent }: Place): Promise<void> {
  const lock = concurrent ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await trx.raw(`SELECT ${lock}(?, ?)`, [ADVISORY_LOCKS.begin, siteId]);
}

/** Like lockBegin, but does not wait. @returns whether the lock is held */
export async function tryLockBegin(trx: Knex.Transaction, siteId: number, { concurrent }: Place): Promise<boolean> {
  const lock = concurrent ? 'pg_try_advisory_xact_lock_shared' : 'pg_try_advisory_xact_lock';
  const result = await trx.raw(`SELECT ${lock}(?, ?) AS locked`, [ADVISORY_LOCKS.begin, siteId]);
  return result.rows[0].locked;
}

/** Holds a job until its turn has come, and records whether it is concurrent. */
export async function hold(trx: Db, siteId: number, { position, concurrent }: Place): Promise<void> {
  await trx.raw(`UPDATE job_order SET state = 'h', concurrent = ? WHERE site_id = ? AND position = ?`, [
    concurrent,
    siteId,
    position,
  ]);
}

/** Holds a job that still waits under this fencing token, unless another transaction is at its row. */
export async function holdWaiting(
  trx: Db,
  siteId: number,
  { jobId, dispatch }: { readonly jobId: string; readonly dispatch: number },
): Promise<void> {
  await trx.raw(
    `WITH waiting AS (
       SELECT job_order.position, ${stepMark('job.id')} FROM job
       CROSS JOIN LATERAL (
         SELECT position FROM job_order
         WHERE site_id = :siteId AND position = job.line_no AND job_order.dispatch = :dispatch AND state = 'q'
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job_order
       WHERE job.id = :jobId
     )
     UPDATE job_order SET state = 'h' FROM waiting WHERE site_id = :siteId AND job_order.position = waiting.position`,
    { siteId, jobId, dispatch },
  );
}

/** Records that a job runs, and whether it is concurrent. */
export async function recordBegin(trx: Db, siteId: number, { position, concurrent }: Place): Promise<void> {
  await trx.raw(`UPDATE job_order SET state = 'r', concurrent = ? WHERE site_id = ? AND position = ?`, [
    concurrent,
    siteId,
    position,
  ]);
}

/** Releases those of the given jobs of the given sites that are still held. @returns what to enqueue */
export async function release(
  db: Db,
  siteIds: readonly number[],
  due: readonly Pick<FrontEntry, 'position'>[],
): Promise<OutboxEntry[]> {
  // A locked row belongs to a job that another transaction begins, cancels or releases at this moment: it is skipped.
  // No two sites have the same position.
  const result = await db.raw(
    `WITH due AS (
       SELECT site_id, position FROM job_order
       WHERE site_id = ANY (:siteIds::integer[]) AND position = ANY (:positions::bigint[]) AND state = 'h'
       FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE job_order SET state = 'q', dispatch = dispatch + 1, dispatched_at = now()
     FROM due WHERE job_order.site_id = due.site_id AND job_order.position = due.position
     RETURNING job_order.job_id, job_order.dispatch, job_order.batchable, job_order.suspect`,
    { siteIds: [...siteIds], positions: due.map(({ position }) => position) },
  );
  return result.rows.map(({ job_id: jobId, dispatch, batchable, suspect }: ReleasedRow) =>
    planStep({ jobId, dispatch, ...(suspect ? { suspect } : {}) }, batchable && !suspect),
  );
}

interface ReleasedRow {
  readonly job_id: string;
  readonly dispatch: number;
  readonly batchable: boolean;
  readonly suspect: boolean;
}

/** The outbox entry of a plan step. Steps of small jobs that are enqueued together become one queue job. */
export function planStep(
  step: { readonly jobId: string; readonly dispatch: number; readonly suspect?: true | undefined },
  batchable: boolean,
): OutboxEntry {
  return batchable ? { queue: 'plan-batch', payload: { steps: [step] } } : { queue: 'plan', payload: step };
}

/** SQL: the columns of a failed job that stays in the ordering queue, to keep the jobs behind it waiting. */
export const PAUSING = `state = 'p', concurrent = false, batchable = false`;

/** Lets the jobs behind a failed job continue. @returns whether they were waiting for that */
export async function endPause(db: Db, siteId: number, jobId: string): Promise<boolean> {
  const result = await db.raw(
    `UPDATE job_order SET state = 'e' FROM job
     WHERE job.id = :jobId AND job_order.site_id = :siteId AND job_order.position = job.line_no AND state = 'p'
     RETURNING job_order.position`,
    { siteId, jobId },
  );
  return result.rows.length > 0;
}

/** A job at the front of a site that keeps the jobs behind it waiting for longer than its rows take. */
export interface Blocker {
  readonly jobId: string;
  readonly position: number;
  readonly concurrent: boolean;
  readonly state: OrderState;
  /** Why it waits itself. */
  readonly message: string | null;
}

/** Finds the first job of a site that has failed and pauses the site, or that waits for an outage to end. */
export async function findBlocker(db: Db, siteId: number): Promise<Blocker | undefined> {
  const result = await db.raw<{ rows: Blocker[] }>(
    `SELECT front."jobId", front.position, front.concurrent, front.state, job.status_message AS message
     FROM (${frontOf(':siteId')}) AS front CROSS JOIN LATERAL (
       SELECT status_message FROM job WHERE job.id = front."jobId" LIMIT 1) AS job
     WHERE front.state = 'p' OR job.status_message IS NOT NULL
     ORDER BY front.position LIMIT 1`,
    { siteId },
  );
  return result.rows[0];
}

/** Removes ended jobs from the ordering queue. Jobs that were ended by endJob have already left it. */
export async function removeEnded(db: Db, siteId: number, positions: readonly number[]): Promise<void> {
  await db.raw(`UPDATE job_order SET state = 'e' WHERE site_id = ? AND position = ANY (?::bigint[])`, [
    siteId,
    [...positions],
  ]);
}

/** Whether the end of the job at this position sweeps the site (see SWEEP_EVERY). */
export function sweepsAt(position: number): boolean {
  return (Math.imul(position, 0x9e3779b1) >>> 8) % SWEEP_EVERY === 0;
}

/**
 * Removes the rows of ended jobs, and raises the floors of their sites. This happens once in so many ends of a site,
 * so that the front is found quickly even when the table has not been vacuumed for long. The newest rows of a site
 * stay while it is in use, because acceptance reads them.
 */
export async function sweep(db: Db, siteIds: readonly number[]): Promise<void> {
  await db.raw(
    `WITH bounds AS MATERIALIZED (
       SELECT given.site_id, kept.swept,
         -- The position of the first job that has not ended; when there is none, the position after the last job.
         coalesce(
           (SELECT position FROM job_order WHERE job_order.site_id = given.site_id AND state <> 'e'
              AND position >= kept.floor ORDER BY position LIMIT 1),
           newest.position + 1
         ) AS floor,
         CASE WHEN newest.dispatched_at < now() - interval '${IDLE_AFTER}' THEN newest.position + 1 ELSE
           coalesce(
             (SELECT position FROM job_order WHERE job_order.site_id = given.site_id
              ORDER BY position DESC OFFSET ${WAITING_AHEAD - 1} LIMIT 1), kept.swept)
         END AS keep_from,
         -- Jobs behind the front that have ended were cancelled; they are swept when the front reaches them.
         coalesce(
           (SELECT position FROM job_order WHERE job_order.site_id = given.site_id AND state <> 'e'
              AND position >= kept.floor ORDER BY position OFFSET ${CONCURRENT_JOBS - 1} LIMIT 1),
           newest.position + 1
         ) AS front_end
       FROM unnest(:siteIds::integer[]) AS given (site_id)
       CROSS JOIN LATERAL (
         SELECT coalesce(max(floor), 0) AS floor, coalesce(max(swept), 0) AS swept
         FROM job_order_floor WHERE job_order_floor.site_id = given.site_id
       ) AS kept
       CROSS JOIN LATERAL (
         SELECT position, dispatched_at FROM job_order WHERE job_order.site_id = given.site_id
         ORDER BY position DESC LIMIT 1
       ) AS newest
     ), raised AS (
       INSERT INTO job_order_floor (site_id, floor, swept)
       SELECT site_id, floor, least(floor, keep_from) FROM bounds ORDER BY site_id
       ON CONFLICT (site_id) DO UPDATE
       SET floor = greatest(job_order_floor.floor, excluded.floor), swept = greatest(job_order_floor.swept, excluded.swept)
       WHERE job_order_floor.floor < excluded.floor OR job_order_floor.swept < excluded.swept
     )
     DELETE FROM job_order USING bounds
     WHERE job_order.site_id = bounds.site_id AND job_order.position >= bounds.swept
       AND job_order.position < least(bounds.keep_from, bounds.front_end) AND job_order.state = 'e'`,
    { siteIds: [...siteIds] },
  );
}

/** A site's front as the reconciler loads it: with the state of each job. */
export interface SiteFront {
  readonly siteId: number;
  readonly front: readonly ReconciledEntry[];
}

interface ReconciledEntry extends FrontEntry {
  /** Its plan step has been due for so long that the queue may have lost it. */
  readonly overdue: boolean;
  readonly dispatchedAt: Date;
  /** The job is in its plan step: no other step moves it on. */
  readonly inPlan: boolean;
  /** The job has ended or was deleted, but is still in the queue: releases from before the table job_order do that. */
  readonly hasEnded: boolean;
}

/**
 * Loads the fronts of the sites after `afterSiteId` that have rows in job_order: at most `limit` sites, by id.
 * @param graceMs how long a plan step may have been due before it is overdue
 */
export async function loadFronts(db: Db, afterSiteId: number, limit: number, graceMs: number): Promise<SiteFront[]> {
  const result = await db.raw(
    `WITH RECURSIVE found (site_id) AS (
       (SELECT site_id FROM job_order WHERE site_id > :afterSiteId ORDER BY site_id LIMIT 1)
       UNION ALL
       SELECT (SELECT site_id FROM job_order WHERE job_order.site_id > found.site_id ORDER BY site_id LIMIT 1)
       FROM found WHERE found.site_id IS NOT NULL
     ), site AS MATERIALIZED (SELECT site_id FROM found WHERE site_id IS NOT NULL LIMIT :limit)
     SELECT site.site_id AS "siteId", front.position, front.job_id AS "jobId", front.state, front.concurrent,
       front.batchable, front.dispatch, front.dispatched_at AS "dispatchedAt",
       front.dispatched_at < now() - :graceMs * interval '1 millisecond' AS overdue, job.step = 'plan' AS "inPlan",
       job.id IS NULL OR (job.completed_at IS NOT NULL AND front.state <> 'p') AS "hasEnded"
     FROM site
     LEFT JOIN LATERAL (
       SELECT position, job_id, state, concurrent, batchable, dispatch, dispatched_at FROM job_order
       WHERE job_order.site_id = site.site_id AND state <> 'e'
         AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = site.site_id), 0)
       ORDER BY position LIMIT ${CONCURRENT_JOBS}
     ) AS front ON true
     LEFT JOIN LATERAL (SELECT id, step, completed_at FROM job WHERE job.id = front.job_id LIMIT 1) AS job ON true
     ORDER BY site.site_id, front.position`,
    { afterSiteId, limit, graceMs },
  );
  const fronts = new Map<number, ReconciledEntry[]>();
  for (const { siteId, ...entry } of result.rows) {
    const front = fronts.get(siteId) ?? [];
    if (entry.position !== null) front.push(entry);
    fronts.set(siteId, front);
  }
  return [...fronts].map(([siteId, front]) => ({ siteId, front }));
}
