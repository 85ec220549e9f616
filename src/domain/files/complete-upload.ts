/** Commits an upload whose bytes are stored: the file is there and its job in line, or neither. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import type { FileStore } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { contentTypeOf, formatOf } from '../formats/file-format.js';
import { scheduleFileJob } from '../jobs/accept-job.js';
import type { Upload } from './begin-upload.js';
import { uploadRefusal } from './upload-refusal.js';

/** Bytes that lie durably in the file store. */
export interface StoredBytes {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Of two uploads at once the first to come here wins. What does not win is removed from the store.
 * @returns what to enqueue
 * @throws DomainError conflict or gone when the file waits for no upload any more
 */
export async function completeUpload(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  upload: Upload,
  stored: StoredBytes,
): Promise<OutboxEntry[]> {
  try {
    return await recordUpload(db, upload, stored);
  } catch (error) {
    // A connection lost at the commit leaves open what became of it. As long as nobody can tell, the bytes stay:
    // an orphan costs space, a file without its bytes would break the promise that its import is.
    const committed = await holdsBytes(db, upload.fileId, stored.key).catch(() => {
      throw error;
    });
    if (committed) return [];
    await fileStore.remove(stored.key);
    throw error;
  }
}

/** The job is locked before the file, as by whoever cancels it. */
function recordUpload(db: Db, { fileId, name, jobId }: Upload, { key, bytes }: StoredBytes): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    const { placed, outboxEntries } = await scheduleFileJob(trx, jobId);
    if (!placed) throw await uploadRefusal(trx, fileId);
    const recorded = await File.query(trx)
      .where({ id: fileId, status: 'AWAITING_UPLOAD' })
      .patch({
        status: 'UPLOADED',
        storage_key: key,
        content_type: contentTypeOf(formatOf(name)),
        bytes,
        uploaded_at: new Date(),
        expires_at: null,
      });
    if (recorded === 0) throw await uploadRefusal(trx, fileId);
    return outboxEntries;
  });
}

/** Waits for a transaction that still holds the row. The job that it scheduled is enqueued by the reconciler. */
async function holdsBytes(db: Db, fileId: string, key: string): Promise<boolean> {
  const file = await db.transaction(async (trx) => File.query(trx).findById(fileId).forUpdate());
  return file?.storage_key === key;
}
