/** Joins the parts of a file that was uploaded in several requests. */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../../platform/file-store.js';
import { storeFile } from '../../platform/store-file.js';
import { DomainError } from '../kernel/errors.js';
import type { StoredBytes } from './complete-upload.js';
import { keptOf, outOfPlace, type PartRow, type PartServices, partsOf, removeParts } from './file-parts.js';

/**
 * Makes one stored file of all parts.
 * @param total the bytes of the whole file
 * @throws DomainError conflict when they are not all of the file, or another request has begun it anew meanwhile; also when
 * the store has lost one: none is kept then
 */
export async function joinParts({ db, fileStore }: PartServices, fileId: string, total: number): Promise<StoredBytes> {
  const parts = await partsOf(db, fileId);
  requireWhole(parts, total);
  try {
    return await storeJoined(fileStore, fileId, parts);
  } catch (error) {
    requireWhole(parts, total, await partsOf(db, fileId));
    if (error instanceof LostPart) {
      await removeParts({ db, fileStore }, fileId);
      const message =
        'the file store has lost a part of this file, and none is kept: upload the file from its beginning';
      throw new DomainError('conflict', 'PARTS_LOST', message);
    }
    throw error;
  }
}

/** @param present what is kept by now, where it may be others */
function requireWhole(parts: readonly PartRow[], total: number, present = parts): void {
  const { bytes } = keptOf(parts);
  const isWhole = bytes === total && parts.every((part, index) => isNext(part, parts[index - 1]));
  const isPresent = parts.every(({ storage_key: key }) => present.some((part) => part.storage_key === key));
  if (isWhole && isPresent) return;
  const kept = keptOf(present).bytes;
  throw outOfPlace(
    `another request has sent this file from its beginning: ${kept} bytes of it are kept now, send the part that begins at ${kept}`,
  );
}

function isNext({ start_at: start }: PartRow, before: PartRow | undefined): boolean {
  return Number(start) === (before === undefined ? 0 : Number(before.start_at) + Number(before.bytes));
}

class LostPart extends Error {
  override readonly name = 'LostPart';
}

async function storeJoined(fileStore: FileStore, fileId: string, parts: readonly PartRow[]): Promise<StoredBytes> {
  for (const { storage_key: key, bytes } of parts) {
    if ((await fileStore.size(key)) !== Number(bytes)) throw new LostPart(key);
  }
  const key = `uploads/${fileId}-${randomBytes(8).toString('hex')}`;
  try {
    await storeFile(fileStore, key, (stream) => pipeline(bytesOf(fileStore, parts), stream));
  } catch (error) {
    await fileStore.remove(key);
    throw error;
  }
  return { key, bytes: keptOf(parts).bytes };
}

async function* bytesOf(fileStore: FileStore, parts: readonly PartRow[]): AsyncGenerator<Buffer> {
  for (const { storage_key: key } of parts) {
    const stream: Readable = await fileStore.read(key);
    yield* stream;
  }
}
