/** The endpoints that move the bytes of files: uploads and downloads by signed URLs, and the end of other uploads. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Context } from 'koa';
import { z } from 'zod';
import { File } from '../../../db/models/file.js';
import type { Upload } from '../../domain/files/begin-upload.js';
import { abandonUpload, beginUpload } from '../../domain/files/begin-upload.js';
import type { StoredBytes } from '../../domain/files/complete-upload.js';
import { completeUpload } from '../../domain/files/complete-upload.js';
import { keepDirectUpload } from '../../domain/files/direct-uploads.js';
import { bytesGone, requireBytes } from '../../domain/files/download-file.js';
import { findFile } from '../../domain/files/find-file.js';
import { requireSignature } from '../../domain/files/signed-url.js';
import { uploadRefusal } from '../../domain/files/upload-refusal.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { followEnd } from '../../domain/jobs/follow-end.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { enqueueEntries } from '../../queues/outbox.js';
import { declaredLength, tooLarge } from '../body-bytes.js';
import type { ApiResponse, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { errorBody } from '../error-body.js';
import { HttpProblem } from '../http-problem.js';
import { receiveBytes } from '../receive-bytes.js';
import { inviteBody } from '../server.js';
import type { ApiServices } from '../services.js';
import { requireRoom } from '../store-room.js';

// Which bytes of a file a Range header asks for (RFC 9110 §14.1.2).

/** Bytes [start, end). */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * @returns null: the whole file, because there is no header or it may be ignored (several ranges, another unit,
 * malformed); `unsatisfiable`: the range contains no byte of the file
 */
function byteRange(header: string | undefined, size: number): ByteRange | null | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

// Stores the body of an upload completely and durably, or leaves nothing behind.

