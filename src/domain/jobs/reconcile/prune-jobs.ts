/** Ends uploads that expired, and deletes old jobs. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { JobRow } from '../../../../db/models/job.js';
import { withChanges } from '../../changes/kept-changes.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from '../ends/emit-job-end.js';
import type { JobTypes } from '../model/job-type.js';
import { ENDS_AT } from '../steps/times.js';
import { BATCH } from './lost-steps.js';

/**
 * Ends jobs whose file was never uploaded as EXPIRED; they never had a position in the ordering queue. The job is
 * locked before the file, in the same order as when an upload is completed or cancelled.
 * @returns the jobs that ended; call followEnd for each
 */
export function expireUploads(db: Db): Promise<string[]> {
  return db.transaction(expireBatch);
}

async function expireBatch(trx: Knex.Transaction): Promise<string[]> {
  const expired = await trx.raw<{ rows: (Subscribers & { id: string })[] }>(
    `WITH due AS (
       SELECT job.id, job.input_file_id FROM file JOIN job ON job.input_file_id = file.id
       WHERE file.status = 'AWAITING_UPLOAD' AND file.expires_at < now() AND file.look_at IS NULL
         AND job.status = 'AWAITING_UPLOAD'
       LIMIT ${BATCH} FOR UPDATE OF job SKIP LOCKED
     ), late AS (
       UPDATE file SET status = 'EXPIRED' FROM due
       WHERE file.id = due.input_file_id AND file.status = 'AWAITING_UPLOAD' AND file.expires_at < now()
         AND file.look_at IS NULL
       RETURNING due.id
     )
     UPDATE job SET status = 'EXPIRED', completed_at = ${ENDS_AT}, updated_at = now(), step = NULL,
       status_message = 'the file was not uploaded in time; announce it again to get a new URL'
     FROM late WHERE job.id = late.id RETURNING job.id, ${SUBSCRIBERS}`,
  );
  for (const { id, ...subscribers } of expired.rows) await emitJobEnd(trx, id, subscribers);
  return expired.rows.map(({ id }) => id);
}

/**
 * Ends jobs of held files as EXPIRED of which nothing said in time how they are to be imported. Their bytes are deleted
 * afterwards, as those of rejected files are.
 * @returns the jobs that ended; call followEnd for each
 */
export function expireHeld(db: Db): Promise<string[]> {
  return db.transaction(async (trx) => {
    const expired = await trx.raw<{ rows: (Subscribers & { id: string })[] }>(
      `WITH due AS (
         SELECT job.id FROM file JOIN job ON job.input_file_id = file.id
         WHERE file.status = 'UPLOADED' AND file.expires_at < now() AND job.status = 'AWAITING_PROFILE'
         LIMIT ${BATCH} FOR UPDATE OF job SKIP LOCKED
       )
       UPDATE job SET status = 'EXPIRED', completed_at = ${ENDS_AT}, updated_at = now(), step = NULL,
         status_message = 'the file was uploaded, and nothing said in time how to import it; announce it again'
       FROM due WHERE job.id = due.id RETURNING job.id, ${SUBSCRIBERS}`,
    );
    for (const { id, ...subscribers } of expired.rows) await emitJobEnd(trx, id, subscribers);
    return expired.rows.map(({ id }) => id);
  });
}

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
  const jobs: Pick<JobRow, 'id' | 'plan' | 'kind'>[] = await db('job')
    .whereRaw("completed_at < now() - ? * interval '1 day'", [retentionDays])
    .whereRaw('(pruned_at IS NULL OR completed_at < ?)', [changesSince])
    // A retried job before its retry, to which their file belongs.
    .orderBy('completed_at')
    .limit(BATCH)
    .select('id', 'plan', 'kind');
  return jobs.map((job) => ({ id: job.id, storedKeys: types[job.kind]?.storedKeys(job) ?? [] }));
}

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
    for (const table of ['job_chunk', 'job_error']) await trx(table).whereIn('job_id', kept).delete();
    await trx('preview_row')
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

/** Deletes the suspicions of steps whose jobs have ended. A job that has FAILED may be retried, and keeps them. */
export async function pruneSuspects(db: Db): Promise<void> {
  await db.raw(
    `DELETE FROM suspect_step USING job
     WHERE job.id = suspect_step.job_id AND job.completed_at IS NOT NULL AND job.status <> 'FAILED'`,
  );
}
