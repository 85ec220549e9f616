/** The beginning of bytes that are still to be read as a whole. */
import { Readable } from 'node:stream';
import { constants, gunzipSync } from 'node:zlib';

/** The beginning of some bytes, and all of them. */
export async function beginningOf(bytes: Readable, length: number) {
  const iterator = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const chunks: Buffer[] = [];
  for (let looked = 0; looked < length; ) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    chunks.push(value);
    looked += value.length;
  }
  const whole = Readable.from(joined(chunks, iterator), { objectMode: false });
  return { beginning: Buffer.concat(chunks).subarray(0, length), whole };
}

async function* joined(chunks: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** What the beginning of packed bytes unpacks to; undefined: they are not packed. */
export function unpackedBeginning(beginning: Buffer): Buffer | undefined {
  try {
    return gunzipSync(beginning, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}
