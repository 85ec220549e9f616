/** Parts of a file that is uploaded in several requests: each is stored when it is complete. */
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

export interface PartServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

export interface PartRow {
  readonly file_id: string;
  readonly start_at: number;
  readonly bytes: number;
  /** Of the whole file; null in parts that an earlier release has recorded. */
  readonly total: number | null;
  readonly storage_key: string;
}

/** What is kept of a file that waits for its upload. */
export interface KeptParts {
  readonly bytes: number;
  /** The size of the whole file, as its parts have said; undefined: nothing is known of it. */
  readonly total: number | undefined;
}

export async function keptParts(db: Db, fileId: string): Promise<KeptParts> {
  return keptOf(await partsOf(db, fileId));
}

/** In the order of the file. */
export function partsOf(db: Db, fileId: string): Promise<PartRow[]> {
  return db('file_part').where({ file_id: fileId }).orderBy('start_at');
}

export function keptOf(parts: readonly PartRow[]): KeptParts {
  const total = parts.find((part) => part.total !== null)?.total ?? undefined;
  return {
    bytes: parts.reduce((sum, part) => sum + Number(part.bytes), 0),
    total: total === undefined ? undefined : Number(total),
  };
}

/**
 * Records a part that is stored: it follows what is kept, or begins the file anew, and nothing else is kept then. If that
 * fails, its bytes are removed, unless the answer to the commit was lost.
 * @throws DomainError conflict when other bytes are kept than those before the part
 */
export async function recordPart(
  { db, fileStore }: PartServices,
  { fileId, accountId }: Pick<Upload, 'fileId' | 'accountId'>,
  part: { readonly start: number; readonly total: number },
  { key, bytes }: StoredBytes,
): Promise<number> {
  const { start, total } = part;
  const row = { file_id: fileId, start_at: start, bytes, total, storage_key: key, account_id: accountId };
  try {
    const replaced = await db.transaction(async (trx) => {
      const waits = await File.query(trx).findById(fileId).where({ status: 'AWAITING_UPLOAD' }).forUpdate();
      if (waits === undefined) throw await uploadRefusal(trx, fileId);
      const kept = await partsOf(trx, fileId);
      requireNext(part, keptOf(kept));
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
export function requireNext(
  { start, total }: { readonly start: number; readonly total: number },
  kept: KeptParts,
): void {
  if (start === 0) return;
  requireSameFile(total, kept);
  if (start !== kept.bytes) {
    throw outOfPlace(
      `${kept.bytes} bytes of this file are kept, and this part begins at ${start}: send the part that begins at ${kept.bytes}`,
    );
  }
}

/** What is kept can be a part of a file of this size. @throws DomainError conflict */
export function requireSameFile(total: number, kept: KeptParts): void {
  if (kept.total !== undefined && kept.total !== total) {
    throw outOfPlace(
      `the parts that are kept are those of a file of ${kept.total} bytes, and this request speaks of one of ${total}: name the same size in each request, or send the file from its beginning`,
    );
  }
  if (kept.bytes > total) {
    throw outOfPlace(
      `${kept.bytes} bytes of this file are kept, and this request speaks of a file of ${total}: send the file from its beginning`,
    );
  }
}

export function outOfPlace(message: string): DomainError {
  return new DomainError('conflict', 'PART_OUT_OF_PLACE', message);
}

/** Removes the parts of a file that is whole, or does not wait for its upload any more. */
export async function removeParts({ db, fileStore }: PartServices, fileId: string): Promise<void> {
  await removeAll({ db, fileStore }, await db('file_part').where({ file_id: fileId }));
}

/** Removes the parts of files that do not wait for their upload any more: they are whole, were cancelled or have expired. */
export async function pruneParts({ db, fileStore }: PartServices): Promise<void> {
  const { rows } = await db.raw<{ rows: PartRow[] }>(
    `SELECT file_part.* FROM file_part LEFT JOIN file ON file.id = file_part.file_id
     WHERE file.status IS DISTINCT FROM 'AWAITING_UPLOAD' LIMIT ${BATCH}`,
  );
  await removeAll({ db, fileStore }, rows);
}

/** The bytes first: what was interrupted is found again. */
async function removeAll({ db, fileStore }: PartServices, parts: readonly PartRow[]): Promise<void> {
  for (const { file_id, start_at, storage_key } of parts) {
    await fileStore.remove(storage_key);
    await db('file_part').where({ file_id, start_at, storage_key }).delete();
  }
}
