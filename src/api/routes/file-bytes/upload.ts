/** The endpoint to which a file is uploaded. */
import type { Context } from 'koa';
import type { Upload } from '../../../domain/files/begin-upload.js';
import { abandonUpload, beginUpload } from '../../../domain/files/begin-upload.js';
import { completeUpload, type StoredBytes } from '../../../domain/files/complete-upload.js';
import {
  type KeptParts,
  keptParts,
  recordPart,
  removeParts,
  requireNext,
  requireSameFile,
} from '../../../domain/files/file-parts.js';
import { joinParts } from '../../../domain/files/join-parts.js';
import { requireGenuine, requireUnexpired } from '../../../domain/files/signed-url.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { declaredLength } from '../../body-bytes.js';
import { defineRoute } from '../../define-route.js';
import { inviteBody } from '../../invite-body.js';
import type { ApiServices } from '../../services.js';
import { requireRoom } from '../../store-room.js';
import { type FilePart, partOf } from './content-range.js';
import { signedParams, signedQuery } from './signed-parameters.js';
import { storeUpload } from './store-upload.js';
import { partKept, uploaded } from './uploaded.js';

const NOTHING: KeptParts = { bytes: 0, total: undefined };

export const uploadFileRoute = defineRoute({
  method: 'PUT',
  path: '/uploads/:fileId',
  operationId: 'uploadFile',
  family: 'files',
  tag: 'Files',
  summary: 'Upload a file to the URL from its announcement',
  description:
    'The body is the bytes of the file; Content-Type is ignored. An interrupted upload imports nothing, and the URL can ' +
    'be used again until it expires. With `Content-Range: bytes <first>-<last>/<size of the file>`, the body is a part: the parts ' +
    'are sent in order, each but the last with at least 5 MiB, and each is kept when it is complete. ' +
    '`Content-Range: bytes */<size of the file>` with an empty body asks how many bytes are kept.',
  auth: { signedUrl: true },
  siteContext: false,
  params: signedParams,
  query: signedQuery,
  body: { raw: 'stream' },
  refusals: {
    403: 'The URL is not signed, or it has expired',
    409: 'The file is uploaded already, its job was cancelled, or the part is not the next one',
    410: 'The announcement has expired',
    429: 'The quota of stored bytes of the account is used up',
  },
  responses: {
    200: { description: 'The file is complete, and its job is scheduled unless the file is held', schema: uploaded },
    202: { description: 'A part is kept, or so much is kept: the next part begins after `bytes`', schema: partKept },
  },
  async handle({ params: { fileId }, query, koa, takeTurn }, services) {
    const { config, db, producer, logger } = services;
    requireGenuine(config.secretsKeys, 'upload', fileId, query);
    const part = partOf(koa.req, config.uploadMaxBytes);
    // Who has begun in time may go on, as with a file in one request.
    const kept = part === undefined ? NOTHING : await keptParts(db, fileId);
    if (kept.bytes === 0) requireUnexpired('upload', query, new Date());
    await requireRoom(services, declaredLength(koa.req));
    const upload = await beginUpload(db, fileId);
    try {
      const { accountId, quotas, name, jobId } = upload;
      const coming = part === undefined ? (declaredLength(koa.req) ?? 0) : part.total - kept.bytes;
      const isQuestion = part !== undefined && part.range === undefined;
      if (accountId !== null && !isQuestion) await services.quotas.requireBytes(accountId, quotas, coming);
      const received = part === undefined ? undefined : await receivePart(koa, services, upload, part, kept);
      if (received !== undefined && received < (part?.total ?? 0)) {
        if (isQuestion) await abandon(services, upload);
        return { status: 202, body: { id: fileId, name, bytes: received, jobId, status: 'AWAITING_UPLOAD' } };
      }
      const stored = part === undefined ? await storeUpload(koa, services, fileId) : await join(services, fileId, part);
      // Not before the bytes are there: a slow client would keep others of its account waiting.
      if (accountId !== null) await takeTurn(accountId);
      await enqueueEntries(producer, await completeUpload(services, upload, stored), logger);
      if (part !== undefined) await removeJoined(services, fileId);
      return { status: 200, body: { id: fileId, name, bytes: stored.bytes, jobId, status: 'UPLOADED' } };
    } catch (error) {
      await abandon(services, upload);
      throw error;
    }
  },
});

/** @returns how many bytes of the file are kept now */
async function receivePart(
  koa: Context,
  services: ApiServices,
  upload: Upload,
  { range, total }: FilePart,
  kept: KeptParts,
): Promise<number> {
  if (range === undefined) {
    requireSameFile(total, kept);
    inviteBody(koa.req, koa.res);
    return kept.bytes;
  }
  const part = { start: range.start, total };
  requireNext(part, kept);
  return recordPart(services, upload, part, await storeUpload(koa, services, upload.fileId));
}

async function join(services: ApiServices, fileId: string, { total }: FilePart): Promise<StoredBytes> {
  await requireRoom(services, total);
  return joinParts(services, fileId, total);
}

/** What cannot be removed now is removed by maintenance. */
async function removeJoined(services: ApiServices, fileId: string): Promise<void> {
  try {
    await removeParts(services, fileId);
  } catch (error) {
    services.logger.warn({ err: error, fileId }, 'the parts of a file could not be removed');
  }
}

/** If this fails, the file only expires a day later, so the client gets the first error and this one is logged. */
async function abandon({ db, logger }: ApiServices, upload: Upload): Promise<void> {
  try {
    await abandonUpload(db, upload);
  } catch (error) {
    logger.warn({ err: error, fileId: upload.fileId }, 'the expiry of a file could not be restored');
  }
}
