/** Reads the header of a CSV text. */
import { CR, LF } from '../../kernel/characters.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { FormatReading } from '../model/source-format.js';
import type { SourceInput } from '../model/source-input.js';
import { binaryHeader } from '../plan/refuse-wrong-format.js';
import type { RecordWindow } from '../text/record-window.js';
import type { TextEncoding } from '../text/text-encoding.js';
import { CsvRecordReader } from './csv-record-reader.js';
import { parseCsvChunk } from './parse-csv-chunk.js';
import { sniffDelimiter } from './sniff-delimiter.js';

/** Some programs quote the line. */
const SEPARATOR_LINE = /^"?sep=([\t\x20-\x7e])"?(?:\r\n|[\r\n]|$)/i;
const SEPARATOR_LINE_BYTES = '"sep=;"\r\n'.length;

interface SeparatorLine {
  readonly delimiter: string | null;
  /** The length of the line with its end; 0: the text does not begin with such a line. */
  readonly bytes: number;
}
const NO_SEPARATOR_LINE: SeparatorLine = { delimiter: null, bytes: 0 };

export interface CsvHeader {
  readonly delimiter: string;
  readonly cells: string[];
  /** Number of the header's line: 1, or more after blank lines. */
  readonly row: number;
}

/** Reads the first line that is not blank. */
export class CsvHeaderReader {
  readonly #named: string | null;
  #reader: CsvRecordReader | null = null;
  #header: CsvHeader | null = null;

  readonly #input: SourceInput;
  readonly #reading: FormatReading;
  readonly #encoding: TextEncoding;

  /** @throws RejectedInput INVALID_DELIMITER. */
  constructor(input: SourceInput, reading: FormatReading, encoding: TextEncoding) {
    this.#input = input;
    this.#reading = reading;
    this.#encoding = encoding;
    this.#named = input.options.delimiter ?? reading.delimiter;
    if (this.#named !== null && reading.reads === 'text') checkDelimiter(this.#named);
  }

  /**
   * Consumes the header's line in the window and returns the header; null when more bytes are needed.
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
      const delimiter = named ?? this.#sniff(window, rest, final);
      if (delimiter === null) return null;
      window.start = rest;
      this.#reader = this.#readerFor(delimiter, separator.bytes > 0 ? 2 : 1);
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

  #sniff(window: RecordWindow, start: number, final: boolean): string | null {
    const { delimiter, complete } = sniffDelimiter(window.bytes, start);
    return complete || final || window.pending > this.#input.limits.maxCellBytes ? delimiter : null;
  }

  #readerFor(delimiter: string, firstRow: number): CsvRecordReader {
    const body = { delimiter, keyColumn: -1, encoding: this.#encoding, limits: this.#input.limits };
    return new CsvRecordReader(body, firstRow, (window, scanner, start, row) => {
      if (scanner.isBlank(start)) return true;
      const cells = this.#cellsOf(window.bytes.subarray(start, scanner.next), delimiter, row);
      this.#header = { delimiter, cells, row };
      return false;
    });
  }

  #cellsOf(bytes: Buffer, delimiter: string, row: number): string[] {
    const [parsed] = parseCsvChunk(bytes, { delimiter, columns: -1, firstRow: row });
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
  if (/^[\t\x20-\x7e]$/.test(delimiter) && delimiter !== '"') return;
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
