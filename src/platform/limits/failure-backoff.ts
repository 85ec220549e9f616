/** Slows down a caller who fails again and again: each failure after the first few doubles the wait. */
import { backoffMs } from '../backoff.js';
import { RecentlyUsed } from '../concurrency/recently-used.js';

interface Failures {
  readonly count: number;
  /** When the next try is allowed, in the clock's milliseconds. */
  readonly until: number;
}

/** Callers that are remembered; those that failed longest ago are forgotten first. */
const MAX_CALLERS = 10_000;

interface FailureBackoffOptions {
  /** Failures one after another without a wait, because people make mistakes. */
  readonly free: number;
  /** The wait after the next failure, in milliseconds. It doubles with each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

export class FailureBackoff {
  readonly #failures = new RecentlyUsed<Failures>(MAX_CALLERS, 0);

  /** @param now the clock, in milliseconds */
  constructor(
    readonly options: FailureBackoffOptions,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** How long the caller has to wait before the next try, in milliseconds; 0: it may try now. */
  waitMs(caller: string): number {
    return Math.max(0, (this.#failures.get(caller)?.until ?? 0) - this.now());
  }

  failed(caller: string): void {
    const count = (this.#failures.get(caller)?.count ?? 0) + 1;
    const { free } = this.options;
    const wait = count <= free ? 0 : backoffMs(this.options, count - free);
    this.#failures.set(caller, { count, until: this.now() + wait });
  }

  succeeded(caller: string): void {
    this.#failures.delete(caller);
  }
}
