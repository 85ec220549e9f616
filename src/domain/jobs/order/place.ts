/** Assigns a position in the ordering queue of a site to a job that was recorded without one. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { PLACED, planEntry } from './positions.js';

/** The outcome of placing a job. */
export interface Placed {
  /** False when the job was cancelled, has expired, or was placed by another call meanwhile. */
  readonly placed: boolean;
  /** What to enqueue once committed. */
  readonly outboxEntries: OutboxEntry[];
}

export const NOT_PLACED: Placed = { placed: false, outboxEntries: [] };

/** Places a job that was recorded without a position. If two calls do so at once, the second does nothing. */
export function placeJob(db: Db, jobId: string): Promise<Placed> {
  return db.transaction(async (trx) => {
    const job = await trx('job')
      .where({ id: jobId, step: 'plan' })
      .whereNull('line_no')
      .whereNull('completed_at')
      .forNoKeyUpdate()
      .skipLocked()
      .first('site_id', 'shared');
    return job === undefined ? NOT_PLACED : place(trx, jobId, job);
  });
}

/** @param dispatch the fencing token of its plan step: higher than any that it had at an earlier place */
export async function place(
  trx: Knex.Transaction,
  jobId: string,
  { site_id: siteId, shared }: { readonly site_id: number; readonly shared: boolean },
  dispatch = 1,
): Promise<Placed> {
  const result = await trx.raw(
    `WITH given AS (
       SELECT 0 AS number, :id AS id, :siteId::integer AS site_id, :shared::boolean AS concurrent, false AS batchable,
         true AS ordered
     ), ${PLACED}, recorded AS (
       UPDATE job SET line_no = placed.position, updated_at = now() FROM placed WHERE job.id = :id
     )
     SELECT state, position FROM placed`,
    { id: jobId, siteId, shared, waitMs: null },
  );
  const [{ state, position }] = result.rows;
  if (dispatch > 1) await trx('job_order').where({ site_id: siteId, position }).update({ dispatch });
  return { placed: true, outboxEntries: planEntry(jobId, state, false, dispatch) };
}
