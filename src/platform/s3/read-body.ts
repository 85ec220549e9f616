/** Reads the body of an answer, and tries again if it is cut off. */
import type { Readable } from 'node:stream';
import { Truncated } from './failure.js';

/** How often a body is asked for that arrives incompletely. */
const READ_ATTEMPTS = 3;

/** Asks again for a body that arrived incompletely. */
export async function insistently<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Truncated) || attempt === READ_ATTEMPTS || signal.aborted) throw error;
    }
  }
}

/** @throws Truncated */
export async function collect(body: Readable, length: number, signal: AbortSignal): Promise<Buffer> {
  const stop = () => body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (filled + chunk.length > length) throw new Truncated(filled + chunk.length, length);
      filled += chunk.copy(bytes, filled);
    }
  } catch {
    throw new Truncated(filled, length);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (filled < length) throw new Truncated(filled, length);
  return bytes;
}
