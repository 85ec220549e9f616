/** Finds the rows of a file that share a key. Each unique key needs only a constant amount of memory. */
import type { WinningRow } from '../model/source-input.js';
import type { ChunkPlan } from '../model/source-plan.js';
import { HashSet } from './hash-set.js';
import { KeyHash } from './key-hash.js';

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
