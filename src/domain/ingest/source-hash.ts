/** A hash of what a row says, kept with the item: equal means that applying the row again would change nothing. */

/**
 * 53 bits over two texts, in two lanes of multiply-and-shift (after MurmurHash's mixing). Not for adversaries: a tenant
 * could only make one of its own updates be taken for unchanged.
 * @param head must end in a character that it holds nowhere else, so that no two pairs of texts are taken for one
 * @param seed whatever else decides the outcome: the definitions version, the channel, the options
 * @returns a safe integer, at least 0
 */
export function sourceHash(head: string, body: string, seed: number): number {
  let low = 0x9e3779b1 ^ seed;
  let high = 0x85ebca6b ^ Math.imul(seed, 0xc2b2ae35);
  for (let index = 0; index < head.length; index++) {
    const code = head.charCodeAt(index);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  for (let index = 0; index < body.length; index++) {
    const code = body.charCodeAt(index);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
