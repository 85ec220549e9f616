/** Finds the records of a CSV text in its bytes, without making strings of them. */
import { RejectedInput } from '../../kernel/rejected-input.js';
import type { SourceLimits } from '../source-contract.js';
import { unclosedQuote } from './parse-csv-chunk.js';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/** How the key of a record stands in the bytes. */
export type KeyForm = 'none' | 'plain' | 'escaped';

/**
 * Follows the dialect of parseCsvChunk to the byte. Records without a quote are found by searching for the line end;
 * only those with one are walked byte by byte.
 */
export class CsvScanner {
  /** End of the record found last, without its line end. */
  stop = 0;
  /** Start of the record after it. */
  next = 0;
  keyForm: KeyForm = 'none';
  keyStart = 0;
  keyEnd = 0;
  /** Of a record that is not finished: start of its last cell, and where in that cell reading stopped. */
  openCell = 0;
  openAt = 0;
  openQuoted = false;

  private bytes: Buffer = Buffer.alloc(0);
  private end = 0;
  private lf = -1;
  private cr = -1;
  private quote = -1;

  /** @param keyColumn index of the column whose place in each record is told; -1: none. */
  constructor(
    private readonly delimiter: number,
    private readonly keyColumn: number,
    private readonly limits: SourceLimits,
  ) {}

  /** Sets the bytes to read; must be called again when they change. */
  attach(bytes: Buffer): void {
    this.bytes = bytes;
    this.end = bytes.length;
    this.lf = -1;
    this.cr = -1;
    this.quote = -1;
  }

  /**
   * Finds the record that begins at `start`; false when the bytes end before it does.
   * @param final whether the text ends with these bytes.
   * @param row the record's number, for errors.
   * @throws RejectedInput UNCLOSED_QUOTE, CELL_TOO_LONG or TOO_MANY_COLUMNS.
   */
  read(start: number, final: boolean, row: number): boolean {
    if (this.lf < start) this.lf = this.position(LF, start);
    if (this.cr < start) this.cr = this.position(CR, start);
    if (this.quote < start) this.quote = this.position(QUOTE, start);
    const stop = Math.min(this.lf, this.cr);
    if (this.quote < stop || stop - start > this.limits.maxCellBytes) return this.readByCell(start, final, row);
    if (stop === this.end && !final) {
      this.openCell = start;
      this.openQuoted = false;
      return false;
    }
    if (!this.endRecord(stop, final)) return false;
    this.keyForm = 'none';
    if (this.keyColumn >= 0) this.locateKey(start, stop);
    return true;
  }

  private position(byte: number, from: number): number {
    const at = this.bytes.indexOf(byte, from);
    return at < 0 ? this.end : at;
  }

  /** False when it cannot be told yet whether a CR at the very end is followed by a LF. */
  private endRecord(stop: number, final: boolean): boolean {
    this.stop = stop;
    this.next = stop + 1;
    if (stop >= this.end) this.next = this.end;
    else if (this.bytes[stop] === CR) {
      if (stop + 1 === this.end && !final) {
        this.openCell = stop;
        this.openQuoted = false;
        return false;
      }
      if (this.bytes[stop + 1] === LF) this.next = stop + 2;
    }
    return true;
  }

  private locateKey(start: number, stop: number): void {
    const { bytes, delimiter } = this;
    let at = start;
    for (let column = 0; column < this.keyColumn; column += 1) {
      while (at < stop && bytes[at] !== delimiter) at += 1;
      if (at >= stop) return;
      at += 1;
    }
    this.keyStart = at;
    while (at < stop && bytes[at] !== delimiter) at += 1;
    this.keyEnd = at;
    this.keyForm = 'plain';
  }

  private readByCell(start: number, final: boolean, row: number): boolean {
    const { bytes, end, delimiter } = this;
    this.keyForm = 'none';
    let at = start;
    for (let column = 0; ; column += 1) {
      const cellStart = at;
      let closed = -1;
      let escaped = false;
      if (bytes[at] === QUOTE) {
        at += 1;
        for (;;) {
          while (at < end && bytes[at] !== QUOTE) at += 1;
          if (at >= end || (at + 1 === end && !final)) {
            if (final) throw unclosedQuote(row);
            this.openCell = cellStart;
            this.openAt = at;
            this.openQuoted = true;
            return false;
          }
          at += 1;
          if (bytes[at] !== QUOTE) break;
          escaped = true;
          at += 1;
        }
        closed = at;
      }
      while (at < end && bytes[at] !== delimiter && bytes[at] !== LF && bytes[at] !== CR) at += 1;
      if (at === end && !final) {
        this.openCell = cellStart;
        this.openQuoted = false;
        return false;
      }
      const stray = closed >= 0 && at > closed;
      if (at - cellStart > this.limits.maxCellBytes) {
        throw stray ? unclosedQuote(row) : cellTooLong(row, column, this.limits, closed >= 0);
      }
      if (column >= this.limits.maxColumns && at - start > this.limits.maxCellBytes)
        throw tooManyCells(row, this.limits);
      if (column === this.keyColumn && !stray) {
        this.keyStart = closed < 0 ? cellStart : cellStart + 1;
        this.keyEnd = closed < 0 ? at : closed - 1;
        this.keyForm = escaped ? 'escaped' : 'plain';
      }
      if (at === end || bytes[at] !== delimiter) return this.endRecord(at, final);
      at += 1;
    }
  }
}

/** What is thrown for a cell over the limit. @param column its index, -1 when it was not counted. */
export function cellTooLong(row: number, column: number, limits: SourceLimits, quoted: boolean): RejectedInput {
  const cell = column < 0 ? 'a cell' : `cell ${column + 1}`;
  const advice = quoted ? 'Shorten it, or close the quote that opens it if it should end earlier.' : 'Shorten it.';
  return new RejectedInput(
    'CELL_TOO_LONG',
    `Row ${row}: ${cell} is longer than ${limits.maxCellBytes} bytes. ${advice}`,
    { row },
  );
}

function tooManyCells(row: number, limits: SourceLimits): RejectedInput {
  return new RejectedInput(
    'TOO_MANY_COLUMNS',
    `Row ${row} has more than ${limits.maxColumns} cells. Check the delimiter, and that every quote is closed.`,
    { row },
  );
}
