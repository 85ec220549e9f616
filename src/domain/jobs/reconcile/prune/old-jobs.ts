/** Finds old jobs, and deletes their rows. */
import type { Knex } from 'knex';
import type { Db } from '../../../../../db/connection.js';
import type { JobRow } from '../../../../../db/models/job.js';
import { withChanges } from '../../../changes/kept-changes.js';
import type { JobTypes } from '../../../job-model/job-type.js';
import { deleteErrors } from '../../../outcomes/record-errors.js';

/** The most jobs that one statement finds. */
const BATCH = 500;

/** A job whose retention has ended. */
interface OldJob {
  readonly id: string;
  /** File store keys that it may have written in addition to its recorded files. */
  readonly storedKeys: readonly string[];
}

/**
 * Finds a batch of the jobs that ended more than so many days ago. Those that were kept for their changes are found again
 * when these are gone. @param changesSince all changes from before are gone
 */
export async function findOldJobs(
  db: Db,
  types: JobTypes,
  retentionDays: number,
  changesSince: Date,
): Promise<OldJob[]> {
  const { rows } = await db.raw<{ rows: Pick<JobRow, 'id' | 'plan' | 'kind'>[] }>(OLD, { retentionDays, changesSince });
  return rows.map((job) => ({ id: job.id, storedKeys: types[job.kind]?.storedKeys(job) ?? [] }));
}

/** SQL: the oldest jobs that ended so long ago and meet a condition, in the order of the index that has this condition. */
function oldest(condition: string): string {
  // The last export is found at its address until the next one is.
  return `(SELECT id, plan, kind, completed_at FROM job
    WHERE ${condition} AND completed_at < now() - :retentionDays * interval '1 day'
      AND NOT EXISTS (SELECT FROM published_file WHERE published_file.job_id = job.id)
    ORDER BY completed_at LIMIT ${BATCH})`;
}

// A retried job before its retry, to which their file belongs.
const OLD = `
  SELECT id, plan, kind FROM (
    ${oldest('pruned_at IS NULL')} UNION ALL ${oldest('pruned_at IS NOT NULL AND completed_at < :changesSince')}) AS old
  ORDER BY completed_at LIMIT ${BATCH}`;

/**
 * Deletes jobs with their chunks, their errors and the rows of their files. Of a job that has changed something the row
 * stays, so that its changes say where they come from.
 */
export async function deleteJobs(db: Db, ids: readonly string[], fileIds: readonly string[]): Promise<void> {
  await db.transaction(async (trx) => {
    const kept = await withChanges(trx, ids);
    await trx('job')
      .whereIn('id', kept)
      .update({ pruned_at: trx.fn.now(), input_file_id: null, error_file_id: null, output_file_id: null });
    await trx('job_chunk').whereIn('job_id', kept).delete();
    await deleteErrors(trx, kept);
    for (const table of ['preview_row', 'snapshot_sku'])
      await trx(table)
        .whereIn('job_id', [...ids])
        .delete();
    await trx('job')
      .whereIn('id', [...ids])
      .whereNotIn('id', kept)
      .delete();
    const inUse = await leaveToTrials(trx, ids, fileIds);
    await trx('file')
      .whereIn(
        'id',
        fileIds.filter((id) => !inUse.includes(id)),
      )
      .delete();
  });
}

/** Files that were held, and whose trials are still there: the row goes with the last of these, and its bytes are gone. */
async function leaveToTrials(
  trx: Knex.Transaction,
  ids: readonly string[],
  fileIds: readonly string[],
): Promise<string[]> {
  const held: string[] = await trx('file')
    .whereIn('id', [...fileIds])
    .whereNotNull('hold_hours')
    .pluck('id');
  if (held.length === 0) return [];
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `UPDATE file SET job_id = trial.id, status = 'DELETED', storage_key = NULL
     FROM (SELECT DISTINCT ON (input_file_id) input_file_id, id FROM job
           WHERE input_file_id = ANY (CAST(:held AS text[])) AND NOT id = ANY (CAST(:ids AS text[]))
           ORDER BY input_file_id, created_at DESC) AS trial
     WHERE file.id = trial.input_file_id RETURNING file.id`,
    { held, ids: [...ids] },
  );
  return rows.map(({ id }) => id);
}
