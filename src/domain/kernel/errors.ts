/** What can go wrong in words of the domain. Statuses and bodies are made of it in src/api/error-response.ts only. */

/**
 * The meaning of an error:
 * `invalid` the request as given cannot be carried out; `unprocessable` it is well formed but contradicts something;
 * `busy` the caller's quota is spent; `unavailable` something we depend on is out of reach or full for the moment.
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

/** One thing that is wrong: `index` is the element of a bare array, `path` the field (`a.b.0`). */
export interface ErrorProblem {
  readonly index?: number | undefined;
  readonly path?: string | undefined;
  readonly code: string;
  readonly message: string;
}

interface DomainErrorDetails {
  readonly problems?: readonly ErrorProblem[] | undefined;
  /** When it is worth trying again; told as Retry-After. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** An error whose message is meant for the client. `code` is stable and in capitals (NODE_NOT_FOUND). */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly problems: readonly ErrorProblem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly kind: DomainErrorKind,
    readonly code: string,
    message: string,
    details: DomainErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.problems = details.problems ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
