/** Answers with the bytes of a stored file: whole, a range of them, or none if the client has them already. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FileStore } from '../platform/file-store.js';
import type { ApiResponse } from './define-route.js';
import { errorBody } from './error-body.js';

interface StoredBytes {
  readonly key: string;
  readonly size: number;
  /** With its quotes. Equal for equal bytes only. */
  readonly etag: string;
  /** Headers of every answer. */
  readonly about: Readonly<Record<string, string>>;
}

interface Asked {
  /** GET or HEAD. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Follows If-None-Match, Range and If-Range (RFC 9110). */
export async function sendStored(
  fileStore: Pick<FileStore, 'read'>,
  { key, size, etag, about }: StoredBytes,
  { method, headers }: Asked,
): Promise<ApiResponse> {
  const common = { ...about, 'Accept-Ranges': 'bytes', ETag: etag };
  if (isKnown(headers, etag)) return { status: 304, headers: common };
  const isWanted = method === 'GET' && (headers['if-range'] ?? etag) === etag;
  const range = isWanted ? byteRange(headers.range, size) : null;
  if (range === 'unsatisfiable') return beyondTheEnd(size);
  if (method === 'HEAD') return { status: 200, headers: { ...common, 'Content-Length': String(size) } };
  const { start, end } = range ?? { start: 0, end: size };
  const sent = { ...common, 'Content-Length': String(end - start) };
  const stream = await fileStore.read(key, range ?? undefined);
  if (range === null) return { status: 200, headers: sent, stream };
  return { status: 206, headers: { ...sent, 'Content-Range': `bytes ${start}-${end - 1}/${size}` }, stream };
}

/** Whether the client has named what it has, and that is what it would get. */
export function isKnown({ 'if-none-match': known }: IncomingHttpHeaders, etag: string): boolean {
  if (known === undefined) return false;
  const named = known.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(etag);
}

/** The name of a file for clients that read only ASCII in headers. */
export function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
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
