/** An upload under way keeps its file from expiring, and gives that up when it fails. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { uploadRefusal } from './upload-refusal.js';

/** Longer than any upload takes; what a process that dies in the middle of one leaves behind expires then. */
const UNDER_WAY_MS = 24 * 60 * 60 * 1000;

/** One upload of a file; there may be several at once, of which one will win. */
export interface Upload {
  readonly fileId: string;
  readonly name: string;
  readonly jobId: string;
  /** What the file's expiry is while the upload is under way, and what it was before. */
  readonly until: Date;
  readonly before: Date | null;
}

/** @throws DomainError conflict or gone when the file waits for no upload */
export function beginUpload(db: Db, fileId: string): Promise<Upload> {
  return db.transaction(async (trx) => {
    const file = await File.query(trx).findById(fileId).where({ status: 'AWAITING_UPLOAD' }).forUpdate();
    if (file === undefined || file.job_id === null) throw await uploadRefusal(trx, fileId);
    const until = new Date(Date.now() + UNDER_WAY_MS);
    await File.query(trx).findById(fileId).patch({ expires_at: until });
    return { fileId, name: file.name, jobId: file.job_id, until, before: file.expires_at };
  });
}

/** After an upload that failed: the file expires when it would have, unless another upload has begun meanwhile. */
export async function abandonUpload(db: Db, { fileId, until, before }: Upload): Promise<void> {
  await File.query(db)
    .where({ id: fileId, status: 'AWAITING_UPLOAD', expires_at: until })
    .patch({ expires_at: before });
}
