/** Which part of a file a request uploads (RFC 9110, Content-Range), or that it asks how much is kept. */
import type { IncomingMessage } from 'node:http';
import { LEAST_PART_BYTES } from '../../../domain/files/file-parts.js';
import { declaredLength, tooLarge } from '../../body-bytes.js';
import { HttpProblem } from '../../http-problem.js';

export interface FilePart {
  /** The bytes of the whole file. */
  readonly total: number;
  /** Bytes [start, end) of it; undefined: the request has no bytes, and asks how many are kept. */
  readonly range: { readonly start: number; readonly end: number } | undefined;
}

/** @returns undefined for the whole file @throws HttpProblem 400 or 413 */
export function partOf(request: IncomingMessage, maxBytes: number): FilePart | undefined {
  const header = request.headers['content-range'];
  const length = declaredLength(request);
  if (header === undefined) {
    if ((length ?? 0) > maxBytes) throw tooLarge(maxBytes);
    return undefined;
  }
  const [, first, last, all] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/.exec(header) ?? [];
  if (all === undefined) throw refused('a part is named by Content-Range: bytes <first>-<last>/<size of the file>');
  const total = Number(all);
  if (total > maxBytes) throw tooLarge(maxBytes);
  if (first === undefined) {
    if (length !== 0) throw refused('a request with Content-Range: bytes */<size of the file> has an empty body');
    return { total, range: undefined };
  }
  const start = Number(first);
  const end = Number(last) + 1;
  if (end <= start || end > total) throw refused('the range of Content-Range lies outside of the file');
  if (length !== end - start) throw refused(`Content-Length has to be that of the range: ${end - start}`);
  if (end < total && length < LEAST_PART_BYTES) {
    throw refused(`a part other than the last has at least ${LEAST_PART_BYTES} bytes`);
  }
  return { total, range: { start, end } };
}

function refused(message: string): HttpProblem {
  return new HttpProblem(400, 'CONTENT_RANGE', message);
}
