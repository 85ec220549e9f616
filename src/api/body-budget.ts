/** Limits the bytes of request bodies in memory, so that many large requests at once cannot exhaust the process. */
import { DomainError } from '../domain/kernel/errors.js';

/** The bytes reserved for one request. */
export interface BodyLease {
  /** Reserves more. @throws DomainError unavailable when the budget is exhausted */
  grow(bytes: number): void;
  /** Releases all bytes; calling it again does nothing. */
  release(): void;
}

export interface BodyBudget {
  /** @throws DomainError unavailable, with Retry-After, when the bytes do not fit into what is left of the budget */
  lease(bytes: number): BodyLease;
  readonly usedBytes: () => number;
}

const RETRY_AFTER_SECONDS = 2;

/** A budget of `maxBytes` for the whole process. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;

  function reserve(bytes: number): void {
    if (used + bytes > maxBytes) {
      throw new DomainError(
        'unavailable',
        'BODY_BUDGET_SPENT',
        'Service Unavailable: too many large requests are being read at this moment; send yours again shortly',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    used += bytes;
  }

  return {
    usedBytes: () => used,
    lease: (bytes) => {
      reserve(bytes);
      let held = bytes;
      let open = true;
      return {
        grow: (more) => {
          if (!open) return;
          reserve(more);
          held += more;
        },
        release: () => {
          if (open) used -= held;
          open = false;
        },
      };
    },
  };
}
