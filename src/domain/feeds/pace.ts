/** Reads no further from a source that sends too slowly: it would hold a place for hours, which those of other servers wait for. */
import { RemoteFailure } from '../../platform/remote/remote-folder.js';

export interface Pace {
  /** 0: it may be as slow as it likes. */
  readonly leastBytesPerSecond: number;
  /** Over which the average is taken. */
  readonly windowMs: number;
}

/** What a source sends. Only the time counts in which it is waited for: the store may be slow. @throws RemoteFailure TOO_SLOW */
export async function* atPace(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { leastBytesPerSecond, windowMs }: Pace,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let waitedMs = 0;
  let askedAt = performance.now();
  for await (const chunk of chunks) {
    waitedMs += performance.now() - askedAt;
    bytes += chunk.length;
    if (waitedMs >= windowMs) {
      const rate = bytes / (waitedMs / 1000);
      if (rate < leastBytesPerSecond) throw tooSlow(name, rate, waitedMs, leastBytesPerSecond);
      bytes = 0;
      waitedMs = 0;
    }
    yield chunk;
    askedAt = performance.now();
  }
}

function tooSlow(name: string, rate: number, waitedMs: number, least: number): RemoteFailure {
  const [kilobytes, expected] = [rate, least].map((bytes) => (bytes / 1000).toFixed(1));
  const message = `the server sends ${name} at ${kilobytes} KB in a second, on average of ${Math.round(waitedMs / 1000)} seconds; at least ${expected} are expected: have the file sent faster, packed (gzip) or in parts, or have the operator expect less (FEED_LEAST_KB_PER_SECOND)`;
  return new RemoteFailure('TOO_SLOW', message);
}
