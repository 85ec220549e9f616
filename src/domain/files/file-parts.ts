/** Parts of a file that is uploaded in several requests: each is stored when it is complete, and the last one joins them. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import type { FileStore } from '../../platform/file-store.js';
import { DomainError } from '../kernel/errors.js';
import type { Upload } from './begin-upload.js';
import type { StoredBytes } from './complete-upload.js';
import { uploadRefusal } from './upload-refusal.js';

/** Of an upload that is cut, at most so much is sent again. */
export const PART_BYTES = 16 * 1024 * 1024;
/** All parts but the last have at least so many bytes, so that a file has few of them. */
export const LEAST_PART_BYTES = 5 * 1024 * 1024;

/** Files of one pass of maintenance. */
const BATCH = 500;

interface Services {
  readonly db: Db;
  readonly fileStore: FileStore;
}

interface PartRow {
  readonly file_id: string;
  readonly start_at: number;
  readonly bytes: number;
  readonly storage_key: string;
}

/** How many bytes of a file that waits for its upload are kept. */
export async function keptBytes(db: Db, fileId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { kept: number }[] }>(
    'SELECT coalesce(sum(bytes), 0)::bigint AS kept FROM file_part WHERE file_id = ?',
    [fileId],
  );
  return Number(rows[0]?.kept ?? 0);
}

/**
 * Records a part that is stored: it follows what is kept, or begins the file anew, and nothing else is kept then. If that
 * fails, its bytes are removed, unless the answer to the commit was lost.
 * @throws DomainError conflict when other bytes are kept than those before the part
 */
export async function recordPart(
  { db, fileStore }: Services,
  { fileId, accountId }: Pick<Upload, 'fileId' | 'accountId'>,
  start: number,
  { key, bytes }: StoredBytes,
): Promise<number> {
  const row = { file_id: fileId, start_at: start, bytes, storage_key: key, account_id: accountId };
  try {
    const replaced = await db.transaction(async (trx) => {
      const waits = await File.query(trx).findById(fileId).where({ status: 'AWAITING_UPLOAD' }).forUpdate();
      if (waits === undefined) throw await uploadRefusal(trx, fileId);
      const kept: PartRow[] = await trx('file_part').where({ file_id: fileId });
      requireNext(
        start,
        kept.reduce((sum, part) => sum + Number(part.bytes), 0),
      );
      if (start === 0) await trx('file_part').where({ file_id: fileId }).delete();
      await trx('file_part').insert(row);
      return start === 0 ? kept : [];
    });
    for (const part of replaced) await fileStore.remove(part.storage_key);
  } catch (error) {
    const recorded = await db('file_part')
      .where({ storage_key: key, file_id: fileId })
      .first()
      .catch(() => {
        throw error;
      });
    if (recorded === undefined) {
      await fileStore.remove(key);
      throw error;
    }
  }
  return start + bytes;
}

/** A part at the beginning is always accepted: the file is sent anew. @throws DomainError conflict */
export function requireNext(start: number, kept: number): void {
  if (start === kept || start === 0) return;
  const message = `${kept} bytes of this file are kept, and this part begins at ${start}: send the part that begins at ${kept}`;
  throw new DomainError('conflict', 'PART_OUT_OF_PLACE', message);
}

/** Makes one stored file of all parts. @throws DomainError conflict when the store has lost one: none is kept then */
export async function joinParts({ db, fileStore }: Services, fileId: string): Promise<StoredBytes> {
  const parts: PartRow[] = await db('file_part').where({ file_id: fileId }).orderBy('start_at');
  for (const { storage_key: key, bytes } of parts) {
    if ((await fileStore.size(key)) === Number(bytes)) continue;
    await removeParts({ db, fileStore }, fileId);
    const message = 'the file store has lost a part of this file, and none is kept: upload the file from its beginning';
    throw new DomainError('conflict', 'PARTS_LOST', message);
  }
  const key = `uploads/${fileId}-${randomBytes(8).toString('hex')}`;
  const pending = await fileStore.create(key);
  try {
    await pipeline(bytesOf(fileStore, parts), pending.stream);
    await pending.commit();
  } catch (error) {
    await pending.discard();
    await fileStore.remove(key);
    throw error;
  }
  return { key, bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0) };
}

async function* bytesOf(fileStore: FileStore, parts: readonly PartRow[]): AsyncGenerator<Buffer> {
  for (const { storage_key: key } of parts) {
    const stream: Readable = await fileStore.read(key);
    yield* stream;
  }
}

/** Removes the parts of a file that is whole, or does not wait for its upload any more. */
export async function removeParts({ db, fileStore }: Services, fileId: string): Promise<void> {
  await removeAll({ db, fileStore }, await db('file_part').where({ file_id: fileId }));
}

/** Removes the parts of files that do not wait for their upload any more: they are whole, were cancelled or have expired. */
export async function pruneParts({ db, fileStore }: Services): Promise<void> {
  const { rows } = await db.raw<{ rows: PartRow[] }>(
    `SELECT file_part.* FROM file_part LEFT JOIN file ON file.id = file_part.file_id
     WHERE file.status IS DISTINCT FROM 'AWAITING_UPLOAD' LIMIT ${BATCH}`,
  );
  await removeAll({ db, fileStore }, rows);
}

/** The bytes first: what was interrupted is found again. */
async function removeAll({ db, fileStore }: Services, parts: readonly PartRow[]): Promise<void> {
  for (const { file_id, start_at, storage_key } of parts) {
    await fileStore.remove(storage_key);
    await db('file_part').where({ file_id, start_at, storage_key }).delete();
  }
}