/** @throws as receiveBytes and requireRoom; errors of the file store */
async function storeUpload(
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

const signedParams = z.object({ fileId: z.string() });

/** The schema accepts every value, because only the signature decides: a missing or malformed one is a forgery. */
const signedQuery = z.strictObject({ expires: z.string().catch(''), signature: z.string().catch('') });

const uploaded = z.object({
  id: z.string(),
  name: z.string(),
  bytes: z.int(),
  jobId: z.string(),
  status: z.literal('UPLOADED'),
});

const uploadFileRoute = defineRoute({
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
  responses: { 200: { description: 'The file is complete and its job is scheduled', schema: uploaded } },
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

const completeUploadRoute = defineRoute({
  method: 'POST',
  path: '/files/product/:id/actions/complete',
  operationId: 'completeUpload',
  family: 'files',
  tag: 'Files',
  summary: 'Say that a file is uploaded',
  description:
    'Where files are uploaded to a URL of an S3 store, this starts the import at once; without it, the upload is noticed ' +
    'some time later. It may be repeated, and is not needed for uploads to a URL of the API.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  refusals: {
    409: 'Nothing was uploaded yet, or the job was cancelled',
    410: 'The announcement has expired',
    413: 'The file is too large; its job is REJECTED',
  },
  responses: { 200: { description: 'The file is complete and its job is scheduled', schema: uploaded } },
  async handle({ params, site }, services) {
    const { db, producer, logger, config } = services;
    const file = await findFile(db, site.siteId, params.id);
    const { id, name, job_id: jobId } = file;
    if (file.status === 'UPLOADED' || jobId === null) return { status: 200, body: presentUploaded(file) };
    if (file.status !== 'AWAITING_UPLOAD') throw await uploadRefusal(db, id);
    const kept = await keepDirectUpload(services, { fileId: id, name, jobId }, config.uploadMaxBytes).catch(
      (error: unknown) => {
        // The upload has been noticed meanwhile, or the job was cancelled: the file says which.
        if (error instanceof DomainError) return { kind: 'absent' } as const;
        throw error;
      },
    );
    if (kept.kind === 'kept') await enqueueEntries(producer, kept.outboxEntries, logger);
    if (kept.kind === 'refused') {
      await enqueueEntries(producer, await followEnd(db, JOB_TYPES, jobId), logger);
      const message = `the file is larger than ${config.uploadMaxBytes} bytes; it was removed, and its job ${jobId} is REJECTED`;
      throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
    }
    const now = await findFile(db, site.siteId, id);
    if (now.status === 'UPLOADED') return { status: 200, body: presentUploaded(now) };
    if (now.status !== 'AWAITING_UPLOAD') throw await uploadRefusal(db, id);
    const message = `nothing was uploaded yet for the file ${id}; put its bytes to the URL of its announcement first`;
    throw new DomainError('conflict', 'FILE_NOT_UPLOADED', message);
  },
});

function presentUploaded({ id, name, bytes, job_id: jobId }: File): z.input<typeof uploaded> {
  return { id, name, bytes: bytes ?? 0, jobId: jobId ?? '', status: 'UPLOADED' };
}

const BINARY = 'application/octet-stream';

const downloadFileRoute = defineRoute({
  method: 'GET',
  path: '/downloads/:fileId',
  operationId: 'downloadFile',
  family: 'files',
  tag: 'Files',
  summary: 'Download a file from a signed URL',
  description: 'Supports one range of bytes, so that an interrupted download can be resumed.',
  auth: { signedUrl: true },
  siteContext: false,
  params: signedParams,
  query: signedQuery,
  refusals: {
    403: 'The URL is not signed, or it has expired',
    409: 'The file is not uploaded yet',
    410: 'The bytes of the file are no longer kept',
    416: 'The range begins after the end of the file',
  },
  responses: {
    200: { description: 'The bytes of the file', contentType: BINARY },
    206: { description: 'The requested range of bytes', contentType: BINARY },
  },
  async handle({ params: { fileId }, query, headers, koa }, services) {
    const { config, db, fileStore } = services;
    requireSignature(config.secretsKeys, 'download', fileId, query, new Date());
    const file = await File.query(db).findById(fileId);
    if (file === undefined) throw bytesGone(fileId);
    const key = requireBytes(file);
    const size = await fileStore.size(key);
    if (size === null) throw bytesGone(fileId);
    const etag = `"${fileId}"`;
    const isWanted = koa.method === 'GET' && (headers['if-range'] ?? etag) === etag;
    const range = isWanted ? byteRange(headers.range, size) : null;
    if (range === 'unsatisfiable') return beyondTheEnd(size);
    koa.attachment(file.name, { fallback: file.name.replace(/[^\x20-\x7e]|["\\%]/g, '_') });
    const common = {
      'Content-Type': file.content_type ?? BINARY,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-store',
      ETag: etag,
    };
    if (koa.method === 'HEAD') return { status: 200, headers: { ...common, 'Content-Length': String(size) } };
    return bytesOf(fileStore, key, size, range, common);
  },
});

async function bytesOf(
  fileStore: ApiServices['fileStore'],
  key: string,
  size: number,
  range: ByteRange | null,
  common: Readonly<Record<string, string>>,
): Promise<ApiResponse> {
  const { start, end } = range ?? { start: 0, end: size };
  const headers = { ...common, 'Content-Length': String(end - start) };
  const stream = await fileStore.read(key, range ?? undefined);
  if (range === null) return { status: 200, headers, stream };
  return { status: 206, headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${size}` }, stream };
}

/** This is not thrown as an error, because the answer must contain the size of the file. */
function beyondTheEnd(size: number): ApiResponse {
  const message = `the range lies beyond the end of the file, which has ${size} bytes`;
  const facts = { status: 416, code: 'RANGE', message, problems: [], headers: {}, cause: 'request' as const };
  return { status: 416, headers: { 'Content-Range': `bytes */${size}` }, body: errorBody('files', facts) };
}

export const fileByteRoutes: readonly Route[] = [uploadFileRoute, completeUploadRoute, downloadFileRoute];
