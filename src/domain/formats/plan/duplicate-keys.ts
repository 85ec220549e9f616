/** Finds the rows of a file that share a key. Each unique key needs only a constant amount of memory. */

import { randomBytes } from 'node:crypto';
import type { ChunkPlan, WinningRow } from '../source-contract.js';

// A set of 64-bit hashes in typed arrays: millions of hashes at about 11 to 32 bytes each, without garbage.

/** The set is split into shards, so that growing moves a small part at a time and never blocks the event loop. */
const SHARD_BITS = 8;
const SHARDS = 1 << SHARD_BITS;
const FIRST_SLOTS = 16;
/** Each shard grows at its own load between these limits, so that they do not all grow at once. */
const LEAST_LOAD = 0.5;
const MOST_LOAD = 0.75;

interface Shard {
  /** High and low lane of each slot, side by side; both are 0 in an empty slot. */
  lanes: Int32Array;
  /** The number of slots minus one; the number is a power of two. */
  mask: number;
  used: number;
  /** The share of used slots beyond which the shard grows. */
  readonly maxLoad: number;
}

/** @internal exported for tests */
export class HashSet {
  size = 0;
  readonly #shards: Shard[] = Array.from({ length: SHARDS }, (_, index) =>
    emptyShard(FIRST_SLOTS, LEAST_LOAD + ((MOST_LOAD - LEAST_LOAD) * index) / SHARDS),
  );

  /** Adds a hash; returns whether it is new. */
  add(high: number, low: number): boolean {
    const shard = this.#shardOf(high);
    const laneLow = high === 0 && low === 0 ? 1 : low;
    const slot = slotOf(shard, high, laneLow);
    if (isTaken(shard, slot)) return false;
    put(shard, slot, high, laneLow);
    this.size += 1;
    if (shard.used > (shard.mask + 1) * shard.maxLoad) grow(shard);
    return true;
  }

  has(high: number, low: number): boolean {
    const shard = this.#shardOf(high);
    return isTaken(shard, slotOf(shard, high, high === 0 && low === 0 ? 1 : low));
  }

  #shardOf(high: number): Shard {
    return this.#shards[high >>> (32 - SHARD_BITS)] as Shard;
  }
}

function emptyShard(slots: number, maxLoad: number): Shard {
  return { lanes: new Int32Array(slots * 2), mask: slots - 1, used: 0, maxLoad };
}

/** The slot that holds the hash, else the slot for it. */
function slotOf(shard: Shard, high: number, low: number): number {
  const { lanes, mask } = shard;
  let slot = low & mask;
  for (;;) {
    const slotHigh = lanes[slot * 2] as number;
    const slotLow = lanes[slot * 2 + 1] as number;
    if (slotHigh === high && slotLow === low) return slot;
    if (slotHigh === 0 && slotLow === 0) return slot;
    slot = (slot + 1) & mask;
  }
}

function isTaken(shard: Shard, slot: number): boolean {
  return shard.lanes[slot * 2] !== 0 || shard.lanes[slot * 2 + 1] !== 0;
}

function put(shard: Shard, slot: number, high: number, low: number): void {
  shard.lanes[slot * 2] = high;
  shard.lanes[slot * 2 + 1] = low;
  shard.used += 1;
}

function grow(shard: Shard): void {
  const larger = emptyShard((shard.mask + 1) * 2, shard.maxLoad);
  for (let slot = 0; slot <= shard.mask; slot += 1) {
    const high = shard.lanes[slot * 2] as number;
    const low = shard.lanes[slot * 2 + 1] as number;
    if (high !== 0 || low !== 0) put(larger, slotOf(larger, high, low), high, low);
  }
  shard.lanes = larger.lanes;
  shard.mask = larger.mask;
}

// A seeded 64-bit hash of a key's bytes, in two 32-bit lanes so that no bigint is needed.

/**
 * The mixing of cyrb53 over bytes, with both lanes kept in full. It is not cryptographic: keys with equal hashes are
 * compared exactly later. Because of the seed, no file can be made to collide on purpose.
 * @internal exported for tests
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

/** All printable ASCII characters between white space: shows whether normalising a plain key only trims it. */
const PROBE = ` ${Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('')} \t`;

