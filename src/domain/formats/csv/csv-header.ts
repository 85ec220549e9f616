/** Reads the header of a CSV text. */
import { CR, LF } from '../../kernel/characters.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { FormatReading, SourceFormat } from '../model/source-format.js';
import type { UploadInput } from '../model/source-input.js';
import { binaryHeader } from '../plan/refuse-wrong-format.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordWindow } from '../text/record-window.js';
import type { CsvQuote } from './csv-quote.js';
import { CsvRecordReader } from './csv-record-reader.js';
import { parseCsvChunk } from './parse-csv-chunk.js';
import { sniffDelimiter } from './sniff-delimiter.js';

/** Some programs quote the line. */
export const SEPARATOR_LINE = /^"?sep=([\t\x20-\x7e])"?(?:\r\n|[\r\n]|$)/i;
const SEPARATOR_LINE_BYTES = '"sep=;"\r\n'.length;

interface SeparatorLine {
  readonly delimiter: string | null;
  /** The length of the line with its end; 0: the text does not begin with such a line. */
  readonly bytes: number;
}
const NO_SEPARATOR_LINE: SeparatorLine = { delimiter: null, bytes: 0 };

/** What the rows above the header may have together. */
const MAX_TITLE_CHARACTERS = 1024 * 1024;

/** What the header is read from. */
type HeaderInput = Pick<UploadInput, 'options' | 'limits'> & { readonly format: SourceFormat };

/** What a profile says of the header. */
export interface HeaderPlace {
  /** The number of its row; without one, it is the first row that is not blank. */
  readonly row?: number | undefined;
  /** How many rows it has, of which that is the last: 1 or 2. */
  readonly rows?: number | undefined;
  readonly quote?: CsvQuote | undefined;
}

export interface CsvHeader {
  readonly delimiter: string;
  readonly cells: string[];
  /** The cells of the row above it, if that belongs to the header. */
  readonly upper?: string[] | undefined;
  /** Number of the header's line: 1, or more after blank lines. */
  readonly row: number;
  /** A line `sep=;` as it is written, and the rows above a header whose row was named. */
  readonly titleLines: readonly string[];
}

/** Reads the first row that is not blank, or the row that a profile names. */
export class CsvHeaderReader {
  readonly #named: string | null;
  #reader: CsvRecordReader | null = null;
  #header: CsvHeader | null = null;

  readonly #input: HeaderInput;
  readonly #reading: FormatReading;
  readonly #encoding: TextEncoding;
  readonly #place: HeaderPlace;
  readonly #titleLines: string[] = [];
  #upper: string[] | undefined;
  #titleCharacters = 0;
  /** The number of the row that was read last. */
  lastRow = 0;

