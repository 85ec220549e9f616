/** Reads the records of a CSV body one after the other, and refuses records that would exceed the bounded memory. */
import { RejectedInput } from '../../kernel/rejected-input.js';
import type { SourceLimits } from '../source-contract.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import type { TextEncoding } from '../text/text-encoding.js';
import { invalidEncoding } from '../text/text-encoding.js';
import { CsvScanner, cellTooLong, unclosedQuote } from './csv-scanner.js';

// Decides, at constant memory, whether an overlong quoted cell is really long or lacks its closing quote.

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * A cell whose closing quote is followed by a delimiter or line end is too long. A cell that never closes, or whose
 * "closing" quote is followed by text because it opens a later cell, lacks its closing quote.
 */
class ClosingQuoteSearch {
  #afterQuote = false;

  readonly #row: number;
  readonly #delimiter: number;
  readonly #limits: SourceLimits;

  constructor(row: number, delimiter: number, limits: SourceLimits) {
    this.#row = row;
    this.#delimiter = delimiter;
    this.#limits = limits;
  }

  /** Continues inside the cell. @throws RejectedInput once it is decided. */
  read(bytes: Buffer, from: number): void {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#afterQuote && byte !== QUOTE) throw this.#verdict(byte);
      if (byte === QUOTE) this.#afterQuote = !this.#afterQuote;
      else {
        const quote = bytes.indexOf(QUOTE, at);
        at = (quote < 0 ? bytes.length : quote) - 1;
      }
    }
  }

  /** Decides at the end of the text. */
  finish(): RejectedInput {
    return this.#afterQuote ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true) : unclosedQuote(this.#row);
  }

  #verdict(next: number): RejectedInput {
    const endsCell = next === this.#delimiter || next === LF || next === CR;
    return endsCell ? cellTooLong(this.#row, -1, this.#limits.maxCellBytes, true) : unclosedQuote(this.#row);
  }
}

/** How the bytes of a body are to be read. */
export interface CsvBody {
  readonly delimiter: string;
  /** Index of the key column; -1 for none. */
  readonly keyColumn: number;
  readonly encoding: TextEncoding;
  readonly limits: SourceLimits;
}

/**
 * Is called for each record, including blank lines; the scanner has the positions of the record and its key in the
 * window's bytes. Returns whether to continue.
 */
type OnCsvRecord = (window: RecordWindow, scanner: CsvScanner, start: number, row: number) => boolean;

export class CsvRecordReader implements RecordReader {
  readonly #scanner: CsvScanner;
  #closingQuote: ClosingQuoteSearch | null = null;

  readonly #body: CsvBody;
  #row: number;
  readonly #onRecord: OnCsvRecord;

  /** @param row number of the first record. */
  constructor(body: CsvBody, row: number, onRecord: OnCsvRecord) {
    this.#body = body;
    this.#row = row;
    this.#onRecord = onRecord;
    this.#scanner = new CsvScanner(body.delimiter.charCodeAt(0), body.keyColumn, body.limits);
  }

  read(window: RecordWindow, final: boolean): void {
    if (this.#closingQuote === null) this.#readRecords(window, final);
    else {
      this.#closingQuote.read(window.bytes, window.start);
      window.start = window.end;
    }
    if (final && this.#closingQuote !== null) throw this.#closingQuote.finish();
  }

  #readRecords(window: RecordWindow, final: boolean): void {
    const scanner = this.#scanner;
    const end = window.end;
    let at = window.start;
    let goOn = true;
    scanner.attach(window.bytes);
    while (goOn && at < end && scanner.read(at, final, this.#row)) {
      if (!window.isValid(at, scanner.next)) throw invalidEncoding(this.#row, this.#body.encoding);
      goOn = this.#onRecord(window, scanner, at, this.#row);
      at = scanner.next;
      this.#row += 1;
    }
    window.start = at;
    if (goOn && at < end) this.#checkUnfinished(window);
  }

  #checkUnfinished(window: RecordWindow): void {
    const scanner = this.#scanner;
    const row = this.#row;
    const { limits, delimiter } = this.#body;
    if (window.end - scanner.openCell > limits.maxCellBytes) {
      if (!scanner.openQuoted) throw cellTooLong(row, -1, limits.maxCellBytes, false);
      this.#closingQuote = new ClosingQuoteSearch(row, delimiter.charCodeAt(0), limits);
      this.#closingQuote.read(window.bytes, scanner.openAt);
      window.start = window.end;
    } else if (window.pending > limits.maxRowBytes) throw rowTooLong(row, limits);
  }
}

/** The error for a row over the limit. */
export function rowTooLong(row: number, limits: SourceLimits): RejectedInput {
  return new RejectedInput('ROW_TOO_LONG', `Row ${row} is longer than ${limits.maxRowBytes} bytes. Shorten it.`, {
    row,
  });
}
