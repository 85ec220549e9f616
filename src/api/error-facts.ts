/** Translates an error into what its response needs: status, code, message, problems, headers. */
import { isLockedOut } from '../../db/with-retries.js';
import type { DomainErrorKind, ErrorProblem, ErrorQuota } from '../domain/kernel/errors.js';
import { DomainError } from '../domain/kernel/errors.js';
import { isOutOfSpace } from '../platform/outage.js';
import { HttpProblem } from './http-problem.js';
import { isOutage, isUnstorableText } from './outage.js';

export interface ErrorFacts {
  readonly status: number;
  /** Stable, in capitals; in the oauth family a code of RFC 6749. */
  readonly code: string;
  readonly message: string;
  readonly problems: readonly ErrorProblem[];
  readonly headers: Readonly<Record<string, string>>;
  /** Who has caused it. A fault of ours is logged as an error; an outage of something that we depend on passes. */
  readonly cause: 'request' | 'outage' | 'fault';
}

const STATUS_OF_KIND: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  'too-large': 413,
  'unsupported-type': 415,
  unprocessable: 422,
  busy: 429,
  unavailable: 503,
};

const DEFAULT_RETRY_AFTER_SECONDS = 2;
/** A person has to free space, which takes a while. */
const FULL_RETRY_AFTER_SECONDS = 60;

/** Translates any error. An unknown error is our fault: it is answered with 500, without any of its text. */
export function factsOf(error: unknown): ErrorFacts {
  if (error instanceof DomainError) return ofDomainError(error);
  if (error instanceof HttpProblem) return refusal(error.status, error.code, error.message, error.headers);
  const status = statusOfHttpError(error);
  if (status !== undefined)
    return refusal(status, HTTP_CODES[status] ?? 'BAD_REQUEST', HTTP_MESSAGES[status] ?? 'the request cannot be read');
  if (isOutOfSpace(error)) {
    const message = 'the disk of the database or of the file store is full; nothing was stored, try again later';
    return { ...refusal(503, 'STORE_FULL', message, retryAfter(FULL_RETRY_AFTER_SECONDS)), cause: 'outage' };
  }
  if (isOutage(error)) {
    const message = 'Service Unavailable: the database or the file store is out of reach; try again shortly';
    return { ...refusal(503, 'UNAVAILABLE', message, retryAfter(DEFAULT_RETRY_AFTER_SECONDS)), cause: 'outage' };
  }
  if (isLockedOut(error)) {
    const message =
      'a running job has locked what this request would change; try again shortly, or when the job has ended';
    return refusal(503, 'UNAVAILABLE', message, retryAfter(DEFAULT_RETRY_AFTER_SECONDS));
  }
  if (isUnstorableText(error)) {
    return refusal(
      400,
      'INVALID_TEXT',
      'a text contains a NUL character or an unpaired surrogate, which cannot be stored',
    );
  }
  return { ...refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'), cause: 'fault' };
}

function ofDomainError(error: DomainError): ErrorFacts {
  const status = STATUS_OF_KIND[error.kind];
  const wait = error.retryAfterSeconds ?? (status === 503 || status === 429 ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  const headers = {
    ...(wait === undefined ? {} : retryAfter(wait)),
    ...(error.quota === undefined ? {} : rateLimitHeaders(error.quota, wait)),
  };
  return { ...refusal(status, error.code, error.message, headers), problems: error.problems };
}

/** The headers of draft-ietf-httpapi-ratelimit-headers. @param seconds when the quota is available again, if known */
export function rateLimitHeaders(
  { name, limit, left, windowSeconds }: ErrorQuota,
  seconds: number | undefined,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit}${windowSeconds === undefined ? '' : `;w=${windowSeconds}`}`,
    RateLimit: `"${name}";r=${left}${seconds === undefined ? '' : `;t=${Math.max(1, Math.ceil(seconds))}`}`,
  };
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorFacts {
  return { status, code, message, headers, problems: [], cause: 'request' };
}

function retryAfter(seconds: number): Record<string, string> {
  return { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) };
}

/** Errors of Koa and of the packages that read bodies carry a 4xx status (http-errors). */
function statusOfHttpError(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

const HTTP_CODES: Readonly<Record<number, string>> = {
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

const HTTP_MESSAGES: Readonly<Record<number, string>> = {
  404: 'there is nothing at this address',
  405: 'this address does not support this method',
  413: 'the body is too large',
  415: 'the body has a media type or encoding that is not supported',
};
