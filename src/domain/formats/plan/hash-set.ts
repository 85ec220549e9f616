/** A set of 64-bit hashes in typed arrays: millions of hashes at about 11 to 32 bytes each, without garbage. */

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
