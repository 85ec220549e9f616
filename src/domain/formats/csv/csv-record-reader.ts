/** Reads the records of a CSV body one after the other, and refuses records that would exceed the bounded memory. */
import { CR } from '../../kernel/characters.js';
import type { SourceLimits } from '../model/source-limits.js';
import { invalidEncoding } from '../text/detect-encoding.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { rowTooLong } from '../text/row-too-long.js';
import { ClosingQuoteSearch } from './closing-quote-search.js';
import { cellTooLong } from './csv-errors.js';
import type { CsvQuote } from './csv-quote.js';
import { CsvScanner } from './csv-scanner.js';

/** How the bytes of a body are to be read. */
export interface CsvBody {
  readonly delimiter: string;
  readonly quote?: CsvQuote;
  /** Index of the key column; -1 for none. */
  readonly keyColumn: number;
  readonly encoding: TextEncoding;
  readonly limits: SourceLimits;
}

/**
 * Is called for each record, including blank lines; the scanner has the positions of the record and its key in the
 * window's bytes. Returns whether to continue.
 */
export type OnCsvRecord = (window: RecordWindow, scanner: CsvScanner, start: number, row: number) => boolean;

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
    this.#scanner = new CsvScanner(body.delimiter.charCodeAt(0), body.keyColumn, body.limits, body.quote);
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
      if (scanner.stop - at > this.#body.limits.maxRowBytes) throw rowTooLong(this.#row, this.#body.limits);
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
    // A CR may be the first half of the line end, which is a part of neither the row nor its last cell.
    const end = window.bytes[window.end - 1] === CR ? window.end - 1 : window.end;
    if (end - scanner.openCell > limits.maxCellBytes) {
      if (!scanner.openQuoted) throw cellTooLong(row, -1, limits.maxCellBytes, false);
      this.#closingQuote = new ClosingQuoteSearch(row, delimiter.charCodeAt(0), limits, scanner.quote);
      this.#closingQuote.read(window.bytes, scanner.openAt);
      window.start = window.end;
    } else if (end - window.start > limits.maxRowBytes) throw rowTooLong(row, limits);
  }
}
