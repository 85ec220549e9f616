/** How long one unit of work takes. */
import type { Done } from '../../../platform/metrics/work-done.js';
import { fade, RECENT_SECONDS } from './fade.js';

/** The time over which it is learnt how long a row usually takes. */
const USUAL_SECONDS = 86_400;

export class UnitSpeed {
  #recent: Done = { count: 0, seconds: 0 };
  #last: number | undefined;
  /** Averaged over time and not over units, of which there are most when the database has most to do. */
  #usual: number | undefined;

  constructor(readonly assumed: number) {}

  note({ count, seconds }: Done, passed: number): void {
    const kept = fade(passed, RECENT_SECONDS);
    this.#recent = { count: this.#recent.count * kept + count, seconds: this.#recent.seconds * kept + seconds };
    if (count === 0) return;
    this.#last = this.#recent.seconds / this.#recent.count;
    const usuallyKept = fade(passed, USUAL_SECONDS);
    this.#usual = (this.#usual ?? this.#last) * usuallyKept + this.#last * (1 - usuallyKept);
  }

  get isMeasured(): boolean {
    return this.#last !== undefined;
  }

  /** Slot-seconds per unit, when it was measured last. */
  get recent(): number {
    return this.#last ?? this.assumed;
  }

  get busySlots(): number {
    return this.#recent.seconds / RECENT_SECONDS;
  }

  get recentSeconds(): number {
    return this.#recent.seconds;
  }

  /** What the recent work usually takes. */
  get usualSeconds(): number {
    return this.#recent.count * (this.#usual ?? 0);
  }
}
