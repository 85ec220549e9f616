/** Writes failed rows back out as lines of an error file that can be mended and uploaded as it is. */
import type { RowProblem } from '../row-problem.js';

/** What is wrong with the rows that failed: row number to problems. */
export type FailedRows = ReadonlyMap<number, readonly RowProblem[]>;

export interface CsvErrorFormat {
  readonly headerCells: readonly string[];
  readonly delimiter: string;
  /** Whether the file has an `_extra` column: when any failed row of the job has surplus cells. */
  readonly withExtra: boolean;
}

/** The error file's first line, with a byte order mark so that it is read as UTF-8 whatever `encoding` says. */
export function errorFileHeader(_format: CsvErrorFormat): string {
  throw new Error('being written');
}

/** One failed CSV row, with its line end. */
export function csvErrorLine(
  _row: number,
  _cells: readonly string[],
  _problems: readonly RowProblem[],
  _format: CsvErrorFormat,
): string {
  throw new Error('being written');
}

/** One failed JSON element as a line without its line end. */
export function jsonErrorLine(_row: number, _raw: string, _problems: readonly RowProblem[]): string {
  throw new Error('being written');
}

/** The error-file lines of one CSV chunk, in row order. */
export function csvErrorLines(_bytes: Buffer, _firstRow: number, _failed: FailedRows, _format: CsvErrorFormat): string {
  throw new Error('being written');
}

/** The error-file lines of one JSONL chunk, in row order, each without its line end. */
export function jsonErrorLines(_bytes: Buffer, _firstRow: number, _failed: FailedRows): string[] {
  throw new Error('being written');
}
