/**
 * The ordering queue of each site, in the narrow table job_order: in which order jobs take effect, and which jobs are
 * held until others end. However many jobs wait, each statement reads one short range of one index.
 *
 * Positions of a site are assigned under a lock that is held until they are committed. A reader that sees a position
 * therefore sees all lower ones, and no job can appear later ahead of the front.
 */

import type { Knex } from 'knex';
import { stepMark } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import { prepared } from '../../../../db/prepared.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { addTo } from '../../kernel/grouped-by.js';
import { planStep } from './positions.js';
import { CONCURRENT_JOBS, type FrontEntry, type OrderState } from './turns.js';

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

/** Loads the fronts of the given sites that have one: their first jobs that have not ended, which run or may be next. */
export async function loadFrontsOf(db: Db, siteIds: readonly number[]): Promise<ReadonlyMap<number, FrontEntry[]>> {
  const result = await prepared(
    db,
    `SELECT site.site_id AS "siteId", front.* FROM unnest(:siteIds::integer[]) AS site (site_id)
     CROSS JOIN LATERAL (${frontOf('site.site_id')}) AS front
     ORDER BY site.site_id, front.position`,
    { siteIds: [...siteIds] },
  );
  const fronts = new Map<number, FrontEntry[]>();
  for (const { siteId, ...entry } of result.rows) addTo(fronts, siteId, entry);
  return fronts;
}

/**
 * Holds a job that still waits under this fencing token until its turn has come, unless another transaction is at its row.
 * @param concurrent records whether it is; absent: as it was accepted
 */
export async function holdWaiting(
  trx: Knex.Transaction,
  siteId: number,
  { jobId, dispatch }: { readonly jobId: string; readonly dispatch: number },
  concurrent: boolean | null = null,
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
     UPDATE job_order SET state = 'h', concurrent = coalesce(:concurrent::boolean, concurrent)
     FROM waiting WHERE site_id = :siteId AND job_order.position = waiting.position`,
    { siteId, jobId, dispatch, concurrent },
  );
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
