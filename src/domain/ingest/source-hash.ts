/** A hash of what a row says, kept with the item: equal means that applying the row again would change nothing. */

const LOW_FACTOR = 0x9e3779b1;
const HIGH_FACTOR = 0x5f356495;
/** Stands between two texts, so that no two lists of texts are taken for one. No UTF-16 unit has this value. */
const SEPARATOR = 0x1_0001;

/**
 * 53 bits over a row's texts, in two lanes of multiply-and-shift (after MurmurHash's mixing). Not for adversaries: a
 * tenant could only make one of its own updates be taken for unchanged.
 * @param seed whatever besides the row decides the outcome: header, options, definitions version, channel
 * @returns a safe integer, at least 0
 */
export function sourceHash(texts: readonly string[], seed: number): number {
  let low = LOW_FACTOR ^ seed;
  let high = 0x85ebca6b ^ Math.imul(seed, 0xc2b2ae35);
  for (let position = 0; position < texts.length; position++) {
    const text = texts[position] as string;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      low = Math.imul(low ^ code, LOW_FACTOR);
      high = Math.imul(high ^ code, HIGH_FACTOR);
    }
    low = Math.imul(low ^ SEPARATOR, LOW_FACTOR);
    high = Math.imul(high ^ SEPARATOR, HIGH_FACTOR);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/** A seed made of what besides the rows decides their outcome. */
export function hashSeed(...parts: readonly (string | number | null)[]): number {
  return sourceHash(parts.map(String), 0) | 0;
}
