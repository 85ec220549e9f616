/** Maps the records of a text as bytes, by the rules of a profile. */

import { CELL } from '../../formats/csv/record-cells.js';
import { type ByteMapper, LEFT_OUT, NOT_WRITTEN, type RecordBytes } from '../../formats/mapped/table-mapping.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { QUOTE } from '../../kernel/characters.js';
import type { ColumnCells } from './column-cells.js';
import type { RowTest } from './row-tests.js';

const DELIMITER = WORKBOOK_DELIMITER.charCodeAt(0);
const MOST_BYTES_OF_A_UNIT = 3;

export class ProfileBytes implements ByteMapper {
  keyStart = 0;
  keyEnd = 0;
  readonly #keyColumn: number;
  readonly #columns: readonly ColumnCells[];
  readonly #tests: readonly RowTest[];
  readonly #quote: string;
  /** The cells of a record as texts, as far as rules for several columns need them. */
  readonly #texts: string[] = [];

  /** @param quote what surrounds the cells of the source */
  constructor(keyColumn: number, columns: readonly ColumnCells[], tests: readonly RowTest[], quote: string) {
    this.#keyColumn = keyColumn;
    this.#columns = columns;
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
    const columns = this.#columns;
    let at = from;
    let isBlank = true;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as ColumnCells;
      const { single } = column;
      if (index > 0) target[at++] = DELIMITER;
      const cellStart = at;
      if (single >= 0) {
        const start = starts[single] as number;
        const end = ends[single] as number;
        if (start < end) {
          const isPlain = forms === null || forms[single] !== CELL.escaped;
          const next = isPlain ? column.write(bytes, start, end, target, at, limit) : NOT_WRITTEN;
          at = next >= 0 ? next : this.#writeText(column.ofText(this.#textOf(record, single)), target, at, limit);
        } else if (column.fillsEmpty) at = this.#writeText(column.ofText(''), target, at, limit);
      } else at = this.#writeText(this.#ofSeveral(column, record), target, at, limit);
      // The rest of the line needs at least its delimiters.
      if (at < 0 || at + columns.length > limit) return NOT_WRITTEN;
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
