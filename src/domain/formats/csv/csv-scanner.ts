/**
 * Finds the records of a CSV text, and their cells, in its bytes, without creating strings. Planning, applying and
 * reporting all use it, so that the dialect is defined only here.
 *
 * The dialect is a strict form of RFC 4180: a quote opens a quoted cell only as the cell's first character, `""` inside
 * one is a quote, and other text after the closing quote is an error of that row. Records end with \n, \r\n or a lone
 * \r.
 */
import { CR, LF } from '../../kernel/characters.js';
import { HIGH_FACTOR, hashOfLanes, LOW_FACTOR, type RunningHash, SEPARATOR } from '../model/source-hash.js';
import { unclosedQuote } from './csv-errors.js';
import type { CsvQuote } from './csv-quote.js';
import { CELL, NO_LIMITS, RecordCells, type ScanLimits } from './record-cells.js';

/** How the key of a record is written in the bytes. */
type KeyForm = 'none' | 'plain' | 'escaped';

export class CsvScanner extends RecordCells {
  /** Start of the record after the one found last. */
  next = 0;
  /** Whether `read` has found the cells of the last record too; else it has no quotes, and its delimiters divide it. */
  hasCells = false;
  keyForm: KeyForm = 'none';
  keyStart = 0;
  keyEnd = 0;
  /** For an incomplete record: the start of its last cell, and where in that cell reading stopped. */
  openCell = 0;
  openAt = 0;
  openQuoted = false;
  /** The lanes of a hash of the texts of the cells. It means nothing if one of them is stray. */
  #lowLane = 0;
  #highLane = 0;
  #firstLow = 0;
  #firstHigh = 0;

  #end = 0;
  #lf = -1;
  #cr = -1;
  #quote = -1;

  readonly #keyColumn: number;

  /** @param keyColumn index of the column whose position `read` finds; -1 for none. */
  constructor(delimiter: number, keyColumn: number, limits: ScanLimits, quote: CsvQuote = '"') {
    super(delimiter, limits, quote);
    this.#keyColumn = keyColumn;
  }

  /** A scanner over the complete records of a chunk, as planning cut them. @param delimiter one ASCII character */
  static ofChunk(bytes: Buffer, delimiter: string, quote?: CsvQuote): CsvScanner {
    const scanner = new CsvScanner(delimiter.charCodeAt(0), -1, NO_LIMITS, quote);
    scanner.attach(bytes);
    return scanner;
  }

  /** Has `readCells` hash the cells as `hash` would, while it reads their bytes: a loop of its own costs more. */
  hashAs({ firstLow, firstHigh }: RunningHash): void {
    this.#firstLow = firstLow;
    this.#firstHigh = firstHigh;
  }

