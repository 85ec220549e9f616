/**
 * The order of a site's jobs, in the narrow table job_order: in which order they take effect, and who is held until
 * others end. Whatever waits, each statement reads one short range of one index.
 *
 * Positions of a site are given under a lock that is held until they are committed. So whoever sees a position sees
 * all lower ones, and the first jobs that have not ended are the first for good.
 */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { CONCURRENT_JOBS, type FrontEntry, type Place } from './turns.js';

/** Jobs of one site that have ended, before their rows are swept away by one of those that end: a power of two. */
const SWEEP_EVERY = 64;
/**
 * A job that finds so many others waiting directly ahead of it is accepted as held: its turn cannot come for a while,
 * and to enqueue it only to find that out costs a queue job and a transaction.
 */
const WAITING_AHEAD = 2 * CONCURRENT_JOBS;
/** A site without a new job for so long keeps no rows of jobs that have ended. */
const IDLE_AFTER = '10 minutes';

/**
 * CTE for a statement that gives a job its place: `placed (position, state)`. Bind siteId, id and concurrent. The
 * statement should be the last before the commit: others of the site wait.
 */
export const PLACED = `
  turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.position}, :siteId)),
  ahead AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE state IN ('q', 'h')) AS waiting
    FROM (SELECT state FROM job_order WHERE site_id = :siteId ORDER BY position DESC LIMIT ${WAITING_AHEAD}) AS last
  ),
  placed AS (
    INSERT INTO job_order (site_id, position, job_id, state, concurrent, dispatch, dispatched_at)
    SELECT :siteId, nextval('job_line_no_seq'), :id,
      CASE WHEN ahead.waiting = ${WAITING_AHEAD} THEN 'h' ELSE 'q' END::"char", :concurrent, 1, now()
    FROM turn, ahead
    RETURNING position, state
  )`;

/** The first jobs of a site that have not ended: those that run, and those that may be next. */
export async function loadFront(db: Db, siteId: number): Promise<FrontEntry[]> {
  const result = await db.raw(
    `SELECT position, job_id AS "jobId", state, concurrent, dispatch FROM job_order
     WHERE site_id = :siteId AND state <> 'e'
       AND position >= coalesce((SELECT floor FROM job_order_floor WHERE site_id = :siteId), 0)
     ORDER BY position LIMIT ${CONCURRENT_JOBS}`,
    { siteId },
  );
  return result.rows;
}

/**
 * Lets jobs of one site begin one after another: two that looked at the front at once could both believe that it is
 * their turn. Concurrent jobs share the lock. Held to the end of the transaction.
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

/** Holds a job until its turn has come. Whether it may run beside others is kept as it was found. */
export async function hold(trx: Db, siteId: number, { position, concurrent }: Place): Promise<void> {
  await trx.raw(`UPDATE job_order SET state = 'h', concurrent = ? WHERE site_id = ? AND position = ?`, [
    concurrent,
    siteId,
    position,
  ]);
}

/** Records that a job runs. */
export async function recordBegin(trx: Db, siteId: number, { position, concurrent }: Place): Promise<void> {
  await trx.raw(`UPDATE job_order SET state = 'r', concurrent = ? WHERE site_id = ? AND position = ?`, [
    concurrent,
    siteId,
    position,
  ]);
}

/** Releases these jobs of a front, those that are still held. @returns what to enqueue */
export async function release(db: Db, siteId: number, due: readonly FrontEntry[]): Promise<OutboxEntry[]> {
  const positions = due.map(({ position }) => position);
  // One that begins, is cancelled or is released at this moment is somebody else's.
  const result = await db.raw(
    `WITH due AS (
       SELECT position FROM job_order WHERE site_id = :siteId AND position = ANY (:positions::bigint[]) AND state = 'h'
       FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE job_order SET state = 'q', dispatch = dispatch + 1, dispatched_at = now()
     FROM due WHERE job_order.site_id = :siteId AND job_order.position = due.position
     RETURNING job_order.job_id, job_order.dispatch`,
    { siteId, positions },
  );
  return result.rows.map(({ job_id: jobId, dispatch }: { job_id: string; dispatch: number }) => ({
    queue: 'plan',
    payload: { jobId, dispatch },
  }));
}

/** Takes jobs that have ended out of the order. Those whose end is recorded by endJob are out of it already. */
export async function removeEnded(db: Db, siteId: number, positions: readonly number[]): Promise<void> {
  await db.raw(`UPDATE job_order SET state = 'e' WHERE site_id = ? AND position = ANY (?::bigint[])`, [
    siteId,
    [...positions],
  ]);
}

/** Whether the end of the job at this position is one of those that sweep. */
export function sweepsAt(position: number): boolean {
  return (Math.imul(position, 0x9e3779b1) >>> 8) % SWEEP_EVERY === 0;
}

/**
 * Removes the rows of jobs that have ended, and raises the floors of their sites. Every so many ends of a site do this,
 * so that the front is found at once however long ago the table was vacuumed. The newest rows of a site stay while it
 * is in use: acceptance looks at them.
 */
export async function sweep(db: Db, siteIds: readonly number[]): Promise<void> {
  await db.raw(
    `WITH known AS MATERIALIZED (
       SELECT given.site_id, kept.swept,
         -- The first that has not ended; where there is none, behind the last.
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
         -- What has ended behind the front was cancelled, and is swept when the front has come there.
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
       SELECT site_id, floor, least(floor, keep_from) FROM known ORDER BY site_id
       ON CONFLICT (site_id) DO UPDATE
       SET floor = greatest(job_order_floor.floor, excluded.floor), swept = greatest(job_order_floor.swept, excluded.swept)
       WHERE job_order_floor.floor < excluded.floor OR job_order_floor.swept < excluded.swept
     )
     DELETE FROM job_order USING known
     WHERE job_order.site_id = known.site_id AND job_order.position >= known.swept
       AND job_order.position < least(known.keep_from, known.front_end) AND job_order.state = 'e'`,
    { siteIds: [...siteIds] },
  );
}

/** A site's front as the reconciler finds it: with what has become of the jobs. */
export interface SiteFront {
  readonly siteId: number;
  readonly front: readonly ReconciledEntry[];
}

interface ReconciledEntry extends FrontEntry {
  /** Its plan step has not been on the queue for long enough to be missed. */
  readonly overdue: boolean;
  /** Nothing but the plan step moves the job on. */
  readonly inPlan: boolean;
  /** The job has ended, or is gone, without leaving the order: as the release before the order's table does it. */
  readonly hasEnded: boolean;
}

/**
 * The fronts of the sites after `afterSiteId` that have rows in the order, `limit` sites at most, by id.
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
     SELECT site.site_id AS "siteId", front.position, front.job_id AS "jobId", front.state, front.concurrent, front.dispatch,
       front.dispatched_at < now() - :graceMs * interval '1 millisecond' AS overdue, job.step = 'plan' AS "inPlan",
       job.id IS NULL OR job.completed_at IS NOT NULL AS "hasEnded"
     FROM site
     LEFT JOIN LATERAL (
       SELECT position, job_id, state, concurrent, dispatch, dispatched_at FROM job_order
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
