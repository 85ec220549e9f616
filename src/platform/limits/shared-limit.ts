/** A limit that is lower while several use a busy process. One that uses it alone may use all of it. */
import { Contention } from './contention.js';

/** How often the limit of a contended process follows how busy the process is. */
const ADJUST_EVERY_MS = 50;
/** Above this utilization of the event loop, more work in progress only waits for each other, and others for it. */
const TOO_BUSY = 0.75;
const HAS_TIME = 0.6;

export interface Clock {
  /** In milliseconds. */
  readonly now?: () => number;
  /** Which part of the time since the last call the process was busy. */
  readonly utilization?: () => number;
}

interface SharedLimitOptions extends Clock {
  /** While one uses the process alone. */
  readonly alone: number;
  /** While several use it. */
  readonly contended: number;
  /** The limit is lowered down to this while several use the process, and it is busy. */
  readonly least: number;
  /** Who knows whether several use the process. Default: those that this limit notices. */
  readonly contention?: Contention;
}

export class SharedLimit {
  readonly #options: Required<SharedLimitOptions>;
  /** Who uses the process is to be noticed there. */
  readonly contention: Contention;
  #limit: number;
  #adjustedAt = 0;

  constructor(options: SharedLimitOptions) {
    const { now = () => performance.now() } = options;
    this.contention = options.contention ?? new Contention(now);
    this.#options = { now, utilization: utilizationSinceLast(), contention: this.contention, ...options };
    this.#limit = options.contended;
  }

  /** Halved while a contended process is busy, and raised step by step while it has time. */
  current(): number {
    if (!this.contention.isContended()) return this.#options.alone;
    const { now, utilization, least, contended } = this.#options;
    if (now() - this.#adjustedAt < ADJUST_EVERY_MS) return this.#limit;
    this.#adjustedAt = now();
    const busy = utilization();
    if (busy > TOO_BUSY) this.#limit = Math.max(least, Math.floor(this.#limit / 2));
    else if (busy < HAS_TIME) this.#limit = Math.min(contended, this.#limit + 1);
    return this.#limit;
  }
}

function utilizationSinceLast(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
