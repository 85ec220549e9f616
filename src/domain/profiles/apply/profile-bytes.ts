/** Maps the records of a text as bytes, by the rules of a profile. */

import { CELL } from '../../formats/csv/record-cells.js';
import { type ByteMapper, LEFT_OUT, NOT_WRITTEN, type RecordBytes } from '../../formats/mapped/table-mapping.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { QUOTE } from '../../kernel/characters.js';
import type { WriteCell } from './cell-writer.js';
import type { ColumnCells } from './column-cells.js';
import type { RowTest } from './row-tests.js';

const DELIMITER = WORKBOOK_DELIMITER.charCodeAt(0);
const MOST_BYTES_OF_A_UNIT = 3;

export class ProfileBytes implements ByteMapper {
  keyStart = 0;
  keyEnd = 0;
  readonly #keyColumn: number;
  readonly #columns: readonly ColumnCells[];
  /** Of each column what a plain cell needs: arrays are read faster than objects, for each cell of a file. */
  readonly #singles: Int32Array;
  readonly #writers: readonly WriteCell[];
  readonly #tests: readonly RowTest[];
  readonly #quote: string;
  /** The cells of a record as texts, as far as rules for several columns need them. */
  readonly #texts: string[] = [];

  /** @param quote what surrounds the cells of the source */
  constructor(keyColumn: number, columns: readonly ColumnCells[], tests: readonly RowTest[], quote: string) {
    this.#keyColumn = keyColumn;
    this.#columns = columns;
    this.#singles = Int32Array.from(columns, ({ single }) => single);
    this.#writers = columns.map(({ write }) => write);
    this.#tests = tests;
    this.#quote = quote;
  }

  writeLine(record: RecordBytes, target: Buffer, from: number, limit: number): number {
    const { bytes, starts, ends, forms } = record;
    for (const test of this.#tests) {
      if (!this.#holds(test, record)) continue;
      test.leftOut.note(record.row);
      return LEFT_OUT;
    }
    const singles = this.#singles;
    const writers = this.#writers;
    const count = singles.length;
    let at = from;
    let isBlank = true;
    for (let index = 0; index < count; index++) {
      const single = singles[index] as number;
      if (index > 0) target[at++] = DELIMITER;
      const cellStart = at;
      const start = single < 0 ? 0 : (starts[single] as number);
      const end = single < 0 ? 0 : (ends[single] as number);
      let next = NOT_WRITTEN;
      if (start < end && (forms === null || forms[single] !== CELL.escaped)) {
        next = (writers[index] as WriteCell)(bytes, start, end, target, at, limit);
      }
      at = next >= 0 ? next : this.#writeOther(index, record, target, at, limit);
      // The rest of the line needs at least its delimiters.
      if (at < 0 || at + count > limit) return NOT_WRITTEN;
      if (at > cellStart) isBlank = false;
      if (index === this.#keyColumn) {
        // In quotes, or marked: the mapper of texts knows the text of such a key.
        if (at > cellStart && (target[cellStart] === QUOTE || target[cellStart] === 0)) return NOT_WRITTEN;
        this.keyStart = cellStart;
        this.keyEnd = at;
      }
    }
    return isBlank ? NOT_WRITTEN : at;
  }

  /** Writes a cell that is empty, has to be made of its text, or is made of several. */
  #writeOther(index: number, record: RecordBytes, target: Buffer, at: number, limit: number): number {
    const column = this.#columns[index] as ColumnCells;
    const { single, fillsEmpty } = column;
    if (single < 0) return this.#writeText(this.#ofSeveral(column, record), target, at, limit);
    if (record.starts[single] === record.ends[single]) {
      return fillsEmpty ? this.#writeText(column.ofText(''), target, at, limit) : at;
    }
    return this.#writeText(column.ofText(this.#textOf(record, single)), target, at, limit);
  }

  #holds({ at, holds, ofBytes }: RowTest, record: RecordBytes): boolean {
    const known = ofBytes?.(record.bytes, record.starts[at] as number, record.ends[at] as number);
    return known ?? holds(this.#textOf(record, at));
  }

  #ofSeveral(column: ColumnCells, record: RecordBytes): string {
    for (const at of column.sources) this.#texts[at] = this.#textOf(record, at);
    return column.of(this.#texts, null);
  }

  #textOf({ bytes, starts, ends, forms }: RecordBytes, cell: number): string {
    const text = bytes.toString('utf8', starts[cell], ends[cell]);
    return forms === null || forms[cell] !== CELL.escaped ? text : text.replaceAll(this.#quote.repeat(2), this.#quote);
  }

  /** @returns NOT_WRITTEN when there may not be room enough */
  #writeText(text: string, target: Buffer, at: number, limit: number): number {
    if (at + text.length * MOST_BYTES_OF_A_UNIT > limit) return NOT_WRITTEN;
    return at + target.write(text, at, 'utf8');
  }
}
