/** Sends requests as fast as they are answered, and says how long that took. */
import { inLanes } from './in-lanes.js';
import { percentile } from './statistics.js';

export interface Sent {
  readonly perSecond: number;
  /** How long the slowest hundredth of the requests waited for their answers. */
  readonly p99Ms: number;
}

/** @param lanes how many requests are under way at any time */
export async function sendAll<T>(
  requests: readonly T[],
  lanes: number,
  send: (request: T) => Promise<void>,
): Promise<Sent> {
  const latencies: number[] = [];
  const start = performance.now();
  await inLanes(requests, lanes, async (request) => {
    const sentAt = performance.now();
    await send(request);
    latencies.push(performance.now() - sentAt);
  });
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: requests.length / seconds, p99Ms: percentile(latencies, 99) };
}
