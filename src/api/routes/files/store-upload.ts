/** Brings the body of an upload into the file store, whole and durable, or leaves nothing behind. */
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'koa';
import type { StoredBytes } from '../../../domain/files/complete-upload.js';
import { inviteBody } from '../../server.js';
import type { ApiServices } from '../../services.js';
import { receiveBytes } from './receive-bytes.js';

/** @throws as receiveBytes; what the file store fails with */
export async function storeUpload(
  { req, res }: Context,
  { config, fileStore }: Pick<ApiServices, 'config' | 'fileStore'>,
  fileId: string,
): Promise<StoredBytes> {
  // A name of its own, for the same file may be uploaded twice at once.
  const key = `uploads/${fileId}-${randomBytes(8).toString('hex')}`;
  const pending = await fileStore.create(key);
  pending.stream.on('error', ignore);
  try {
    inviteBody(req, res);
    const limits = { maxBytes: config.uploadMaxBytes, idleMs: config.uploadIdleMs };
    const bytes = await receiveBytes(req, pending.stream, limits);
    await pending.commit();
    return { key, bytes };
  } catch (error) {
    await closed(pending.stream);
    await pending.discard();
    await fileStore.remove(key);
    throw error;
  }
}

/** A stream that is still being opened would make its file after it was removed. */
async function closed(stream: Writable): Promise<void> {
  stream.destroy();
  if (!stream.closed) await finished(stream).catch(ignore);
}

/** What went wrong is told by whoever waits for the stream. */
function ignore(): void {}
