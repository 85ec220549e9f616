/** Errors in terms of the domain. Only src/api/error-facts.ts maps them to HTTP statuses. */

/**
 * The meaning of an error: `invalid`: the request cannot be executed as given; `unprocessable`: it is well formed but
 * contradicts something; `busy`: the caller has used up a quota; `unavailable`: a dependency is temporarily unreachable
 * or full.
 */
export type DomainErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'gone'
  | 'too-large'
  | 'unsupported-type'
  | 'unprocessable'
  | 'busy'
  | 'unavailable';

/** One problem of a request: `index` is the position in an array, `path` the field (`a.b.0`). */
export interface ErrorProblem {
  readonly index?: number | undefined;
  readonly path?: string | undefined;
  readonly code: string;
  readonly message: string;
}

interface DomainErrorDetails {
  readonly problems?: readonly ErrorProblem[] | undefined;
  /** When the client may retry; sent as Retry-After. */
  readonly retryAfterSeconds?: number | undefined;
  /** The quota that was exceeded; sent as RateLimit-Policy and RateLimit. */
  readonly quota?: ErrorQuota | undefined;
  readonly cause?: unknown;
}

/** A quota, and how much of it is left. */
export interface ErrorQuota {
  readonly name: string;
  readonly limit: number;
  readonly left: number;
  /** For a quota by time. */
  readonly windowSeconds?: number;
}

/** An error whose message is meant for the client. `code` is stable and in capitals (NODE_NOT_FOUND). */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly problems: readonly ErrorProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly quota: ErrorQuota | undefined;

  constructor(
    readonly kind: DomainErrorKind,
    readonly code: string,
    message: string,
    details: DomainErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.problems = details.problems ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.quota = details.quota;
  }
}
