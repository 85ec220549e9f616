/** Writes failed rows as lines of an error file, which can be corrected and uploaded again without other changes. */

import type { Writable } from 'node:stream';
import { attributeKey } from '../kernel/attribute-key.js';
import { storable } from '../kernel/characters.js';
import { canonicalDecimal } from '../kernel/exact-decimal.js';
import type { RowProblem } from '../kernel/row-problem.js';
import { isAddedColumn, JOB_COLUMN } from '../kernel/row-problem.js';
import { csvLine } from './csv/csv-line.js';
import { csvRows } from './csv/parse-csv-chunk.js';
import { jsonLines } from './json/json-rows.js';
import type { Cell, StyledCell } from './xlsx/cell.js';
import { decimalCell } from './xlsx/cell.js';
import type { XlsxColumn } from './xlsx/create-xlsx-writer.js';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.js';
import { isMarked, originalOfMarked } from './xlsx/rows/marked-cell.js';
import type { OriginalRows } from './xlsx/rows/workbook-blocks.js';
import type { WorkbookColumn } from './xlsx/rows/workbook-column.js';
import { WORKBOOK_DELIMITER } from './xlsx/rows/workbook-column.js';

/** The problems of the failed rows, by row number. */
type FailedRows = ReadonlyMap<number, readonly RowProblem[]>;

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
function describeProblems(problems: readonly RowProblem[]): { column: string; code: string; message: string } {
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

// Writes failed rows of a workbook as a workbook, which can be corrected and uploaded again without other changes.

/** Keeps a list of problems within the limit of a cell. */
const MAX_MESSAGE_CHARACTERS = 30_000;
const ROWS_PER_WRITE = 1_000;

interface ErrorWorkbook {
  readonly headerCells: readonly string[];
  readonly columns: readonly WorkbookColumn[];
  /** Whether there is an `_extra` column: when any failed row has cells beyond the header. */
  readonly withExtra: boolean;
  readonly job: string;
  /** The sheet that the import read: the same options read it here. */
  readonly sheetName: string;
  /** The rows as they are in the upload; null when it is no longer kept. */
  readonly originals: OriginalRows | null;
}

/** Failed rows with the chunk that contains them. */
interface FailedChunk {
  readonly bytes: Buffer;
  readonly firstRow: number;
  readonly failed: FailedRows;
}

/**
 * Writes the input's own columns, then what is wrong. Cells keep their types and number formats; those at fault are
 * marked, and have what is wrong as a comment. It ends the sink.
 */
export async function writeErrorWorkbook(
  sink: Writable,
  chunks: AsyncIterable<FailedChunk>,
  workbook: ErrorWorkbook,
): Promise<void> {
  const { headerCells, columns, withExtra, job, sheetName, originals } = workbook;
  const own = headerCells.map((_, index) => index).filter((index) => !isAddedColumn(headerCells[index] ?? ''));
  const header: (XlsxColumn | string)[] = own.map((index) => ({
    title: headerCells[index] ?? '',
    format: columns[index]?.kind === 'text' ? 'text' : 'general',
  }));
  header.push('_row', '_column', '_code', '_message', JOB_COLUMN);
  if (withExtra) header.push('_extra');
  const writer = createXlsxWriter(sink, { sheetName, header, styled: true });
  for await (const { bytes, firstRow, failed } of chunks) {
    const options = { delimiter: WORKBOOK_DELIMITER, columns: headerCells.length, firstRow, keepMarked: true };
    let lines: (Cell | StyledCell)[][] = [];
    for (const { row, cells } of csvRows(bytes, options)) {
      const problems = failed.get(row);
      if (problems === undefined) continue;
      const described = describeProblems(problems);
      const original = await originals?.cellsOf(row);
      const faults = faultsByColumn(problems, headerCells);
      const line = own.map((index): Cell | StyledCell => {
        const { value, format } =
          original === undefined ? readCell(cells[index] ?? '', columns[index]) : (original[index] ?? EMPTY);
        return { value, format, fault: faults.get(index) };
      });
      line.push(row, described.column, described.code, storable(described.message, MAX_MESSAGE_CHARACTERS), job);
      if (withExtra) line.push(cells.slice(headerCells.length).join(' | ').slice(0, MAX_MESSAGE_CHARACTERS));
      lines.push(line);
      if (lines.length < ROWS_PER_WRITE) continue;
      await writer.write(lines);
      lines = [];
    }
    await writer.write(lines);
  }
  await writer.end();
}

const EMPTY: StyledCell = { value: null, format: 0 };
/** The built-in number format of cells that hold texts. */
const TEXT_FORMAT = 49;

/** Index of the column → what is wrong with its cell. */
function faultsByColumn(problems: readonly RowProblem[], headerCells: readonly string[]): Map<number, string> {
  const faults = new Map<number, string>();
  for (const { column, code, message } of problems) {
    const index = column === null ? -1 : headerCells.findIndex((name) => attributeKey(name) === attributeKey(column));
    if (index < 0) continue;
    const before = faults.get(index);
    faults.set(index, `${before === undefined ? '' : `${before}\n`}${code}: ${message}`);
  }
  return faults;
}

/** A cell as the import has read it. */
function readCell(text: string, column: WorkbookColumn | undefined): StyledCell {
  return { value: cellOf(text, column), format: column?.kind === 'text' ? TEXT_FORMAT : 0 };
}

function cellOf(text: string, column: WorkbookColumn | undefined): Cell {
  if (isMarked(text)) return originalOfMarked(text);
  if (column?.kind !== 'number') return text;
  const decimal = canonicalDecimal(text, column.decimalSeparator);
  return typeof decimal === 'string' ? decimalCell(decimal) : text;
}