  /** The hash of the cells that `readCells` found last, if none of them is stray. */
  hashOfCells(): number {
    return hashOfLanes(this.#lowLane, this.#highLane);
  }

  /** Sets the bytes to read; must be called again when they change. */
  attach(bytes: Buffer): void {
    this.bytes = bytes;
    this.#end = bytes.length;
    this.#lf = -1;
    this.#cr = -1;
    this.#quote = -1;
  }

  /**
   * Finds the record that begins at `start`, and its key; returns false when the bytes end before the record. A record
   * without a quote is found by searching for the line end; only a record with a quote is read byte by byte.
   * @param final whether the text ends with these bytes.
   * @param row the record's number, for errors.
   * @throws RejectedInput UNCLOSED_QUOTE, CELL_TOO_LONG or TOO_MANY_COLUMNS.
   */
  read(start: number, final: boolean, row: number): boolean {
    if (this.#lf < start) this.#lf = this.#position(LF, start);
    if (this.#cr < start) this.#cr = this.#position(CR, start);
    if (this.#quote < start) this.#quote = this.#position(this.quoteByte, start);
    this.keyForm = 'none';
    const stop = Math.min(this.#lf, this.#cr);
    if (this.#quote < stop || stop - start > this.limits.maxCellBytes) {
      this.hasCells = true;
      if (!this.readCells(start, final, row)) return false;
      if (this.#keyColumn >= 0) this.#keyAmongCells();
      return true;
    }
    this.hasCells = false;
    if (stop === this.#end && !final) {
      this.openCell = start;
      this.openQuoted = false;
      return false;
    }
    if (!this.#endRecord(stop, final)) return false;
    if (this.#keyColumn >= 0) this.#locateKey(start, stop);
    return true;
  }

  /** Finds the record that begins at `start`, and all its cells; otherwise it works like `read`. */
  readCells(start: number, final: boolean, row: number): boolean {
    const { bytes } = this;
    const end = this.#end;
    const delimiter = this.delimiter;
    const quote = this.quoteByte;
    let { starts, ends } = this;
    if (!this.allPlain) this.clearForms();
    let low = this.#firstLow;
    let high = this.#firstHigh;
    let at = start;
    for (let cell = 0; ; cell += 1) {
      if (cell === starts.length) {
        this.checkLimits(start, at, cell, row);
        ({ starts, ends } = this.makeRoom());
      }
      const cellStart = at;
      let from = at;
      let to = -1;
      if (at < end && bytes[at] === quote) {
        at += 1;
        from = at;
        for (;;) {
          while (at < end) {
            const byte = bytes[at] as number;
            if (byte === quote) break;
            low = Math.imul(low ^ byte, LOW_FACTOR);
            high = Math.imul(high ^ byte, HIGH_FACTOR);
            at += 1;
          }
          if (at >= end || (at + 1 === end && !final)) return this.#leaveOpen(start, cellStart, at, cell, final, row);
          to = at;
          at += 1;
          if (at === end || bytes[at] !== quote) break;
          this.mark(cell, CELL.escaped);
          low = Math.imul(low ^ quote, LOW_FACTOR);
          high = Math.imul(high ^ quote, HIGH_FACTOR);
          at += 1;
        }
        if (at < end && !isEnd(bytes[at] as number, delimiter)) {
          this.mark(cell, CELL.stray);
          this.anyStray = true;
          from = cellStart;
          to = -1;
        }
      }
      if (to < 0) {
        while (at < end) {
          const byte = bytes[at] as number;
          if (byte === delimiter || byte === LF || byte === CR) break;
          low = Math.imul(low ^ byte, LOW_FACTOR);
          high = Math.imul(high ^ byte, HIGH_FACTOR);
          at += 1;
        }
        to = at;
      }
      low = Math.imul(low ^ SEPARATOR, LOW_FACTOR);
      high = Math.imul(high ^ SEPARATOR, HIGH_FACTOR);
      starts[cell] = from;
      ends[cell] = to;
      if (at < end && bytes[at] === delimiter) {
        at += 1;
        continue;
      }
      if (at === end && !final) return this.#leaveOpen(start, cellStart, -1, cell, final, row);
      this.cells = cell + 1;
      this.#lowLane = low;
      this.#highLane = high;
      if (at - start > this.limits.maxCellBytes) this.checkLimits(start, at, cell + 1, row);
      return this.#endRecord(at, final);
    }
  }

  /**
   * Records that the bytes end inside the cell that begins at `cellStart`.
   * @param quotedAt where the bytes end inside the cell's quotes; -1 outside of quotes
   */
  #leaveOpen(
    start: number,
    cellStart: number,
    quotedAt: number,
    cellsBefore: number,
    final: boolean,
    row: number,
  ): false {
    this.checkLimits(start, cellStart, cellsBefore, row);
    if (final) throw unclosedQuote(row, this.quote);
    this.openCell = cellStart;
    this.openAt = quotedAt;
    this.openQuoted = quotedAt >= 0;
    return false;
  }

  #position(byte: number, from: number): number {
    const at = byte < 0 ? -1 : this.bytes.indexOf(byte, from);
    return at < 0 ? this.#end : at;
  }

  /** Returns false when it is not known yet whether a CR at the very end is followed by a LF. */
  #endRecord(stop: number, final: boolean): boolean {
    this.stop = stop;
    this.next = stop + 1;
    if (stop >= this.#end) this.next = this.#end;
    else if (this.bytes[stop] === CR) {
      if (stop + 1 === this.#end && !final) {
        this.openCell = stop;
        this.openQuoted = false;
        return false;
      }
      if (this.bytes[stop + 1] === LF) this.next = stop + 2;
    }
    return true;
  }

  /** Finds the key in a record without a quote. */
  #locateKey(start: number, stop: number): void {
    const { bytes } = this;
    const delimiter = this.delimiter;
    let at = start;
    for (let column = 0; column < this.#keyColumn; column += 1) {
      while (at < stop && bytes[at] !== delimiter) at += 1;
      if (at >= stop) return;
      at += 1;
    }
    this.keyStart = at;
    while (at < stop && bytes[at] !== delimiter) at += 1;
    this.keyEnd = at;
    this.keyForm = 'plain';
  }

  /** Finds the key among the cells that were read. */
  #keyAmongCells(): void {
    const keyColumn = this.#keyColumn;
    if (keyColumn >= this.cells || this.forms[keyColumn] === CELL.stray) return;
    this.keyStart = this.starts[keyColumn] as number;
    this.keyEnd = this.ends[keyColumn] as number;
    this.keyForm = this.forms[keyColumn] === CELL.escaped ? 'escaped' : 'plain';
  }
}

function isEnd(byte: number, delimiter: number): boolean {
  return byte === delimiter || byte === LF || byte === CR;
}