  /** @throws RejectedInput INVALID_DELIMITER. */
  constructor(input: HeaderInput, reading: FormatReading, encoding: TextEncoding, place: HeaderPlace = {}) {
    this.#input = input;
    this.#place = place;
    this.#reading = reading;
    this.#encoding = encoding;
    this.#named = input.options.delimiter ?? reading.delimiter;
    if (this.#named !== null && reading.reads === 'text') checkDelimiter(this.#named);
  }

  /**
   * Consumes the window up to the header and returns the header; null when more bytes are needed.
   * @throws RejectedInput WRONG_FORMAT, INVALID_HEADER, TOO_MANY_COLUMNS and the errors of any record.
   */
  read(window: RecordWindow, final: boolean): CsvHeader | null {
    if (this.#reader === null) {
      const separator = this.#separatorLine(window, final);
      if (separator === null) return null;
      const rest = window.start + separator.bytes;
      // Whatever follows, it is refused.
      if (firstLine(window.bytes, rest).includes(0)) throw binaryHeader(this.#input.format);
      const named = this.#input.options.delimiter ?? separator.delimiter ?? this.#named;
      const firstRow = this.#afterSeparatorLine(separator, window);
      const delimiter = named ?? this.#sniff(window, rest, firstRow, final);
      if (delimiter === null) return null;
      window.start = rest;
      this.#reader = this.#readerFor(delimiter, firstRow);
    }
    if (firstLine(window.bytes, window.start).includes(0)) throw binaryHeader(this.#input.format);
    this.#reader.read(window, final);
    return this.#header;
  }

  /** The line `sep=;`, in which spreadsheet programs name the delimiter; null when more bytes are needed. */
  #separatorLine(window: RecordWindow, final: boolean): SeparatorLine | null {
    if (this.#reading.reads !== 'text') return NO_SEPARATOR_LINE;
    if (window.pending < SEPARATOR_LINE_BYTES && !final) return null;
    const first = window.bytes.toString('latin1', window.start, window.start + SEPARATOR_LINE_BYTES);
    const [line, delimiter] = SEPARATOR_LINE.exec(first) ?? [];
    if (line === undefined || delimiter === undefined) return NO_SEPARATOR_LINE;
    checkDelimiter(delimiter);
    return { delimiter, bytes: line.length };
  }

  /** The number of the first row that may be the header. */
  #afterSeparatorLine({ bytes }: SeparatorLine, window: RecordWindow): number {
    if (bytes === 0) return 1;
    if (this.#place.row === 1) {
      const message = 'Row 1 is the line "sep=", which names the delimiter. Name a later row as the header.';
      throw new RejectedInput('INVALID_HEADER', message, { row: 1 });
    }
    if (this.#titleLines.length === 0) {
      this.#titleLines.push(window.bytes.toString('latin1', window.start, window.start + bytes).trimEnd());
    }
    return 2;
  }

  #sniff(window: RecordWindow, start: number, firstRow: number, final: boolean): string | null {
    const { row, quote } = this.#place;
    const before = row === undefined ? null : row - firstRow;
    const { delimiter, complete } = sniffDelimiter(window.bytes, start, quote, before);
    return complete || final || window.pending > this.#input.limits.maxCellBytes ? delimiter : null;
  }

  #readerFor(delimiter: string, firstRow: number): CsvRecordReader {
    const { row: headerRow, rows = 1, quote = '"' } = this.#place;
    const body = { delimiter, quote, keyColumn: -1, encoding: this.#encoding, limits: this.#input.limits };
    return new CsvRecordReader(body, firstRow, (window, scanner, start, row) => {
      this.lastRow = row;
      if (headerRow !== undefined && row < headerRow) {
        this.#addTitleLine(window.bytes.toString('utf8', start, scanner.stop), row);
        if (rows === 2 && row === headerRow - 1 && !scanner.isBlank(start)) {
          this.#upper = this.#cellsOf(window.bytes.subarray(start, scanner.next), delimiter, quote, row);
        }
        return true;
      }
      if (scanner.isBlank(start)) {
        if (headerRow === undefined) return true;
        throw new RejectedInput('INVALID_HEADER', `Row ${row}, which should be the header, is blank.`, { row });
      }
      const cells = this.#cellsOf(window.bytes.subarray(start, scanner.next), delimiter, quote, row);
      this.#header = { delimiter, cells, upper: this.#upper, row, titleLines: this.#titleLines };
      return false;
    });
  }

  #addTitleLine(line: string, row: number): void {
    this.#titleCharacters += line.length + 1;
    if (this.#titleCharacters > MAX_TITLE_CHARACTERS) {
      const message = `The rows above the header hold more than ${MAX_TITLE_CHARACTERS} characters. Name the header's row again.`;
      throw new RejectedInput('INVALID_HEADER', message, { row });
    }
    this.#titleLines.push(line);
  }

  #cellsOf(bytes: Buffer, delimiter: string, quote: CsvQuote, row: number): string[] {
    const [parsed] = parseCsvChunk(bytes, { delimiter, quote, columns: -1, firstRow: row });
    if (parsed?.problem?.code === 'INVALID_TEXT') {
      throw new RejectedInput('INVALID_HEADER', `The header cannot be read. ${parsed.problem.message}`, { row });
    }
    const cells = parsed?.cells ?? [];
    const { maxColumns } = this.#input.limits;
    if (cells.length > maxColumns) {
      throw new RejectedInput(
        'TOO_MANY_COLUMNS',
        `The header has ${cells.length} columns; at most ${maxColumns} are read. Split the file by columns.`,
        { row },
      );
    }
    return cells;
  }
}

function checkDelimiter(delimiter: string): void {
  // Control characters such as U+001F divide the cells of texts that no person writes.
  const isAscii = delimiter.length === 1 && delimiter > '\0' && delimiter < '\x7f';
  if (isAscii && !['"', '\r', '\n'].includes(delimiter)) return;
  throw new RejectedInput(
    'INVALID_DELIMITER',
    `The delimiter ${JSON.stringify(delimiter)} cannot be used. Name one ASCII character other than a quote.`,
  );
}

/** The first line that is not blank, as far as it has arrived. */
function firstLine(bytes: Buffer, from: number): Buffer {
  let start = from;
  while (bytes[start] === LF || bytes[start] === CR) start += 1;
  let end = start;
  while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end += 1;
  return bytes.subarray(start, end);
}
