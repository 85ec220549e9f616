/** Sends requests as fast as they are answered, and says how long that took. */
import { inLanes } from './in-lanes.js';
import { percentile } from './statistics.js';

export interface Sent {
  /** How many were answered. */
  readonly count: number;
  readonly perSecond: number;
  /** How long the slowest hundredth of the requests waited for their answers. */
  readonly p99Ms: number;
}

/**
 * @param lanes how many requests are under way at any time
 * @param giveUpAt sends no more from this instant (as `performance.now()` has it) on
 */
export async function sendAll<T>(
  requests: readonly T[],
  lanes: number,
  send: (request: T) => Promise<void>,
  giveUpAt?: number,
): Promise<Sent> {
  const latencies: number[] = [];
  const start = performance.now();
  const timed = async (request: T) => {
    const sentAt = performance.now();
    await send(request);
    latencies.push(performance.now() - sentAt);
  };
  await inLanes(requests, lanes, timed, giveUpAt);
  const seconds = (performance.now() - start) / 1000;
  const count = latencies.length;
  return { count, perSecond: count / seconds, p99Ms: percentile(latencies, 99) };
}
