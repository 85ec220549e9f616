/** Checks the media types, charsets and encodings of bodies. */
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../http-problem.js';
import { singleHeader } from '../request-headers.js';

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/;
const UTF8 = /^(?:utf-?8|us-ascii)$/i;

/** Whether a request has a body. A request without one needs no media type. */
export function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

/** @throws HttpProblem 415 that says what is accepted */
export function requireMediaType(request: IncomingMessage, kind: 'json' | 'form'): void {
  const header = singleHeader(request, 'content-type') ?? '';
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  const wanted = kind === 'json' ? JSON_TYPE : FORM_TYPE;
  if (!wanted.test(type.toLowerCase())) {
    const name = kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
    const got = header === '' ? 'none was sent' : `got ${header.slice(0, 100)}`;
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${name}, ${got}`, { Accept: name });
  }
  const charset = parameters
    .find((parameter) => /^charset=/i.test(parameter))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (charset !== undefined && !UTF8.test(charset)) {
    throw new HttpProblem(415, 'UNSUPPORTED_CHARSET', `the charset must be utf-8, got ${charset.slice(0, 50)}`);
  }
  requireKnownEncoding(request);
}

/** Bodies may be uncompressed or gzipped. RFC 9110 §12.5.3 asks to name what is accepted. */
function requireKnownEncoding(request: IncomingMessage): void {
  const encoding = singleHeader(request, 'content-encoding')?.toLowerCase();
  if (encoding === undefined || encoding === 'identity' || encoding === 'gzip') {
    // The readers compare with the lowercase name.
    if (encoding !== undefined) request.headers['content-encoding'] = encoding;
    return;
  }
  throw new HttpProblem(415, 'UNSUPPORTED_ENCODING', 'Content-Encoding must be gzip or absent', {
    'Accept-Encoding': 'gzip',
  });
}
