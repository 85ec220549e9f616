/** Converts the bytes of one CSV or TSV chunk to rows of cells. */
import { QUOTE } from '../../kernel/characters.js';
import { counted } from '../../kernel/counted.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import { WORKBOOK_DELIMITER } from '../model/workbook-column.js';
import type { RecordRange } from '../text/record-range.js';
import { isMarked, problemOfMarked, shownText } from '../xlsx/rows/marked-cell.js';
import type { CsvQuote } from './csv-quote.js';
import { CsvScanner } from './csv-scanner.js';
import { CELL } from './record-cells.js';

/** One record of a CSV file. */
export interface CsvRow {
  readonly row: number;
  /**
   * The text of the cells. In a row with a problem it is what could be read, for the error file; a cell with a stray
   * quote is kept as it is in the file, including its quotes.
   */
  readonly cells: string[];
  readonly problem: RowProblem | null;
  /** For rows of a workbook: 1 for each cell in quotes. Texts that look like numbers or dates are. */
  readonly quoted?: Uint8Array | undefined;
}

export interface CsvChunkOptions {
  /** One ASCII character. */
  readonly delimiter: string;
  readonly quote?: CsvQuote;
  /** How many cells a row must have: as many as the header. */
  readonly columns: number;
  /** Number of the first line of the bytes, blank or not. */
  readonly firstRow: number;
  /** The header's cells, so that a problem can name its column. */
  readonly headerCells?: readonly string[] | undefined;
  /**
   * Leaves marked cells of a workbook to the caller, which reports all of them; else the first is the row's problem.
   */
  readonly keepMarked?: boolean;
}

const SHOWN_VALUE = 200;

/**
 * Parses complete records, as planSource cut them, in the dialect of CsvScanner; text after a closing quote is that
 * row's INVALID_TEXT. Empty lines and lines of empty cells are not rows, but count as row numbers.
 *
 * Characters that the database refuses (NUL, lone surrogates) are checked by the writer, not here. The bytes must be
 * valid UTF-8, which planSource has checked.
 * @throws RejectedInput UNCLOSED_QUOTE when the bytes end inside a quoted cell.
 */
export function parseCsvChunk(bytes: Buffer, options: CsvChunkOptions): CsvRow[] {
  return [...csvRows(bytes, options)];
}

/** The same rows one by one, so that a row need not stay in memory until the last is read. */
export function* csvRows(bytes: Buffer, options: CsvChunkOptions): Generator<CsvRow> {
  const scanner = CsvScanner.ofChunk(bytes, options.delimiter, options.quote);
  for (let at = 0, row = options.firstRow; at < bytes.length; row += 1) {
    const start = at;
    scanner.readCells(start, true, row);
    at = scanner.next;
    if (!scanner.isBlank(start)) yield csvRow(scanner, start, row, options);
  }
}

/** The places of all records, blank ones included. */
export function* csvRecords(bytes: Buffer, delimiter: string, firstRow: number): Generator<RecordRange> {
  const scanner = CsvScanner.ofChunk(bytes, delimiter);
  for (let start = 0, row = firstRow; start < bytes.length; row += 1) {
    scanner.readCells(start, true, row);
    const end = scanner.next;
    yield { start, end, row, isBlank: scanner.isBlank(start) };
    start = end;
  }
}

/** The record whose cells the scanner has read, which began at `start`. */
export function csvRow(scanner: CsvScanner, start: number, row: number, options: CsvChunkOptions): CsvRow {
  const cells = cellTexts(scanner, start);
  const strayCell = scanner.allPlain ? -1 : scanner.forms.subarray(0, scanner.cells).indexOf(CELL.stray);
  if (strayCell >= 0) return { row, cells, problem: strayQuote(row, cells, strayCell, scanner.quote, options) };
  const problem =
    cells.length === options.columns
      ? (unnamedProblem(cells, options) ?? markedProblem(cells, options))
      : wrongCount(row, cells, options);
  return options.delimiter === WORKBOOK_DELIMITER
    ? { row, cells, problem, quoted: quotedCells(scanner) }
    : { row, cells, problem };
}

