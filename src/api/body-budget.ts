/** Counts the bytes of request bodies that the process holds, so that many large requests at once cannot exhaust it. */
import { DomainError } from '../domain/kernel/errors.js';

/** Bytes held for one request. */
export interface BodyLease {
  /** Holds more. @throws DomainError unavailable when the budget is spent */
  grow(bytes: number): void;
  /** Gives everything back; calling it again does nothing. */
  release(): void;
}

export interface BodyBudget {
  /** @throws DomainError unavailable, with Retry-After, when the bytes do not fit beside those of others */
  lease(bytes: number): BodyLease;
  readonly usedBytes: () => number;
}

const RETRY_AFTER_SECONDS = 2;

/** A budget of `maxBytes` for the whole process. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let used = 0;

  function take(bytes: number): void {
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
      take(bytes);
      let held = bytes;
      let open = true;
      return {
        grow: (more) => {
          if (!open) return;
          take(more);
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
