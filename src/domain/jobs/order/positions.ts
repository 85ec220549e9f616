/** Assigns positions in the ordering queue of a site. */
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { CONCURRENT_JOBS, type OrderState } from './turns.js';

/**
 * A job with so many others waiting directly ahead of it is accepted as held: its turn cannot come for a while, and
 * enqueueing it only to find that out would cost a queue job and a transaction.
 */
export const WAITING_AHEAD = 2 * CONCURRENT_JOBS;

/**
 * CTEs for a statement that places jobs of any sites: `placed (job_id, position, state)`. It needs a CTE `given (number,
 * id, site_id, concurrent, batchable, ordered)`, of which it places the jobs that are `ordered`, by their `number`. Bind
 * waitMs: how long it waits for the lock of a site; null for as long as the connection waits for any lock. A statement
 * for several sites has locked some of them, whose requests wait meanwhile. It locks sites in the order of their ids, so
 * that two such statements do not deadlock, and fails with 55P03 when one of them stays locked. It should be the last
 * statement before the commit, because other requests of these sites wait for it.
 *
 * A batchable job directly behind another one that waits is held as well: the batch that begins with the other executes
 * both, and one queue job is enough for all of them. Release what is due after the commit: that batch may have begun.
 *
 * A job that was just placed waits. So the jobs directly ahead of another one all wait if those of this statement do not
 * leave room for one that does not.
 */
export const PLACED = `
  patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', coalesce(:waitMs::integer || 'ms', current_setting('lock_timeout')), true) AS set
  ),
  sites AS MATERIALIZED (SELECT DISTINCT site_id FROM given WHERE ordered),
  turns AS MATERIALIZED (
    SELECT count(pg_advisory_xact_lock(${ADVISORY_LOCKS.position}, site.site_id)) AS locked
    FROM patience, (SELECT site_id FROM sites ORDER BY site_id) AS site WHERE patience.set IS NOT NULL
  ),
  ahead AS MATERIALIZED (
    SELECT site.site_id, last.waiting, last.batch FROM sites AS site
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
  in_order AS MATERIALIZED (
    SELECT id, site_id, concurrent, batchable,
      CASE WHEN ahead.waiting + row_number() OVER of_site > ${WAITING_AHEAD}
        OR (batchable AND coalesce(lag(batchable) OVER of_site, ahead.batch)) THEN 'h' ELSE 'q' END::"char" AS state
    FROM given JOIN ahead USING (site_id) WHERE ordered
    WINDOW of_site AS (PARTITION BY site_id ORDER BY number)
    ORDER BY number
  ),
  placed AS (
    INSERT INTO job_order (site_id, position, job_id, state, concurrent, batchable, dispatch, dispatched_at)
    SELECT site_id, nextval('job_line_no_seq'), id, state, concurrent, batchable, 1, now() FROM turns, in_order
    RETURNING job_id, position, state
  )`;

/** The outbox entry of a plan step. Steps of small jobs that are enqueued together become one queue job. */
export function planStep(
  step: { readonly jobId: string; readonly dispatch: number; readonly suspect?: true | undefined },
  batchable: boolean,
): OutboxEntry {
  return batchable ? { queue: 'plan-batch', payload: { steps: [step] } } : { queue: 'plan', payload: step };
}

/** Returns the plan step of a job that was just placed; nothing when the job is held. */
export function planEntry(jobId: string, state: OrderState, batchable: boolean, dispatch = 1): OutboxEntry[] {
  return state === 'h' ? [] : [planStep({ jobId, dispatch }, batchable)];
}
