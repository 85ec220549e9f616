/** A running upload keeps its file from expiring; when it fails, the previous expiry is restored. */
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { type AccountQuotas, quotasOf } from '../access/quotas.js';
import { uploadRefusal } from './upload-refusal.js';

/** Longer than any upload lasts. If a process dies during an upload, the file expires after this time. */
const UNDER_WAY_MS = 24 * 60 * 60 * 1000;

/** One upload of a file. There may be several at once; the first to complete wins. */
export interface Upload {
  readonly fileId: string;
  readonly name: string;
  readonly jobId: string;
  /** Whose file it is; null: that of an earlier release. */
  readonly accountId: string | null;
  readonly quotas: AccountQuotas;
  /** The expiry of the file during the upload, and its expiry before. */
  readonly until: Date;
  readonly before: Date | null;
}

/** @throws DomainError conflict or gone when the file does not wait for an upload */
export function beginUpload(db: Db, fileId: string): Promise<Upload> {
  return db.transaction(async (trx) => {
    const file = (await File.query(trx)
      .findById(fileId)
      .where({ status: 'AWAITING_UPLOAD' })
      .select('file.*', raw('(SELECT quotas FROM account WHERE account.id = file.account_id) AS quotas'))
      .forUpdate()) as (File & { readonly quotas: unknown }) | undefined;
    if (file === undefined || file.job_id === null) throw await uploadRefusal(trx, fileId);
    const until = new Date(Date.now() + UNDER_WAY_MS);
    await File.query(trx).findById(fileId).patch({ expires_at: until });
    const { name, job_id: jobId, account_id: accountId, expires_at: before } = file;
    return { fileId, name, jobId, accountId, quotas: quotasOf(file.quotas), until, before };
  });
}

/** Restores the previous expiry after a failed upload, unless another upload has begun meanwhile. */
export async function abandonUpload(db: Db, { fileId, until, before }: Upload): Promise<void> {
  await File.query(db)
    .where({ id: fileId, status: 'AWAITING_UPLOAD', expires_at: until })
    .patch({ expires_at: before });
}
