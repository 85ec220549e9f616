/** Sends a file to an address behind https, and says what its server answers. */
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { wholeCallMs } from '../calls.js';
import { RemoteFailure } from '../remote-folder.js';
import { endBody, type HttpsAnswer, type HttpsCalls } from './https-calls.js';

/** By the endings of exports. */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv; charset=utf-8',
  '.tsv': 'text/tab-separated-values; charset=utf-8',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.ndjson': 'application/x-ndjson',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.parquet': 'application/vnd.apache.parquet',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
};

interface SentFile {
  readonly name: string;
  readonly source: Readable;
  /** null: not known. Many servers take no file of an unknown size. */
  readonly bytes: number | null;
}

/** @throws RemoteFailure unless the server says that it has taken the whole file; what the source fails with; the signal's reason */
export async function putFile(
  calls: HttpsCalls,
  url: URL,
  { name, source, bytes }: SentFile,
  signal: AbortSignal,
): Promise<void> {
  const type = TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
  const headers = { 'content-type': type, ...(bytes === null ? {} : { 'content-length': String(bytes) }) };
  const answer = await calls.sendOnce('PUT', url, headers, signal, {
    source,
    bytes,
    answerMs: wholeCallMs(calls.idleMs),
  });
  endBody(answer);
  requireTaken(answer);
  if (answer.isSent) return;
  const message = `${url.host} answers with the status ${answer.status} before it has read the whole file`;
  throw new RemoteFailure('BROKEN_OFF', message);
}

/** @throws RemoteFailure unless the status says that the file was taken */
export function requireTaken({ status, url }: Pick<HttpsAnswer, 'status' | 'url'>): void {
  if (status >= 200 && status < 300) return;
  const said = `${url.host} answers with the status ${status}`;
  if (status === 401 || status === 407) {
    throw new RemoteFailure('REFUSED_LOGIN', `${said}: correct the user, password or token`);
  }
  if (status === 403) {
    throw new RemoteFailure('NOT_ALLOWED', `${said}: have the server allow the user or token to put files there`);
  }
  if (status === 404 || status === 410) {
    throw new RemoteFailure('NOT_FOUND', `${said}: there is no place for a file at this address; correct it`);
  }
  if (status === 413) throw new RemoteFailure('TOO_LARGE', `${said}: it takes no file of this size`);
  if (status >= 300 && status < 400) {
    const message = `${said}, a redirect, which is not followed with a file: give the address that takes it`;
    throw new RemoteFailure('NOT_SUPPORTED', message);
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    throw new RemoteFailure('UNREACHABLE', `${said}: it is overloaded or out of order`);
  }
  throw new RemoteFailure('NOT_SUPPORTED', `${said}: it does not take a file by PUT at this address`);
}
