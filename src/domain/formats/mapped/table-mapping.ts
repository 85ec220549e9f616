/** How the rows of somebody's own table become rows of ours. What the rules are, only the caller knows. */
import type { OpenTable, TableOptions, TableRow } from '../table/table.js';

/** What is known of a table before its rows are read. */
type TableStart = Omit<OpenTable, 'batches'>;

export interface TableMapping {
  /** How the rows of the source are found. */
  readonly options: TableOptions;
  /** Whether rows may continue others, so that the mapper has `joins`. */
  readonly joinsRows?: boolean | undefined;
  /** Called once, when the header of the source was read. @throws RejectedInput when the rules do not fit the source */
  open(table: TableStart): RowMapper;
}

/** The rows that one condition has left out. */
export interface LeftOutRows {
  /** The column of the source that the condition is about. */
  readonly column: string;
  /** What the condition says of its cells. */
  readonly condition: string;
  readonly count: number;
  /** The numbers of the first rows. */
  readonly rows: readonly number[];
}

/** Joins rows of the source that say more of the row above them. */
export interface RowJoiner {
  /** The rows that are complete now, in order; the last one may have to wait for those behind it. */
  join(rows: readonly TableRow[]): readonly TableRow[];
  /** What has waited, at the end of the source. */
  rest(): readonly TableRow[];
  /** Whether a row that stands directly below another one, and the rows that continue it, continues it. */
  continues(above: readonly string[], cells: readonly string[]): boolean;
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
  /** For each column of ours: what a row of the source holds for it, as texts. */
  textsOf(cells: readonly string[]): readonly string[];
  /** The rows that were left out so far, by the first condition that held; conditions that never held are not listed. */
  leftOut(): readonly LeftOutRows[];
  /** Does the same with bytes, for texts; absent: only `lineOf` can. */
  readonly bytes?: ByteMapper | undefined;
  /** What its rows are made of; absent: each of one row of the source. */
  readonly joins?: RowJoiner | undefined;
}

/** The cells of a record of a text: where each begins and ends in the bytes. */
export interface RecordBytes {
  /** The number of the row in the source. */
  readonly row: number;
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Values of CELL; null: all cells are plain. None is stray. */
  readonly forms: Uint8Array | null;
}

/** Maps records as bytes. What it writes is what `lineOf` returns. */
export interface ByteMapper {
  /** Where the key is in the bytes of the line that was written last. */
  readonly keyStart: number;
  readonly keyEnd: number;
  /**
   * Writes the line of a record that has as many cells as the header.
   * @param limit the end of the room for it
   * @returns the end of the line; LEFT_OUT; or NOT_WRITTEN if `lineOf` has to make it
   */
  writeLine(record: RecordBytes, target: Buffer, at: number, limit: number): number;
}

/** The row is left out. */
export const LEFT_OUT = -2;
/** The line has to be made of texts. */
export const NOT_WRITTEN = -1;
