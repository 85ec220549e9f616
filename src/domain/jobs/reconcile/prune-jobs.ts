/** Deletes old jobs. */
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { JobTypes } from '../../job-model/job-type.js';
import { deleteJobs, findOldJobs } from './prune/old-jobs.js';

interface PruneServices {
  readonly db: Db;
  readonly fileStore: Pick<FileStore, 'remove'>;
}

/**
 * Deletes a batch of the jobs that ended more than so many days ago, and before them the bytes of their files.
 * @param changesSince all changes from before are gone
 */
export async function pruneJobs(
  { db, fileStore }: PruneServices,
  types: JobTypes,
  retentionDays: number,
  changesSince: Date,
): Promise<void> {
  const jobs = await findOldJobs(db, types, retentionDays, changesSince);
  if (jobs.length === 0) return;
  const ids = jobs.map(({ id }) => id);
  const files: { id: string; storage_key: string | null }[] = await db('file')
    .whereIn('job_id', ids)
    .select('id', 'storage_key');
  for (const { storage_key: key } of files) if (key !== null) await fileStore.remove(key);
  for (const key of jobs.flatMap(({ storedKeys }) => storedKeys)) await fileStore.remove(key);
  const fileIds = files.map(({ id }) => id);
  await deleteJobs(db, ids, fileIds);
}

/** Deletes the suspicions of steps whose jobs have ended. A job that has FAILED may be retried, and keeps them. */
export async function pruneSuspects(db: Db): Promise<void> {
  await db.raw(
    `DELETE FROM suspect_step USING job
     WHERE job.id = suspect_step.job_id AND job.completed_at IS NOT NULL AND job.status <> 'FAILED'`,
  );
}
