/**
 * Finds out whether a value of a column occurs twice among millions, at bounded memory: the values' hashes are kept in
 * sorted blocks, and what memory does not hold goes to a scratch file.
 */
import type { ScratchFile } from '../../../platform/file-store.js';

const BYTES = Float64Array.BYTES_PER_ELEMENT;
const MAX_BLOCK = 16_384;
const FIRST_BLOCK = 256;
/** So many hashes are compared at once in the end: sorting them takes some milliseconds. */
const COMPARED_AT_ONCE = 65_536;
/** Hashes have 53 bits, which a double holds: a wrong "occurs twice" in ten million values has a chance of 1 in 180. */
const HASHES = 2 ** 53;
const HIGH_LANE = 2 ** 21;

/** The memory that all columns of a file share for hashes, and where the rest goes. */
export class HashRoom {
  #left: number;
  #scratch: ScratchFile | null = null;
  readonly #createScratch: () => Promise<ScratchFile>;
  readonly maxBlock: number;

  /** @param hashes how many may be in memory */
  constructor(hashes: number, columns: number, createScratch: () => Promise<ScratchFile>) {
    this.#left = hashes;
    this.#createScratch = createScratch;
    this.maxBlock = Math.max(FIRST_BLOCK, Math.min(MAX_BLOCK, Math.floor(hashes / 2 / columns)));
  }

  /** Opens the scratch file when memory becomes short; must be called about once per thousand rows. */
  async prepare(rowsToCome: number, columns: number): Promise<void> {
    if (this.#scratch === null && this.#left < rowsToCome * columns + MAX_BLOCK)
      this.#scratch = await this.#createScratch();
  }

  /** Takes the sorted block. */
  keep(block: Float64Array): KeptBlock {
    if (this.#scratch === null || this.#left >= block.length) {
      this.#left -= block.length;
      return { length: block.length, inMemory: block, at: 0, read: 0 };
    }
    const at = this.#scratch.size;
    this.#scratch.append(Buffer.from(block.buffer, block.byteOffset, block.byteLength));
    return { length: block.length, inMemory: null, at, read: 0 };
  }

  free(blocks: readonly KeptBlock[]): void {
    for (const { inMemory, length } of blocks) if (inMemory !== null) this.#left += length;
  }

  /** The hashes [from, to) of a block. */
  slice({ inMemory, at }: KeptBlock, from: number, to: number): Float64Array {
    if (inMemory !== null) return inMemory.subarray(from, to);
    if (this.#scratch === null) throw new Error('a block of hashes is in no file');
    const bytes = this.#scratch.read(at + from * BYTES, at + to * BYTES);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  close(): void {
    this.#scratch?.close();
    this.#scratch = null;
  }
}

interface KeptBlock {
  readonly length: number;
  /** Null: the block is in the scratch file. */
  readonly inMemory: Float64Array | null;
  readonly at: number;
  /** How many of its hashes were compared. */
  read: number;
}

export class UniqueValues {
  /** Whether no value was found twice so far. */
  isUnique = true;
  #open = new Float64Array(FIRST_BLOCK);
  #used = 0;
  #kept: KeptBlock[] = [];
  #size = 0;
  readonly #room: HashRoom;

  constructor(room: HashRoom) {
    this.#room = room;
  }

  add(high: number, low: number): void {
    if (!this.isUnique) return;
    if (this.#used === this.#open.length) this.#makeRoom();
    this.#open[this.#used] = (high >>> 0) * HIGH_LANE + (low >>> 11);
    this.#used += 1;
    this.#size += 1;
  }

  /** The columns found a value twice in some other way. */
  drop(): void {
    this.isUnique = false;
    this.#room.free(this.#kept);
    this.#kept = [];
    this.#open = new Float64Array(0);
  }

  /** Compares all values. @param pause is called every few milliseconds */
  async finish(pause: () => Promise<void>): Promise<boolean> {
    if (this.isUnique && this.#used > 0) this.#closeBlock();
    if (this.isUnique && this.#kept.length > 1) await this.#compareBlocks(pause);
    const { isUnique } = this;
    this.drop();
    return isUnique;
  }

  #makeRoom(): void {
    if (this.#open.length < this.#room.maxBlock) {
      const larger = new Float64Array(Math.min(this.#room.maxBlock, this.#open.length * 4));
      larger.set(this.#open);
      this.#open = larger;
      return;
    }
    this.#closeBlock();
  }

  #closeBlock(): void {
    const block = this.#open.slice(0, this.#used).sort();
    this.#used = 0;
    if (hasRepeated(block)) this.drop();
    else this.#kept.push(this.#room.keep(block));
  }

  /** Compares the blocks range by range: hashes are spread evenly. */
  async #compareBlocks(pause: () => Promise<void>): Promise<void> {
    const ranges = Math.ceil(this.#size / COMPARED_AT_ONCE);
    for (let range = 1; range <= ranges; range += 1) {
      const below = range === ranges ? HASHES : (HASHES / ranges) * range;
      const parts = this.#kept.map((block) => this.#readBelow(block, below, ranges));
      const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      if (hasRepeated(all.sort())) {
        this.isUnique = false;
        return;
      }
      await pause();
    }
  }

  /** The hashes of a block that were not read yet and are below a limit. */
  #readBelow(block: KeptBlock, below: number, ranges: number): Float64Array {
    const from = block.read;
    let expected = Math.ceil((block.length / ranges) * 1.5) + 8;
    for (;;) {
      const part = this.#room.slice(block, from, Math.min(block.length, from + expected));
      const end = firstNotBelow(part, below);
      if (end < part.length || from + part.length === block.length) {
        block.read = from + end;
        return part.subarray(0, end);
      }
      expected *= 2;
    }
  }
}

function hasRepeated(sorted: Float64Array): boolean {
  for (let at = 1; at < sorted.length; at += 1) if (sorted[at] === sorted[at - 1]) return true;
  return false;
}

function firstNotBelow(sorted: Float64Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