/** The indexes of columns without a name, by the header's cells: computed once for all rows of a chunk. */
const UNNAMED = new WeakMap<readonly string[], readonly number[]>();

/** The indexes of the columns without a name. Their cells must be empty. */
export function unnamedColumns(headerCells: readonly string[]): readonly number[] {
  const known = UNNAMED.get(headerCells);
  if (known !== undefined) return known;
  const unnamed = headerCells.flatMap((name, index) => (name.trim() === '' ? [index] : []));
  UNNAMED.set(headerCells, unnamed);
  return unnamed;
}

/** The problem of the first value in a column without a name: nobody knows what it was meant for. */
function unnamedProblem(cells: readonly string[], { headerCells }: CsvChunkOptions): RowProblem | null {
  if (headerCells === undefined) return null;
  const at = unnamedColumns(headerCells).find((index) => (cells[index] ?? '').trim() !== '');
  if (at === undefined) return null;
  const value = shownText(cells[at] ?? '').slice(0, SHOWN_VALUE);
  const message = `Cell ${at + 1} holds ${quoted(value)}, but its column has no name. Name the column in the header, or clear the cell.`;
  return { code: 'ROW_FIELD_COUNT', column: null, message, value };
}

function quotedCells({ bytes, starts, cells }: CsvScanner): Uint8Array {
  return Uint8Array.from({ length: cells }, (_, index) => (bytes[(starts[index] as number) - 1] === QUOTE ? 1 : 0));
}

/** The record is decoded once: if it is ASCII, cells have the same positions in the text and in the bytes. */
function cellTexts({ bytes, starts, ends, forms, stop, cells: count, quote }: CsvScanner, start: number): string[] {
  const record = bytes.toString('utf8', start, stop);
  const isAscii = record.length === stop - start;
  const cells: string[] = new Array(count);
  for (let index = 0; index < count; index += 1) {
    const from = starts[index] as number;
    const to = ends[index] as number;
    const text = isAscii ? record.slice(from - start, to - start) : bytes.toString('utf8', from, to);
    cells[index] = forms[index] === CELL.escaped ? text.replaceAll(quote + quote, quote) : text;
  }
  return cells;
}

function strayQuote(
  row: number,
  cells: readonly string[],
  strayCell: number,
  quote: CsvQuote,
  options: CsvChunkOptions,
): RowProblem {
  const count = cells.length;
  // While the header itself is read, the number of its columns is not known.
  const isRagged = options.columns >= 0 && count !== options.columns;
  const ragged = !isRagged ? '' : ` The row was read as ${counted(count, 'cell')}; the header has ${options.columns}.`;
  return {
    code: 'INVALID_TEXT',
    column: options.headerCells?.[strayCell]?.trim() ?? null,
    message:
      `Row ${row}, cell ${strayCell + 1}: there is text after the closing quote. ` +
      `A quote inside a quoted cell must be doubled (${quote}${quote}).${ragged}`,
    value: (cells[strayCell] ?? '').slice(0, SHOWN_VALUE),
  };
}

/** The problem of a row that has more or fewer cells than the header. */
export function wrongCount(
  row: number,
  found: readonly string[],
  options: Pick<CsvChunkOptions, 'columns' | 'delimiter'>,
): RowProblem {
  const advice =
    options.delimiter === WORKBOOK_DELIMITER
      ? 'Clear the cells to the right of the last column, or give their columns a name.'
      : 'Add or remove delimiters, or quote the cell that holds one.';
  const message = `Row ${row} has ${counted(found.length, 'cell')}, but the header has ${options.columns}. ${advice}`;
  return { code: 'ROW_FIELD_COUNT', column: null, message };
}

/** The problem of the first cell of a workbook's row that its column cannot accept. */
function markedProblem(cells: readonly string[], options: CsvChunkOptions): RowProblem | null {
  if (options.delimiter !== WORKBOOK_DELIMITER || options.keepMarked === true) return null;
  const at = cells.findIndex(
    (cell, index) => isMarked(cell) && options.headerCells?.[index]?.trim().startsWith('_') !== true,
  );
  return at < 0 ? null : problemOfMarked(cells[at] ?? '', options.headerCells?.[at]?.trim() ?? null);
}
