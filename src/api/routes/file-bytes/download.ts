/** The endpoint from which a file is downloaded, as a whole or in part. */
import { File } from '../../../../db/models/file.js';
import { bytesGone, requireBytes } from '../../../domain/files/download-file.js';
import { requireSignature } from '../../../domain/files/signed-url.js';
import { type ApiResponse, defineRoute } from '../../define-route.js';
import { errorBody } from '../../error-body.js';
import type { ApiServices } from '../../services.js';
import { signedParams, signedQuery } from './signed-parameters.js';

const BINARY = 'application/octet-stream';

export const downloadFileRoute = defineRoute({
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
