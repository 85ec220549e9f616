/**
 * Commits an upload whose bytes are stored: the file is recorded and its job enters the ordering queue, or neither
 * happens.
 */
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import type { FileStore } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { contentTypeOf, formatOf } from '../formats/file-format.js';
import { scheduleFileJob } from '../jobs/accept-job.js';
import type { Upload } from './begin-upload.js';
import { isArchiveName } from './file-name.js';
import { uploadRefusal } from './upload-refusal.js';

/** Bytes that are stored durably in the file store. */
export interface StoredBytes {
  readonly key: string;
  readonly bytes: number;
}

/**
 * If several uploads of a file run at once, the first to arrive here wins; the bytes of the others are removed.
 * @returns the outbox entries to enqueue
 * @throws DomainError conflict or gone when the file does not wait for an upload any more
 */
export async function completeUpload(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  upload: Pick<Upload, 'fileId' | 'name' | 'jobId'>,
  stored: StoredBytes,
): Promise<OutboxEntry[]> {
  try {
    return await recordUpload(db, upload, stored);
  } catch (error) {
    // If the connection is lost at the commit, its outcome is unknown. Until it is known, the bytes stay: orphaned
    // bytes only cost space, but without them a recorded file could not be imported.
    const committed = await holdsBytes(db, upload.fileId, stored.key).catch(() => {
      throw error;
    });
    if (committed) return [];
    await fileStore.remove(stored.key);
    throw error;
  }
}

/** The job is locked before the file, in the same order as when a job is cancelled. */
function recordUpload(
  db: Db,
  { fileId, name, jobId }: Pick<Upload, 'fileId' | 'name' | 'jobId'>,
  { key, bytes }: StoredBytes,
): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    const { placed, outboxEntries } = await scheduleFileJob(trx, jobId);
    if (!placed) throw await uploadRefusal(trx, fileId);
    const recorded = await File.query(trx)
      .where({ id: fileId, status: 'AWAITING_UPLOAD' })
      .patch({
        status: 'UPLOADED',
        storage_key: key,
        content_type: isArchiveName(name) ? 'application/zip' : contentTypeOf(formatOf(name)),
        bytes,
        uploaded_at: new Date(),
        // Null unless it is held.
        expires_at: raw("now() + hold_hours * interval '1 hour'"),
        look_at: null,
      });
    if (recorded === 0) throw await uploadRefusal(trx, fileId);
    return outboxEntries;
  });
}

/** Waits for a transaction that still locks the row. The job that it scheduled is enqueued by the reconciler. */
async function holdsBytes(db: Db, fileId: string, key: string): Promise<boolean> {
  const file = await db.transaction(async (trx) => File.query(trx).findById(fileId).forUpdate());
  return file?.storage_key === key;
}
