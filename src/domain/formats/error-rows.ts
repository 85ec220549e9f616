/** Writes failed rows as lines of an error file, which can be corrected and uploaded again without other changes. */
import { isAddedColumn, JOB_COLUMN } from '../kernel/added-columns.js';
import type { RowProblem } from '../kernel/row-problem.js';
import { csvLine } from './csv/csv-line.js';
import { csvRows } from './csv/parse-csv-chunk.js';
import { jsonLines } from './json/json-rows.js';

/** The problems of the failed rows, by row number. */
export type FailedRows = ReadonlyMap<number, readonly RowProblem[]>;

export interface CsvErrorFormat {
  readonly headerCells: readonly string[];
  readonly delimiter: string;
  /** Whether the file has an `_extra` column: when any failed row of the job is ragged (ROW_FIELD_COUNT). */
  readonly withExtra: boolean;
  /** The id of the job, which brings its options when the file is imported again. */
  readonly job: string;
  /** Puts an apostrophe before texts that a spreadsheet would execute as formulas. */
  readonly escapeFormulas?: boolean | undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';
/** How many characters of lines are yielded together. */
export const PIECE_CHARACTERS = 64 * 1024;

/**
 * The error file's first line. Because of the byte order mark, the file is read as UTF-8 whatever `encoding` the upload names.
 */
export function errorFileHeader(format: CsvErrorFormat): string {
  const own = format.headerCells.filter((cell) => !isAddedColumn(cell));
  const added = ['_row', '_column', '_code', '_message', JOB_COLUMN];
  if (format.withExtra) added.push('_extra');
  return BYTE_ORDER_MARK + lineOf([...own, ...added], format) + LINE_END;
}

/**
 * One failed CSV row, with its line end: the input's own cells, then what is wrong, then surplus cells.
 * @internal exported for tests
 */
export function csvErrorLine(
  row: number,
  cells: readonly string[],
  problems: readonly RowProblem[],
  format: CsvErrorFormat,
): string {
  const line: string[] = [];
  for (const [index, header] of format.headerCells.entries()) {
    if (!isAddedColumn(header)) line.push(cells[index] ?? '');
  }
  const described = describeProblems(problems);
  line.push(String(row), described.column, described.code, described.message, format.job);
  if (format.withExtra) line.push(lineOf(cells.slice(format.headerCells.length), format));
  return lineOf(line, format) + LINE_END;
}

/**
 * One failed JSON element as a line without its line end: the element with `_row`, `_column`, `_code`, `_message`
 * and `_job` added. An element that is not an object, or not JSON, is kept as the text `_raw`.
 * @param raw the element's text, on one line.
 * @internal exported for tests
 */
export function jsonErrorLine(row: number, raw: string, problems: readonly RowProblem[], job: string): string {
  const described = describeProblems(problems);
  const added = { _row: row, _column: described.column, _code: described.code, _message: described.message, _job: job };
  const element = parsedObject(raw);
  if (element === null) return JSON.stringify({ _raw: raw.trim(), ...added });
  const entries = Object.entries(element);
  const own = entries.filter(([name]) => !isAddedColumn(name));
  if (own.length < entries.length) return JSON.stringify(Object.fromEntries([...own, ...Object.entries(added)]));
  // The text is kept as it is: reading and writing it again would change long numbers and repeated names.
  const body = raw.trim().slice(0, -1);
  return `${body}${entries.length > 0 ? ',' : ''}${JSON.stringify(added).slice(1)}`;
}

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

/** All problems of a row in one line. */
export function describeProblems(problems: readonly RowProblem[]): { column: string; code: string; message: string } {
  return {
    column: problems.map((problem) => problem.column ?? '').join('; '),
    code: problems.map((problem) => problem.code).join('; '),
    message: problems.map((problem) => problem.message).join('; '),
  };
}

/** The delimiter is that of the input, so other delimiters in a cell need no quotes. */
function lineOf(cells: readonly string[], { delimiter, escapeFormulas = false }: CsvErrorFormat): string {
  return csvLine(cells, { delimiter, quoted: 'own delimiter', escapeFormulas });
}

function parsedObject(raw: string): object | null {
  try {
    const element: unknown = JSON.parse(raw);
    return typeof element === 'object' && element !== null && !Array.isArray(element) ? element : null;
  } catch {
    return null;
  }
}
