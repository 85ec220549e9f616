/**
 * Deletes the bytes of files early that were rejected as a whole, or held and never imported: nothing was applied, and
 * they are corrected elsewhere.
 */
import type { Db } from '../../../db/connection.js';
import type { JobRow } from '../../../db/models/job.js';

const BATCH = 500;

interface RejectedFile {
  readonly id: string;
  readonly storageKey: string;
  readonly job: Pick<JobRow, 'id' | 'kind' | 'plan'>;
}

/** Files whose bytes are to be deleted now, with their jobs. */
export async function findRejectedFiles(db: Db): Promise<RejectedFile[]> {
  const { rows } = await db.raw<{ rows: (RejectedFile['job'] & { file_id: string; storage_key: string })[] }>(
    `SELECT file.id AS file_id, file.storage_key, job.id, job.kind, job.plan
     FROM file JOIN job ON job.id = file.job_id
     WHERE file.status = 'UPLOADED' AND file.expires_at IS NOT NULL AND file.expires_at < now()
       AND job.completed_at IS NOT NULL
     ORDER BY file.expires_at LIMIT ${BATCH}`,
  );
  return rows.map(({ file_id: id, storage_key: storageKey, ...job }) => ({ id, storageKey, job }));
}

/**
 * Records that the bytes are deleted, and what was found in them with them. Call this afterwards: what was interrupted is
 * then found again.
 */
export async function noteDeleted(db: Db, ids: readonly string[]): Promise<void> {
  await db('file_inspection')
    .whereIn('file_id', [...ids])
    .delete();
  await db('file')
    .whereIn('id', [...ids])
    .update({ status: 'DELETED', storage_key: null });
}