/**
 * The first pass records hashes that occur twice. Only if there are such candidates, a second pass compares the keys
 * themselves. Empty keys are not duplicates of each other.
 */
export class DuplicateKeys {
  readonly #hash = new KeyHash();
  readonly #seen = new HashSet();
  readonly #candidates = new HashSet();
  /** Whether plain ASCII keys are normalised by trimming alone, so that their bytes can be hashed as they are. */
  readonly #trimsOnly: boolean;

  readonly #groupOfKey = new Map<string, number>();
  readonly #winningRow: number[] = [];
  readonly #rows: number[] = [];
  readonly #groups: number[] = [];

  readonly #normaliseKey: (key: string) => string;

  constructor(normaliseKey: (key: string) => string) {
    this.#normaliseKey = normaliseKey;
    this.#trimsOnly = normaliseKey(PROBE) === PROBE.trim();
  }

  get hasCandidates(): boolean {
    return this.#candidates.size > 0;
  }

  /** First pass: records a key as text, not yet normalised. */
  note(key: string): void {
    if (this.#hashText(key)) this.#noteHash();
  }

  /** First pass: records a key as it is in the bytes, without quotes around it or doubled quotes in it. */
  noteBytes(bytes: Buffer, from: number, to: number): void {
    if (this.#hashBytes(bytes, from, to)) this.#noteHash();
  }

  /** Second pass: whether the key may belong to several rows. */
  isCandidate(key: string): boolean {
    return this.#hashText(key) && this.#candidates.has(this.#hash.high, this.#hash.low);
  }

  /** Second pass: the same for a key in the bytes. */
  isCandidateBytes(bytes: Buffer, from: number, to: number): boolean {
    return this.#hashBytes(bytes, from, to) && this.#candidates.has(this.#hash.high, this.#hash.low);
  }

  /** Second pass: records a row with a candidate key. Rows must come in order. */
  record(row: number, key: string, winner: WinningRow): void {
    const normalised = this.#normaliseKey(key);
    if (normalised === '') return;
    let group = this.#groupOfKey.get(normalised);
    if (group === undefined) {
      group = this.#winningRow.length;
      this.#groupOfKey.set(normalised, group);
      this.#winningRow.push(row);
    } else if (winner === 'last') {
      this.#winningRow[group] = row;
    }
    this.#rows.push(row);
    this.#groups.push(group);
  }

  /** Adds every superseded row to the chunk that it belongs to. */
  assignTo(chunks: readonly ChunkPlan[]): void {
    let index = 0;
    for (const [position, row] of this.#rows.entries()) {
      const winner = this.#winningRow[this.#groups[position] as number] as number;
      if (winner === row) continue;
      let chunk = chunks[index] as ChunkPlan;
      while (row >= chunk.firstRow + chunk.lineCount) {
        index += 1;
        chunk = chunks[index] as ChunkPlan;
      }
      chunk.duplicates.push([row, winner]);
    }
  }

  #noteHash(): void {
    const { high, low } = this.#hash;
    if (!this.#seen.add(high, low)) this.#candidates.add(high, low);
  }

  /** Returns false when the key is empty. */
  #hashText(key: string): boolean {
    const normalised = this.#normaliseKey(key);
    if (normalised === '') return false;
    this.#hash.ofText(normalised);
    return true;
  }

  #hashBytes(bytes: Buffer, from: number, to: number): boolean {
    let start = from;
    let end = to;
    while (start < end && isAsciiSpace(bytes[start] as number)) start += 1;
    while (end > start && isAsciiSpace(bytes[end - 1] as number)) end -= 1;
    if (start === end) return false;
    if (this.#trimsOnly && this.#hash.ofBytes(bytes, start, end)) return true;
    return this.#hashText(bytes.toString('utf8', start, end));
  }
}

/** The ASCII characters that String.prototype.trim removes. */
function isAsciiSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
