/** What arrives for a group. */
import { fade, RECENT_SECONDS, sum } from './fade.js';

/** What arrives for a group. Nothing counts it: it is what was done and how much more waits than before. */
export class GroupRates {
  #arrival = 0;
  #open: ReadonlyMap<string, number> | undefined;
  #parallel: { readonly at: number; readonly slots: number }[] = [];

  note(open: ReadonlyMap<string, number>, busy: number, seconds: number, secondsOf: (unit: string) => number): void {
    const before = this.#open;
    this.#open = open;
    if (before === undefined || seconds === 0) return;
    const units = new Set([...before.keys(), ...open.keys()]);
    const more = sum([...units].map((unit) => ((open.get(unit) ?? 0) - (before.get(unit) ?? 0)) * secondsOf(unit)));
    const kept = fade(seconds, RECENT_SECONDS);
    this.#arrival = this.#arrival * kept + (busy + more / seconds) * (1 - kept);
  }

  get arrival(): number {
    return Math.max(0, this.#arrival);
  }

  /** The most that could run at once in the last minute: queues are empty for moments. */
  mostParallel(slots: number, now: number): number {
    this.#parallel = [...this.#parallel.filter(({ at }) => at > now - RECENT_SECONDS * 1000), { at: now, slots }];
    const known = this.#parallel.map((one) => one.slots).filter(Number.isFinite);
    // Without the queue nothing is known of it, and nothing limited by it.
    return known.length === 0 ? Number.MAX_SAFE_INTEGER : Math.max(...known);
  }
}
