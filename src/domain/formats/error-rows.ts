/** The lines of an error file for the failed rows of a chunk. */
import type { RowProblem } from '../kernel/row-problem.js';
import { csvRows } from './csv/parse-csv-chunk.js';
import { type CsvErrorFormat, csvErrorLine } from './error-files/csv-error-line.js';
import { jsonErrorLine } from './error-files/json-error-line.js';
import { jsonLines } from './json/json-rows.js';

/** The problems of the failed rows, by row number. */
export type FailedRows = ReadonlyMap<number, readonly RowProblem[]>;

/** How many characters of lines are yielded together. */
export const PIECE_CHARACTERS = 64 * 1024;

/** The error-file lines of one CSV chunk, in row order, each with its line end, in pieces. */
export function* csvErrorLines(
  bytes: Buffer,
  firstRow: number,
  failed: FailedRows,
  format: CsvErrorFormat,
): Generator<string> {
  const { delimiter, headerCells } = format;
  let lines = '';
  for (const { row, cells } of csvRows(bytes, { delimiter, columns: headerCells.length, firstRow })) {
    const problems = failed.get(row);
    if (problems === undefined) continue;
    lines += csvErrorLine(row, cells, problems, format);
    if (lines.length < PIECE_CHARACTERS) continue;
    yield lines;
    lines = '';
  }
  if (lines !== '') yield lines;
}

/** The error-file lines of one JSONL chunk, in row order, each without its line end. */
export function* jsonErrorLines(bytes: Buffer, firstRow: number, failed: FailedRows, job: string): Generator<string> {
  for (const { row, text } of jsonLines(bytes, firstRow)) {
    const problems = failed.get(row);
    if (problems !== undefined) yield jsonErrorLine(row, text, problems, job);
  }
}
