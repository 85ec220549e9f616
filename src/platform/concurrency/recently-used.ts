/** An LRU cache that is limited by the number of its entries and by their weight; and what it keeps of callers who fail. */
import { backoffMs } from '../backoff.js';

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

export class RecentlyUsed<Value> {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;

  constructor(
    readonly maxEntries: number,
    /** The most recently used entry stays, whatever its weight. */
    readonly maxWeight: number,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Adds an entry of weight 0. */
  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, { value, weight: 0 });
    this.#makeRoom();
  }

  /** Sets the weight of an entry, if it is still in the cache. */
  weigh(key: string, weight: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.set(key, { value: entry.value, weight });
    this.#weight += weight - entry.weight;
    this.#makeRoom();
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  #makeRoom(): void {
    for (const key of this.#entries.keys()) {
      const fits = this.#entries.size <= this.maxEntries && this.#weight <= this.maxWeight;
      if (fits || this.#entries.size === 1) return;
      this.delete(key);
    }
  }
}

// Slows down a caller who fails again and again: each failure after the first few doubles the wait.

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
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

export class FailureBackoff {
  readonly #failures = new RecentlyUsed<Failures>(MAX_CALLERS, 0);

  constructor(readonly options: FailureBackoffOptions) {}

  /** How long the caller has to wait before the next try, in milliseconds; 0: it may try now. */
  waitMs(caller: string): number {
    return Math.max(0, (this.#failures.get(caller)?.until ?? 0) - this.#now());
  }

  failed(caller: string): void {
    const count = (this.#failures.get(caller)?.count ?? 0) + 1;
    const { free } = this.options;
    const wait = count <= free ? 0 : backoffMs(this.options, count - free);
    this.#failures.set(caller, { count, until: this.#now() + wait });
  }

  succeeded(caller: string): void {
    this.#failures.delete(caller);
  }

  #now(): number {
    return this.options.now?.() ?? performance.now();
  }
}
