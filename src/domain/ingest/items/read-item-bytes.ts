/**
 * Reads the rows of a CSV chunk into item drafts from their bytes. Cells that an encoder takes never become strings;
 * the others, and rows that are not plainly built, are read by the readers of strings, which are the judges.
 */

import type { CsvBytes } from '../ingest-kind.js';
import { csvRows } from '../source/parse-csv-chunk.js';
import { RunningHash } from '../source-hash.js';
import type { ReadRow } from './apply-item-rows.js';
import { type ByteEncoder, ByteMap } from './byte-encoders.js';
import type { DraftBuilder } from './draft-builder.js';
import type { ItemColumn, ItemColumns } from './item-columns.js';
import { cellSeed, itemCellReader, readCell } from './read-item-cells.js';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
/** Category texts remembered for one chunk. */
const MOST_CATEGORIES = 4_096;

interface ByteColumn {
  readonly column: ItemColumn;
  readonly encode: ByteEncoder | null;
  readonly position: number;
}

export class ItemBytesReader {
  readonly #columns: readonly ByteColumn[];
  readonly #readCells: ReturnType<typeof itemCellReader>;
  readonly #categories = new ByteMap<number>();
  readonly #hash: RunningHash;
  readonly #bytes: Buffer;
  readonly #delimiter: number;
  #at = 0;
  #row: number;

  constructor(
    readonly source: CsvBytes,
    readonly builder: DraftBuilder,
    columns: ItemColumns,
    seed: number,
  ) {
    this.#bytes = source.bytes;
    this.#delimiter = source.delimiter.charCodeAt(0);
    this.#row = source.firstRow;
    this.#hash = new RunningHash(cellSeed(columns, seed));
    this.#readCells = itemCellReader(builder, columns, seed);
    this.#columns = columns.columns.map((column) => {
      const position = column.kind === 'attribute' ? column.position : -1;
      return { column, position, encode: position < 0 ? null : builder.rules.byteEncoder(position) };
    });
  }

  /** Reads rows into `read`, up to `count`. @returns whether there may be more */
  readSome(read: ReadRow[], count: number): boolean {
    const bytes = this.#bytes;
    for (let left = count; left > 0; left--) {
      if (this.#at >= bytes.length) return false;
      const first = bytes[this.#at];
      if (first === LF || first === CR) {
        this.#at = this.#afterLineEnd(this.#at);
        this.#row++;
        continue;
      }
      const start = this.#at;
      this.builder.reset();
      if (this.#plainRow()) {
        read.push({ row: this.#row, outcome: this.builder.finish(this.#row, this.#hash.value()) });
      } else {
        this.#at = this.#endOfRecord(start);
        this.#readOddRow(start, read);
      }
      this.#row++;
    }
    return true;
  }

  /** Reads a row whose quotes, if any, enclose whole cells. @returns false when it is another, or has not its cells */
  #plainRow(): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    const delimiter = this.#delimiter;
    const columns = this.#columns;
    const hash = this.#hash;
    hash.reset();
    let at = this.#at;
    for (let index = 0; index < columns.length; index++) {
      let start = at;
      let end: number;
      if (bytes[at] === QUOTE) {
        start++;
        end = bytes.indexOf(QUOTE, start);
        if (end < 0) return false;
        at = end + 1;
      } else {
        while (at < length) {
          const byte = bytes[at] as number;
          if (byte === delimiter || byte === LF || byte === CR) break;
          at++;
        }
        end = at;
      }
      const last = index === columns.length - 1;
      const follows = at < length ? bytes[at] : LF;
      if (last ? follows !== LF && follows !== CR : follows !== delimiter) return false;
      hash.addBytes(bytes, start, end);
      if (end > start || (columns[index] as ByteColumn).column.kind === 'sku') {
        this.#cell(columns[index] as ByteColumn, start, end);
      }
      if (!last) at++;
    }
    this.#at = this.#afterLineEnd(at);
    return true;
  }

  #cell({ column, encode, position }: ByteColumn, start: number, end: number): void {
    if (encode !== null) {
      if (this.builder.encode(position, encode, this.#bytes, start, end)) return;
    } else if (column.kind === 'category') {
      const known = this.#categories.get(this.#bytes, start, end);
      if (known !== undefined) {
        this.builder.knownCategory(known);
        return;
      }
    } else if (column.kind === 'ignored') {
      return;
    }
    readCell(this.builder, column, this.#bytes.toString('utf8', start, end));
    if (column.kind !== 'category' || this.#categories.size >= MOST_CATEGORIES) return;
    const nodeId = this.builder.nodeId();
    if (nodeId !== null) this.#categories.set(this.#bytes, start, end, nodeId);
  }

  #readOddRow(start: number, read: ReadRow[]): void {
    const { delimiter, headerCells } = this.source;
    const options = { delimiter, columns: headerCells.length, firstRow: this.#row, headerCells, keepMarked: true };
    for (const row of csvRows(this.#bytes.subarray(start, this.#at), options)) {
      read.push({ row: row.row, outcome: this.#readCells(row) });
    }
  }

  /** Where the record that begins at `start` ends, its line end included: the dialect of csvRows, in bytes. */
  #endOfRecord(start: number): number {
    const bytes = this.#bytes;
    for (let at = start; at < bytes.length; at++) {
      if (bytes[at] === QUOTE) at = this.#afterQuotes(at);
      while (at < bytes.length && bytes[at] !== this.#delimiter) {
        if (bytes[at] === LF || bytes[at] === CR) return this.#afterLineEnd(at);
        at++;
      }
    }
    return bytes.length;
  }

  /** Behind the quote that closes the cell whose quote stands at `at`. */
  #afterQuotes(at: number): number {
    const bytes = this.#bytes;
    for (let close = bytes.indexOf(QUOTE, at + 1); close >= 0; close = bytes.indexOf(QUOTE, close + 2)) {
      if (bytes[close + 1] !== QUOTE) return close + 1;
    }
    return bytes.length;
  }

  #afterLineEnd(at: number): number {
    return this.#bytes[at] === CR && this.#bytes[at + 1] === LF ? at + 2 : at + 1;
  }
}
