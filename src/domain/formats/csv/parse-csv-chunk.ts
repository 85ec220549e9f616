/** Turns the bytes of one CSV or TSV chunk into rows of cells. */
import { RejectedInput } from '../../kernel/rejected-input.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { isMarked, problemOfMarked } from '../xlsx/rows/marked-cell.js';
import { WORKBOOK_DELIMITER } from '../xlsx/rows/workbook-column.js';

/** One record of a CSV file. */
export interface CsvRow {
  readonly row: number;
  /**
   * The cells' text. In a row with a problem: what could be read, for the error file; a cell with a stray quote
   * is kept as it stands in the file, quotes and all.
   */
  readonly cells: string[];
  readonly problem: RowProblem | null;
}

export interface CsvChunkOptions {
  /** One ASCII character. */
  readonly delimiter: string;
  /** How many cells a row must have: the header's. */
  readonly columns: number;
  /** Number of the first line of the bytes, blank or not. */
  readonly firstRow: number;
  /** The header's cells, so that a problem can name its column. */
  readonly headerCells?: readonly string[] | undefined;
  /** Leaves marked cells of a workbook to the caller, who would tell of all of them; else the first is the row's problem. */
  readonly keepMarked?: boolean;
}

/** A record that holds a quote. */
interface QuotedRecord {
  readonly cells: string[];
  /** Where the next record begins. */
  readonly next: number;
  /** Index of the first cell with text after its closing quote; -1: none. */
  readonly strayCell: number;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const SHOWN_VALUE = 200;

/**
 * Parses whole records, as planSource cut them.
 *
 * The dialect is RFC 4180 made strict: a quote opens a quoted cell only as the cell's first character, `""` inside
 * one is a quote, and any other text after the closing quote is that row's INVALID_TEXT. Records end with \n, \r\n or
 * a lone \r. Zero-length lines are no rows, but take a row number.
 *
 * Cells are not checked for what the database refuses (NUL, lone surrogates): that is the writer's part.
 * Bytes must be valid UTF-8, which planSource has made sure of.
 * @throws RejectedInput UNCLOSED_QUOTE when the bytes end inside a quoted cell.
 */
export function parseCsvChunk(bytes: Buffer, options: CsvChunkOptions): CsvRow[] {
  return [...csvRows(bytes, options)];
}

/** The same, one by one: a row that has been read need not stay in memory until the last is. */
export function* csvRows(bytes: Buffer, options: CsvChunkOptions): Generator<CsvRow> {
  const { delimiter, columns } = options;
  const text = bytes.toString('utf8');
  const end = text.length;
  let row = options.firstRow;
  let lf = -1;
  let cr = -1;
  let quote = -1;
  for (let at = 0; at < end; row += 1) {
    if (lf < at) lf = positionOf(text, '\n', at);
    if (cr < at) cr = positionOf(text, '\r', at);
    if (quote < at) quote = positionOf(text, '"', at);
    const stop = Math.min(lf, cr);
    let cells: string[];
    let problem: RowProblem | null = null;
    if (quote < stop) {
      const record = readQuotedRecord(text, at, delimiter, row);
      cells = record.cells;
      at = record.next;
      if (record.strayCell >= 0) problem = strayQuote(row, record, options);
    } else {
      const start = at;
      at = stop === cr && lf === cr + 1 ? stop + 2 : stop + 1;
      if (stop === start) continue;
      cells = text.slice(start, stop).split(delimiter);
    }
    if (problem === null)
      problem = cells.length === columns ? markedProblem(cells, options) : wrongCount(row, cells, options);
    yield { row, cells, problem };
  }
}

/** Like indexOf, but the end of the text where there is none. */
function positionOf(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}

function readQuotedRecord(text: string, start: number, delimiter: string, row: number): QuotedRecord {
  const end = text.length;
  const separator = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let strayCell = -1;
  let at = start;
  for (;;) {
    const cellStart = at;
    let quotedEnd = -1;
    let escaped = false;
    if (text.charCodeAt(at) === QUOTE) {
      at += 1;
      for (;;) {
        at = text.indexOf('"', at);
        if (at < 0) throw unclosedQuote(row);
        at += 1;
        if (text.charCodeAt(at) !== QUOTE) break;
        escaped = true;
        at += 1;
      }
      quotedEnd = at - 1;
    }
    const closed = at;
    let code = 0;
    while (at < end) {
      code = text.charCodeAt(at);
      if (code === separator || code === LF || code === CR) break;
      at += 1;
    }
    if (quotedEnd < 0 || at > closed) {
      if (quotedEnd >= 0 && strayCell < 0) strayCell = cells.length;
      cells.push(text.slice(cellStart, at));
    } else {
      const inner = text.slice(cellStart + 1, quotedEnd);
      cells.push(escaped ? inner.replaceAll('""', '"') : inner);
    }
    if (at >= end) return { cells, next: end, strayCell };
    at += 1;
    if (code === separator) continue;
    if (code === CR && text.charCodeAt(at) === LF) at += 1;
    return { cells, next: at, strayCell };
  }
}

/** What is thrown for a quoted cell that no quote closes. */
export function unclosedQuote(row: number): RejectedInput {
  return new RejectedInput(
    'UNCLOSED_QUOTE',
    `A quote that opens in row ${row} is never closed, so every row after it would be read as part of that cell. ` +
      'Close it, or double it ("") if it belongs to the text.',
    { row },
  );
}

function strayQuote(row: number, record: QuotedRecord, options: CsvChunkOptions): RowProblem {
  const count = record.cells.length;
  const ragged =
    count === options.columns ? '' : ` The row was read as ${count} cells; the header has ${options.columns}.`;
  return {
    code: 'INVALID_TEXT',
    column: options.headerCells?.[record.strayCell]?.trim() ?? null,
    message:
      `Row ${row}, cell ${record.strayCell + 1}: there is text after the closing quote. ` +
      `A quote inside a quoted cell must be doubled ("").${ragged}`,
    value: (record.cells[record.strayCell] ?? '').slice(0, SHOWN_VALUE),
  };
}

function wrongCount(row: number, found: readonly string[], options: CsvChunkOptions): RowProblem {
  const cells = found.length === 1 ? '1 cell' : `${found.length} cells`;
  const advice =
    options.delimiter === WORKBOOK_DELIMITER
      ? 'Clear what stands right of the last column, or give that column a name.'
      : 'Add or remove delimiters, or quote the cell that holds one.';
  const message = `Row ${row} has ${cells}, but the header has ${options.columns}. ${advice}`;
  return { code: 'ROW_FIELD_COUNT', column: null, message };
}

/** The first cell of a workbook's row that its column cannot take. */
function markedProblem(cells: readonly string[], options: CsvChunkOptions): RowProblem | null {
  if (options.delimiter !== WORKBOOK_DELIMITER || options.keepMarked === true) return null;
  const at = cells.findIndex(
    (cell, index) => isMarked(cell) && options.headerCells?.[index]?.trim().startsWith('_') !== true,
  );
  return at < 0 ? null : problemOfMarked(cells[at] ?? '', options.headerCells?.[at]?.trim() ?? null);
}
