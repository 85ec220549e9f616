/** Removes ended jobs from the ordering queues. */
import type { Db } from '../../../../db/connection.js';
import { WAITING_AHEAD } from './positions.js';
import { CONCURRENT_JOBS } from './turns.js';

/** One end of a job in so many sweeps the rows of ended jobs of its site: a power of two. */
const SWEEP_EVERY = 64;
/** A site that got no new job for so long keeps no rows of ended jobs. */
const IDLE_AFTER = '10 minutes';

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
