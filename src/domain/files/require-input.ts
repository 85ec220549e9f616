/** Refuses at once to repeat a job whose file is no longer there: the new one would only fail as the old one has. */
import type { Db } from '../../../db/connection.js';
import type { FileStore } from '../../platform/file-store.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';

/**
 * Looks for the file of a job that failed because it was missing. To be called before the transaction of the retry.
 * @throws DomainError gone INPUT_GONE when it still is
 */
export async function refuseMissingInput(db: Db, fileStore: FileStore, siteId: number, jobId: string): Promise<void> {
  if (!isId(jobId)) return;
  const input: { storage_key: string } | undefined = await db('job')
    .join('file', 'file.id', 'job.input_file_id')
    .where({ 'job.id': jobId, 'job.site_id': siteId, 'job.reason': 'FILE_MISSING' })
    .whereNotNull('file.storage_key')
    .first('file.storage_key');
  if (input === undefined || (await fileStore.size(input.storage_key)) !== null) return;
  const message = 'the file of the job is no longer in the file store: announce it and upload it again';
  throw new DomainError('gone', 'INPUT_GONE', message);
}
