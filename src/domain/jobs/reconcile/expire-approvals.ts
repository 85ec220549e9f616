/** Ends jobs that nobody has approved in time. */
import type { Db } from '../../../../db/connection.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from '../ends/emit-job-end.js';
import { ENDS_AT } from '../steps/times.js';
import { BATCH } from './lost-steps.js';

/**
 * Ends jobs as EXPIRED that nobody has approved in time.
 * @returns the jobs that ended; call followEnd for each
 */
export function expireApprovals(db: Db, hours: number): Promise<string[]> {
  return db.transaction(async (trx) => {
    const expired = await trx.raw<{ rows: (Subscribers & { id: string })[] }>(
      `WITH due AS (
         SELECT id FROM job WHERE status = 'AWAITING_APPROVAL' AND updated_at < now() - :hours * interval '1 hour'
         ORDER BY updated_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM preview_row USING due WHERE preview_row.job_id = due.id
       )
       UPDATE job SET status = 'EXPIRED', completed_at = ${ENDS_AT}, updated_at = now(), step = NULL,
         status_message = 'nobody has approved it within ' || :hours || ' hours; nothing was written'
       FROM due WHERE job.id = due.id RETURNING job.id, ${SUBSCRIBERS}`,
      { hours },
    );
    for (const { id, ...subscribers } of expired.rows) await emitJobEnd(trx, id, subscribers);
    return expired.rows.map(({ id }) => id);
  });
}
