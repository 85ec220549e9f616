/** A seeded 64-bit hash of a key's bytes, in two 32-bit lanes so that no bigint is needed. */
import { randomBytes } from 'node:crypto';

/**
 * The mixing of cyrb53 over bytes, with both lanes kept in full. It is not cryptographic: keys with equal hashes are
 * compared exactly later. Because of the seed, no file can be made to collide on purpose.
 */
export class KeyHash {
  /** The lanes of the key hashed last. */
  high = 0;
  low = 0;
  readonly #seed = randomBytes(8);
  readonly #highSeed = this.#seed.readInt32LE(0);
  readonly #lowSeed = this.#seed.readInt32LE(4);

  /** Hashes bytes `from` to `to`; returns whether all of them are ASCII. */
  ofBytes(bytes: Uint8Array, from: number, to: number): boolean {
    let high = this.#highSeed;
    let low = this.#lowSeed;
    let seen = 0;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number;
      seen |= byte;
      high = Math.imul(high ^ byte, 2654435761);
      low = Math.imul(low ^ byte, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    this.high = high | 0;
    this.low = low | 0;
    return seen < 0x80;
  }

  ofText(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.ofBytes(bytes, 0, bytes.length);
  }
}
