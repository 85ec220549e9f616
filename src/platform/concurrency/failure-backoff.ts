/** Slows down a caller who fails again and again: each failure after the first few doubles the wait. */
import { backoffMs } from '../backoff.js';
import { RecentlyUsed } from './recently-used.js';

interface Failures {
  readonly count: number;
  /** When the next try is allowed, in the clock's milliseconds. */
  readonly until: number;
}

/** Failures without a wait, because people make mistakes. */
const FREE_FAILURES = 5;
const WAITS = { firstMs: 1_000, longestMs: 300_000 };
/** Callers that are remembered; those that failed longest ago are forgotten first. */
const MAX_CALLERS = 10_000;

export class FailureBackoff {
  readonly #failures = new RecentlyUsed<Failures>(MAX_CALLERS, 0);

  /** @param now the clock, in milliseconds */
  constructor(readonly now: () => number = performance.now.bind(performance)) {}

  /** How long the caller has to wait before the next try, in milliseconds; 0: it may try now. */
  waitMs(caller: string): number {
    return Math.max(0, (this.#failures.get(caller)?.until ?? 0) - this.now());
  }

  failed(caller: string): void {
    const count = (this.#failures.get(caller)?.count ?? 0) + 1;
    const wait = count < FREE_FAILURES ? 0 : backoffMs(WAITS, count - FREE_FAILURES + 1);
    this.#failures.set(caller, { count, until: this.now() + wait });
  }

  succeeded(caller: string): void {
    this.#failures.delete(caller);
  }
}
