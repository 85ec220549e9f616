/** Stores the body of an upload completely and durably, or leaves nothing behind. */
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'koa';
import type { StoredBytes } from '../../../domain/files/complete-upload.js';
import { inviteBody } from '../../invite-body.js';
import { receiveBytes } from '../../receive-bytes.js';
import type { ApiServices } from '../../services.js';
import { requireRoom } from '../../store-room.js';

/** @throws as receiveBytes and requireRoom; errors of the file store */
export async function storeUpload(
  { req, res }: Context,
  { config, fileStore }: Pick<ApiServices, 'config' | 'fileStore'>,
  fileId: string,
): Promise<StoredBytes> {
  // Each upload has a key of its own, because a file may be uploaded twice at the same time.
  const key = `uploads/${fileId}-${randomBytes(8).toString('hex')}`;
  const pending = await fileStore.create(key);
  pending.stream.on('error', ignore);
  try {
    inviteBody(req, res);
    const checkRoom = () => requireRoom({ config, fileStore });
    const limits = { maxBytes: config.uploadMaxBytes, idleMs: config.uploadIdleMs, checkRoom };
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

/** Waits for the stream to close: one that is still being opened would create its file after it was removed. */
async function closed(stream: Writable): Promise<void> {
  stream.destroy();
  if (!stream.closed) await finished(stream).catch(ignore);
}

/** Errors of the stream reach the code that waits for it. */
function ignore(): void {}
