/** The least pace of servers that send or take a file: slower ones would hold a place for hours, which those of others wait for. */
import { RemoteFailure } from '../../platform/remote/remote-folder.js';

export interface Pace {
  /** 0: it may be as slow as it likes. */
  readonly leastBytesPerSecond: number;
  /** Over which the average is taken. */
  readonly windowMs: number;
}

/** What a source sends. Only the time counts in which it is waited for: the store may be slow. @throws RemoteFailure TOO_SLOW */
export async function* atPace(chunks: AsyncIterable<Buffer>, name: string, pace: Pace): AsyncGenerator<Buffer> {
  const measure = measured(pace, (rate, waitedMs) => tooSlow(name, rate, waitedMs, pace));
  let askedAt = performance.now();
  for await (const chunk of chunks) {
    measure(chunk.length, performance.now() - askedAt);
    yield chunk;
    askedAt = performance.now();
  }
}

/** What a server takes. Only the time counts in which it is waited for: the store may be slow. @throws RemoteFailure TOO_SLOW */
export async function* takenAtPace(chunks: AsyncIterable<Buffer>, name: string, pace: Pace): AsyncGenerator<Buffer> {
  const measure = measured(pace, (rate, waitedMs) => takenTooSlowly(name, rate, waitedMs, pace));
  for await (const chunk of chunks) {
    const givenAt = performance.now();
    yield chunk;
    measure(chunk.length, performance.now() - givenAt);
  }
}

/** @returns what is called with the bytes that were waited for and how long; it throws `failure` when they are too few */
function measured({ leastBytesPerSecond, windowMs }: Pace, failure: (rate: number, waitedMs: number) => RemoteFailure) {
  let bytes = 0;
  let waitedMs = 0;
  return (more: number, ms: number) => {
    bytes += more;
    waitedMs += ms;
    if (waitedMs < windowMs) return;
    const rate = bytes / (waitedMs / 1000);
    if (rate < leastBytesPerSecond) throw failure(rate, waitedMs);
    bytes = 0;
    waitedMs = 0;
  };
}

function tooSlow(name: string, rate: number, waitedMs: number, { leastBytesPerSecond }: Pace): RemoteFailure {
  const message = `the server sends ${name} at ${kilobytes(rate)} KB in a second, on average of ${Math.round(waitedMs / 1000)} seconds; at least ${kilobytes(leastBytesPerSecond)} are expected: have the file sent faster, packed (gzip) or in parts, or have the operator expect less (FEED_LEAST_KB_PER_SECOND)`;
  return new RemoteFailure('TOO_SLOW', message);
}

function takenTooSlowly(name: string, rate: number, waitedMs: number, { leastBytesPerSecond }: Pace): RemoteFailure {
  const message = `the server takes ${name} at ${kilobytes(rate)} KB in a second, on average of ${Math.round(waitedMs / 1000)} seconds; at least ${kilobytes(leastBytesPerSecond)} are expected: have the server take it faster, choose a format that is packed (gzip) or less in it, or have the operator expect less (FEED_LEAST_KB_PER_SECOND)`;
  return new RemoteFailure('TOO_SLOW', message);
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
