/** Finds the cells of plainly built CSV records in their bytes: rows whose quotes, if any, enclose whole cells. */

import { RunningHash } from '../../kernel/source-hash.js';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

export class CsvRecordBytes {
  /** Where the cells of the record scanned last lie, without their quotes. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #bytes: Buffer;
  readonly #delimiter: number;
  readonly #hash: RunningHash;

  /** @param seed of the rows' hashes */
  constructor(bytes: Buffer, delimiter: string, cells: number, seed: number) {
    this.#bytes = bytes;
    this.#delimiter = delimiter.charCodeAt(0);
    this.starts = new Int32Array(cells);
    this.ends = new Int32Array(cells);
    this.#hash = new RunningHash(seed);
  }

  /** Whether a line without cells begins at `at`. */
  isBlank(at: number): boolean {
    return this.#bytes[at] === LF || this.#bytes[at] === CR;
  }

  /** @returns where the next record begins; -1: it is not plain, or has not its cells */
  scan(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const delimiter = this.#delimiter;
    const { starts, ends } = this;
    const hash = this.#hash;
    hash.reset();
    let at = from;
    for (let index = 0; index < starts.length; index++) {
      let start = at;
      let end: number;
      if (bytes[at] === QUOTE) {
        start++;
        end = bytes.indexOf(QUOTE, start);
        if (end < 0) return -1;
        at = end + 1;
      } else {
        while (at < length) {
          const byte = bytes[at] as number;
          if (byte === delimiter || byte === LF || byte === CR) break;
          at++;
        }
        end = at;
      }
      const last = index === starts.length - 1;
      const follows = at < length ? bytes[at] : LF;
      if (last ? follows !== LF && follows !== CR : follows !== delimiter) return -1;
      hash.addBytes(bytes, start, end);
      starts[index] = start;
      ends[index] = end;
      if (!last) at++;
    }
    return this.afterLineEnd(at);
  }

  /** Of the record scanned last. */
  hash(): number {
    return this.#hash.value();
  }

  /** Where the record that begins at `start` ends, its line end included: the dialect of csvRows, in bytes. */
  endOfRecord(start: number): number {
    const bytes = this.#bytes;
    for (let at = start; at < bytes.length; at++) {
      if (bytes[at] === QUOTE) at = this.#afterQuotes(at);
      while (at < bytes.length && bytes[at] !== this.#delimiter) {
        if (bytes[at] === LF || bytes[at] === CR) return this.afterLineEnd(at);
        at++;
      }
    }
    return bytes.length;
  }

  afterLineEnd(at: number): number {
    return this.#bytes[at] === CR && this.#bytes[at + 1] === LF ? at + 2 : at + 1;
  }

  /** Behind the quote that closes the cell whose quote stands at `at`. */
  #afterQuotes(at: number): number {
    const bytes = this.#bytes;
    for (let close = bytes.indexOf(QUOTE, at + 1); close >= 0; close = bytes.indexOf(QUOTE, close + 2)) {
      if (bytes[close + 1] !== QUOTE) return close + 1;
    }
    return bytes.length;
  }
}
