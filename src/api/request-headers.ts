/** Reads headers. A header that affects the request may be sent only once. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SiteSelector } from '../domain/access/site-context.js';
import { HttpProblem } from './http-problem.js';

/** The value of a header; undefined when it is not sent. @throws HttpProblem 400 when it is sent twice */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  if (values === undefined) return undefined;
  if (values.length > 1)
    throw new HttpProblem(400, 'HEADER_REPEATED', `the header ${name} was sent ${values.length} times`);
  return values[0];
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's request id; undefined if it sent none that is suitable for logs. */
export function sentRequestId(request: IncomingMessage): string | undefined {
  const value = request.headers['x-request-id'];
  return typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C trace context of the client; null when it sent none, or a malformed one, which is to be ignored. */
export function sentTraceparent(request: IncomingMessage): string | null {
  const value = request.headers.traceparent;
  return typeof value === 'string' && TRACEPARENT.test(value) ? value : null;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** The Idempotency-Key; undefined when none is sent. @throws HttpProblem 400 when it is malformed */
export function idempotencyKey(request: IncomingMessage): string | undefined {
  const key = singleHeader(request, 'idempotency-key');
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key;
  throw new HttpProblem(400, 'IDEMPOTENCY_KEY_INVALID', 'an Idempotency-Key has 1 to 255 printable ASCII characters');
}

/** Some load balancers close a request after 30 s. */
const MAX_WAIT_SECONDS = 25;

/**
 * How long a client waits for a result, by `Prefer: wait=N` (RFC 7240 §4.3), in milliseconds. A malformed one is
 * ignored, as the RFC demands. The first of several counts.
 */
export function preferWaitMs(request: IncomingMessage): number {
  const header = request.headers.prefer;
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  for (const preference of text.split(',')) {
    const match = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;.*)?$/i.exec(preference);
    if (match !== null) return Math.min(Number(match[1] ?? match[2]), MAX_WAIT_SECONDS) * 1000;
  }
  return 0;
}

interface FingerprintParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly site: SiteSelector | undefined;
  readonly body: Uint8Array | undefined;
}

/** SHA-256 over all that affects the outcome. Requests with one Idempotency-Key are the same if this is equal. */
export function fingerprintOf({ method, path, query, site, body }: FingerprintParts): Buffer {
  const parameters = [...new URLSearchParams(query)].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const context = site && [site.accountId, site.stage, site.channel, site.date];
  return createHash('sha256')
    .update(JSON.stringify([method, path, parameters, context ?? null]))
    .update('\n')
    .update(body ?? '')
    .digest();
}
