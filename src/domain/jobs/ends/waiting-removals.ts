/** Jobs whose rows were applied, and whose removals wait for an approval: what is left of these when nobody has given it. */
import type { Db } from '../../../../db/connection.js';

/** The reason of such a job when it ends without its removals: the brake of its snapshot has held. */
export const SNAPSHOT_BRAKE = 'SNAPSHOT_BRAKE';

/** SQL: whether it is such a job. */
export const HAS_ONLY_REMOVALS = "job.options -> 'approval' ->> 'only' IS NOT DISTINCT FROM 'removals'";

/** What its end says then. */
export const NOTHING_REMOVED = 'nothing was removed, and the rows were applied';

/** Nothing was removed: records so, and deletes what the removal would have needed. The jobs' rows are locked. */
export async function dropRemovals(trx: Db, jobIds: readonly string[]): Promise<void> {
  for (const table of ['preview_row', 'snapshot_sku']) await trx(table).whereIn('job_id', jobIds).delete();
  await trx.raw(
    `UPDATE job SET options = jsonb_set(options, '{removal}', ${SHOWN} - 'waits' || '{"removed": 0}')
     WHERE id = ANY (CAST(:jobIds AS text[])) AND ${HAS_ONLY_REMOVALS} AND ${SHOWN} IS NOT NULL`,
    { jobIds: [...jobIds] },
  );
}

/** SQL: what the job shows of its removals, or has shown before they were approved. */
export const SHOWN = "coalesce(options -> 'removal', options -> 'approval' -> 'removal')";
