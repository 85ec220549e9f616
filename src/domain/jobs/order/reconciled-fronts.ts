/** Loads the fronts of many sites for the reconciler. */
import type { Db } from '../../../../db/connection.js';
import { CONCURRENT_JOBS, type FrontEntry } from './turns.js';

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
