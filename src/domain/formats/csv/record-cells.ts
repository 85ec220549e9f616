/** The cells of a record: where each is in the bytes, and how it is written. */
import type { SourceLimits } from '../model/source-limits.js';
import { cellTooLong, tooManyCells, unclosedQuote } from './csv-errors.js';
import { type CsvQuote, quoteByteOf } from './csv-quote.js';

/** How a cell is written in the bytes, and what its range in `starts` and `ends` includes. */
export const CELL = {
  /** The text of the cell, without the quotes around it if there are any. */
  plain: 0,
  /** The text between the quotes of the cell, with quotes doubled. */
  escaped: 1,
  /** All of the cell including its quotes, because there is text after the closing quote. */
  stray: 2,
} as const;

/** The limits that are checked while records are read. */
export type ScanLimits = Pick<SourceLimits, 'maxCellBytes' | 'maxColumns'>;

/** The limits for bytes that planning has accepted. */
export const NO_LIMITS: ScanLimits = { maxCellBytes: 0x7fffffff, maxColumns: 0x7fffffff };

const FIRST_CELLS = 64;

export abstract class RecordCells {
  bytes: Buffer = Buffer.alloc(0);
  /** End of the record found last, without its line end. */
  stop = 0;
  /** How many cells were found in the last record; the arrays may be longer. */
  cells = 0;
  starts = new Int32Array(FIRST_CELLS);
  ends = new Int32Array(FIRST_CELLS);
  /** Values of CELL. */
  forms = new Uint8Array(FIRST_CELLS);
  /** Whether all of these cells are plain. */
  allPlain = true;
  /** Whether one of them is stray. */
  anyStray = false;

  /** The byte of the quote; -1 when no cell is quoted. */
  protected readonly quoteByte: number;

  constructor(
    protected readonly delimiter: number,
    protected readonly limits: ScanLimits,
    readonly quote: CsvQuote,
  ) {
    this.quoteByte = quoteByteOf(quote);
  }

  /**
   * Whether the record that begins at `start` and was read last is blank, or has nothing but empty cells, in quotes or
   * not.
   */
  isBlank(start: number): boolean {
    const { bytes, stop } = this;
    const delimiter = this.delimiter;
    const quote = this.quoteByte;
    let at = start;
    while (at < stop) {
      // An empty cell in quotes; of a cell that begins with a doubled quote, the third quote is no delimiter.
      if (bytes[at] === quote && bytes[at + 1] === quote) at += 2;
      if (at < stop && bytes[at] !== delimiter) return false;
      at += 1;
    }
    return true;
  }

  /** Checks the first `cells` cells of the record that begins at `start`; these cells end at `at`. */
  protected checkLimits(start: number, at: number, cells: number, row: number): void {
    const { maxCellBytes, maxColumns } = this.limits;
    if (at - start <= maxCellBytes) return;
    let cellStart = start;
    for (let cell = 0; cell < cells; cell += 1) {
      const isStray = this.forms[cell] === CELL.stray;
      const isQuoted = this.bytes[cellStart] === this.quoteByte;
      const cellEnd = (this.ends[cell] as number) + (isQuoted && !isStray ? 1 : 0);
      if (cellEnd - cellStart > maxCellBytes) {
        throw isStray ? unclosedQuote(row, this.quote) : cellTooLong(row, cell, maxCellBytes, isQuoted);
      }
      if (cell >= maxColumns && cellEnd - start > maxCellBytes) throw tooManyCells(row, maxColumns);
      cellStart = cellEnd + 1;
    }
  }

  protected mark(cell: number, form: number): void {
    this.forms[cell] = form;
    this.allPlain = false;
  }

  protected clearForms(): void {
    this.forms.fill(CELL.plain);
    this.allPlain = true;
    this.anyStray = false;
  }

  /** Doubles the number of cells for which there is room. */
  protected makeRoom(): Pick<RecordCells, 'starts' | 'ends'> {
    const { starts, ends, forms } = this;
    this.starts = new Int32Array(starts.length * 2);
    this.starts.set(starts);
    this.ends = new Int32Array(ends.length * 2);
    this.ends.set(ends);
    this.forms = new Uint8Array(forms.length * 2);
    this.forms.set(forms);
    return this;
  }
}
