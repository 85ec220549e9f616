/** How the rows of somebody's own table become rows of ours. What the rules are, only the caller knows. */
import type { OpenTable, TableOptions, TableRow } from '../table/table.js';

export interface TableMapping {
  /** How the rows of the source are found. */
  readonly options: TableOptions;
  /** Called once, when the header of the source was read. @throws RejectedInput when the rules do not fit the source */
  open(table: OpenTable): RowMapper;
}

export interface RowMapper {
  /** The columns of ours that the rows have. */
  readonly headerCells: readonly string[];
  /** Index of the key column; -1 for none. */
  readonly keyColumn: number;
  /** The text of the key in the row that was mapped last; empty when it cannot be read. */
  readonly key: string;
  /**
   * The row as a line of the copy, without its end: cells in the order of `headerCells`, with WORKBOOK_DELIMITER between
   * them and with quotes where they need them. It is never blank. Null: the row is left out.
   */
  lineOf(row: TableRow): string | null;
}
