/** The endpoint to which a file is uploaded. */
import type { IncomingMessage } from 'node:http';
import type { Upload } from '../../../domain/files/begin-upload.js';
import { abandonUpload, beginUpload } from '../../../domain/files/begin-upload.js';
import { completeUpload } from '../../../domain/files/complete-upload.js';
import { requireSignature } from '../../../domain/files/signed-url.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { declaredLength, tooLarge } from '../../body-bytes.js';
import { defineRoute } from '../../define-route.js';
import { HttpProblem } from '../../http-problem.js';
import type { ApiServices } from '../../services.js';
import { requireRoom } from '../../store-room.js';
import { signedParams, signedQuery } from './signed-parameters.js';
import { storeUpload } from './store-upload.js';
import { uploaded } from './uploaded.js';

export const uploadFileRoute = defineRoute({
  method: 'PUT',
  path: '/uploads/:fileId',
  operationId: 'uploadFile',
  family: 'files',
  tag: 'Files',
  summary: 'Upload a file to the URL from its announcement',
  description:
    'The body is the bytes of the file; Content-Type is ignored. An interrupted upload imports nothing, and the URL can ' +
    'be used again until it expires.',
  auth: { signedUrl: true },
  siteContext: false,
  params: signedParams,
  query: signedQuery,
  body: { raw: 'stream' },
  refusals: {
    403: 'The URL is not signed, or it has expired',
    409: 'The file is uploaded already, or its job was cancelled',
    410: 'The announcement has expired',
    429: 'The quota of stored bytes of the account is used up',
  },
  responses: {
    200: { description: 'The file is complete, and its job is scheduled unless the file is held', schema: uploaded },
  },
  async handle({ params: { fileId }, query, koa, takeTurn }, services) {
    const { config, db, producer, logger } = services;
    requireSignature(config.secretsKeys, 'upload', fileId, query, new Date());
    requireWhole(koa.req, config.uploadMaxBytes);
    await requireRoom(services, declaredLength(koa.req));
    const upload = await beginUpload(db, fileId);
    try {
      const { accountId, quotas } = upload;
      if (accountId !== null) await services.quotas.requireBytes(accountId, quotas, declaredLength(koa.req) ?? 0);
      const stored = await storeUpload(koa, services, fileId);
      // Not before the bytes are there: a slow client would keep others of its account waiting.
      if (accountId !== null) await takeTurn(accountId);
      await enqueueEntries(producer, await completeUpload(services, upload, stored), logger);
      const { name, jobId } = upload;
      return { status: 200, body: { id: fileId, name, bytes: stored.bytes, jobId, status: 'UPLOADED' } };
    } catch (error) {
      await abandon(services, upload);
      throw error;
    }
  },
});

/** Checks the headers, before the first byte is read. */
function requireWhole(request: IncomingMessage, maxBytes: number): void {
  if (request.headers['content-range'] !== undefined) {
    const message = 'an upload is the whole file; remove Content-Range and send all of it';
    throw new HttpProblem(400, 'CONTENT_RANGE', message);
  }
  if ((declaredLength(request) ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** If this fails, the file only expires a day later, so the client gets the first error and this one is logged. */
async function abandon({ db, logger }: ApiServices, upload: Upload): Promise<void> {
  try {
    await abandonUpload(db, upload);
  } catch (error) {
    logger.warn({ err: error, fileId: upload.fileId }, 'the expiry of a file could not be restored');
  }
}
