/** Makes the first attempts of batches: loads few more than can be under way, and lets them go one by one as places get free. */
import { setMaxListeners } from 'node:events';
import type { Db } from '../../../../db/connection.js';
import { gather } from '../../../platform/concurrency/gather.js';
import { createPlaces } from '../../../platform/concurrency/turnstile.js';
import type { AttemptEnd } from './attempt-end.js';
import type { Following } from './attempt-recorder.js';
import { type LoadedDelivery, loadBatches } from './load-deliveries.js';

/** What came of the first attempts of a batch. */
export interface BatchEnd {
  readonly following: readonly Following[];
  /** What kept the batch from leaving us as a whole; null: nothing. Those that are left are to be attempted again. */
  readonly left: unknown;
}

interface BatchOptions<Tried> {
  readonly db: Db;
  /** Deliveries that are under way or wait at hand for their endpoint. */
  readonly atHand: number;
  readonly lingerMs: number;
  /** Attempts it, or finds that it cannot be; holds a place meanwhile. */
  readonly tryOne: (delivery: LoadedDelivery, signal: AbortSignal) => Promise<Tried>;
  /** Brings what came of it to its end, which takes no place. */
  readonly settle: (delivery: LoadedDelivery, tried: Tried) => Promise<AttemptEnd>;
}

const MAX_LOADED_BATCHES = 20;

export function createBatchAttempts<Tried>(
  options: BatchOptions<Tried>,
): (batch: string, signal: AbortSignal) => Promise<BatchEnd> {
  const { db, atHand, lingerMs, tryOne, settle } = options;
  const places = createPlaces(atHand);
  /** Loaded, and still without a place. */
  let queued = 0;
  let onceFewAreQueued: (() => void) | undefined;
  const load = gather({
    lingerMs,
    maxItems: MAX_LOADED_BATCHES,
    run: async (batches: readonly string[]) => {
      // What is loaded before its time only fills the memory.
      if (queued >= atHand) await new Promise<void>((resolve) => (onceFewAreQueued = resolve));
      return loadBatches(db, batches);
    },
  });

  async function attemptOne(delivery: LoadedDelivery, signal: AbortSignal): Promise<AttemptEnd> {
    queued++;
    const free = places.take();
    if (free !== undefined) await free;
    if (--queued < atHand) onceFewAreQueued?.();
    let tried: Tried;
    try {
      tried = await tryOne(delivery, signal);
    } finally {
      places.leave();
    }
    return settle(delivery, tried);
  }

  return async (batch, signal) => {
    const deliveries = await load(batch);
    // Each request under way listens whether it is still wanted.
    setMaxListeners(0, signal);
    const ends = await Promise.allSettled(deliveries.map((delivery) => attemptOne(delivery, signal)));
    const following: Following[] = [];
    let left: unknown = null;
    for (const end of ends) {
      if (end.status === 'rejected') left ??= end.reason;
      else if (end.value.kind === 'done') following.push(...end.value.following);
      else left ??= new Error('first attempts were handed back');
    }
    return { following, left };
  };
}
