/** Maps the rows of a table to lines of our columns, by the rules of a profile. */
import type { ByteMapper, LeftOutRows, RowJoiner, RowMapper } from '../../formats/mapped/table-mapping.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import type { TableRow } from '../../formats/table/table.js';
import { failedCell } from '../../formats/xlsx/rows/marked-cell.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ColumnCells } from './column-cells.js';
import type { RowTest } from './row-tests.js';
import { keyIn, refusedCell } from './written-cell.js';

/** Takes the place of the key in a row of which the profile maps nothing: a blank line would be no row at all. */
const NO_KEY = ' ';

export class ProfileMapper implements RowMapper {
  key = '';

  constructor(
    readonly headerCells: readonly string[],
    readonly keyColumn: number,
    readonly columns: readonly ColumnCells[],
    readonly tests: readonly RowTest[],
    readonly bytes?: ByteMapper,
    readonly joins?: RowJoiner,
  ) {}

  lineOf({ row, cells, types, problem }: TableRow): string | null {
    for (const { at, holds, leftOut } of this.tests) {
      if (!holds(cells[at] ?? '')) continue;
      leftOut.note(row);
      return null;
    }
    if (problem !== null) return this.#failedLine(problem);
    const { columns, keyColumn } = this;
    let line = '';
    let isBlank = true;
    for (let index = 0; index < columns.length; index++) {
      const { single, fillsEmpty, ofText, ofTyped, of } = columns[index] as ColumnCells;
      let cell: string;
      if (single < 0) cell = of(cells, types);
      else {
        const text = cells[single] as string;
        if (text === '' && !fillsEmpty) cell = '';
        else cell = types === null ? ofText(text) : ofTyped(text, types.charAt(single));
      }
      if (index > 0) line += WORKBOOK_DELIMITER;
      if (cell !== '') {
        line += cell;
        isBlank = false;
      }
      if (index === keyColumn) this.key = keyIn(cell);
    }
    return isBlank ? this.#lineWith(NO_KEY) : line;
  }

  textsOf(cells: readonly string[]): readonly string[] {
    return this.columns.map(({ textOf }) => textOf(cells));
  }

  leftOut(): readonly LeftOutRows[] {
    return this.tests.map(({ leftOut }) => leftOut).filter(({ count }) => count > 0);
  }

  /** The row fails for what is wrong with it: the cell of its key says so. */
  #failedLine({ code, message, value }: RowProblem): string {
    return this.#lineWith(refusedCell(failedCell({ code, message, ...(value === undefined ? {} : { value }) })));
  }

  #lineWith(key: string): string {
    this.key = '';
    const at = Math.max(this.keyColumn, 0);
    return WORKBOOK_DELIMITER.repeat(at) + key + WORKBOOK_DELIMITER.repeat(this.columns.length - 1 - at);
  }
}
