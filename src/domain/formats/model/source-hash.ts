/** A hash of a row's texts, stored with the item: if it is equal, applying the row again would change nothing. */

export const LOW_FACTOR = 0x9e3779b1;
export const HIGH_FACTOR = 0x5f356495;
/** Separates two texts, so that different lists of texts are hashed differently. No UTF-16 unit has this value. */
export const SEPARATOR = 0x1_0001;

/**
 * Returns 53 bits over a row's texts, in two lanes of multiply-and-shift (with the mixing of MurmurHash). It is not
 * collision-resistant: a tenant could only cause one of its own updates to be treated as unchanged.
 * @param seed what else decides the outcome: header, options, definitions version, channel
 * @returns a safe integer, at least 0
 */
export function sourceHash(texts: readonly string[], seed: number): number {
  const hash = new RunningHash(seed);
  for (const text of texts) hash.addText(text);
  return hash.value();
}

/** The same hash, one cell at a time. ASCII bytes give the same hash as their text. */
export class RunningHash {
  /** The lanes before the first text. */
  readonly firstLow: number;
  readonly firstHigh: number;
  #low = 0;
  #high = 0;

  constructor(seed: number) {
    this.firstLow = LOW_FACTOR ^ seed;
    this.firstHigh = 0x85ebca6b ^ Math.imul(seed, 0xc2b2ae35);
    this.reset();
  }

  reset(): void {
    this.#low = this.firstLow;
    this.#high = this.firstHigh;
  }

  addText(text: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      low = Math.imul(low ^ code, LOW_FACTOR);
      high = Math.imul(high ^ code, HIGH_FACTOR);
    }
    this.#low = Math.imul(low ^ SEPARATOR, LOW_FACTOR);
    this.#high = Math.imul(high ^ SEPARATOR, HIGH_FACTOR);
  }

  addBytes(bytes: Uint8Array, start: number, end: number): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = start; index < end; index++) {
      const byte = bytes[index] as number;
      low = Math.imul(low ^ byte, LOW_FACTOR);
      high = Math.imul(high ^ byte, HIGH_FACTOR);
    }
    this.#low = Math.imul(low ^ SEPARATOR, LOW_FACTOR);
    this.#high = Math.imul(high ^ SEPARATOR, HIGH_FACTOR);
  }

  value(): number {
    return hashOfLanes(this.#low, this.#high);
  }
}

/** The hash of what two lanes have taken in. */
export function hashOfLanes(lowLane: number, highLane: number): number {
  const low = Math.imul(lowLane ^ (lowLane >>> 16), 0x85ebca6b) ^ Math.imul(highLane ^ (highLane >>> 13), 0xc2b2ae35);
  const high = Math.imul(highLane ^ (highLane >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/** Returns a seed from what else, besides the row, decides the outcome. */
export function hashSeed(...parts: readonly (string | number | null)[]): number {
  return sourceHash(parts.map(String), 0) | 0;
}
