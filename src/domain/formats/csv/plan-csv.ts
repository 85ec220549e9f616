/**
 * The two passes over a CSV or TSV text: the first finds header, chunks and hashes of keys; the second compares
 * repeated keys.
 */
import { CR, LF, QUOTE } from '../../kernel/characters.js';
import { RejectedInput } from '../../kernel/rejected-input.js';
import { FILE_FORMATS } from '../file-format.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import { binaryHeader } from '../plan/refuse-wrong-format.js';
import type { SourceInput, SourceLimits } from '../source-contract.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { invalidEncoding, type TextEncoding } from '../text/text-encoding.js';
import { CsvScanner, cellTooLong, unclosedQuote } from './csv-scanner.js';
import { parseCsvChunk } from './parse-csv-chunk.js';

// Reads the header of a CSV text and detects the delimiter from it.

/** The first wins when several are equally frequent. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Some programs quote the line. */
const SEPARATOR_LINE = /^"?sep=([\t\x20-\x7e])"?(?:\r\n|[\r\n]|$)/i;
const SEPARATOR_LINE_BYTES = '"sep=;"\r\n'.length;

interface SeparatorLine {
  readonly delimiter: string | null;
  /** The length of the line with its end; 0: the text does not begin with such a line. */
  readonly bytes: number;
}
const NO_SEPARATOR_LINE: SeparatorLine = { delimiter: null, bytes: 0 };

interface CsvHeader {
  readonly delimiter: string;
  readonly cells: string[];
  /** Number of the header's line: 1, or more after blank lines. */
  readonly row: number;
}

/** Reads the first line that is not blank. */
class CsvHeaderReader {
  readonly #named: string | null;
  #reader: CsvRecordReader | null = null;
  #header: CsvHeader | null = null;

  readonly #input: SourceInput;
  readonly #encoding: TextEncoding;

  /** @throws RejectedInput INVALID_DELIMITER. */
  constructor(input: SourceInput, encoding: TextEncoding) {
    this.#input = input;
    this.#encoding = encoding;
    this.#named = input.options.delimiter ?? FILE_FORMATS[input.format].delimiter;
    if (this.#named !== null && FILE_FORMATS[input.format].reads === 'text') checkDelimiter(this.#named);
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
    if (FILE_FORMATS[this.#input.format].reads !== 'text') return NO_SEPARATOR_LINE;
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

/**
 * The most frequent delimiter outside of quotes in the first line that is not blank; a comma when there is none.
 * @returns complete: whether the line's end was seen.
 */
function sniffDelimiter(bytes: Buffer, start: number): { delimiter: string; complete: boolean } {
  const counts = new Uint32Array(256);
  let at = start;
  while (bytes[at] === LF || bytes[at] === CR) at += 1;
  let cellStart = true;
  let inQuotes = false;
  let complete = false;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE && (inQuotes || cellStart)) {
      // A doubled quote closes and opens the cell again, which has the same effect.
      inQuotes = !inQuotes;
      cellStart = !inQuotes;
      continue;
    }
    if (inQuotes) continue;
    if (byte === LF || byte === CR) {
      complete = true;
      break;
    }
    cellStart = MAY_DELIMIT[byte] === 1;
    if (cellStart) counts[byte] = (counts[byte] as number) + 1;
  }
  let delimiter: string = ',';
  for (const candidate of DELIMITERS) {
    if (countOf(counts, candidate) > countOf(counts, delimiter)) delimiter = candidate;
  }
  return { delimiter, complete };
}

const MAY_DELIMIT = new Uint8Array(256);
for (const delimiter of DELIMITERS) MAY_DELIMIT[delimiter.charCodeAt(0)] = 1;

function countOf(counts: Uint32Array, delimiter: string): number {
  return counts[delimiter.charCodeAt(0)] ?? 0;
}

/** The first line that is not blank, as far as it has arrived. */
function firstLine(bytes: Buffer, from: number): Buffer {
  let start = from;
  while (bytes[start] === LF || bytes[start] === CR) start += 1;
  let end = start;
  while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end += 1;
  return bytes.subarray(start, end);
}

export class CsvPlanReader implements RecordReader {
  readonly cutter: ChunkCutter;
  header: CsvHeader | null = null;
  #body: CsvBody | null = null;
  #rows: CsvRecordReader | null = null;
  readonly #headerReader: CsvHeaderReader;

  readonly #input: SourceInput;
  readonly #encoding: TextEncoding;
  readonly #keys: DuplicateKeys;

  constructor(input: SourceInput, encoding: TextEncoding, keys: DuplicateKeys) {
    this.#input = input;
    this.#encoding = encoding;
    this.#keys = keys;
    this.cutter = new ChunkCutter(input.limits);
    this.#headerReader = new CsvHeaderReader(input, encoding);
  }

  read(window: RecordWindow, final: boolean): void {
    this.#rows ??= this.#beginRows(window, final);
    this.#rows?.read(window, final);
    if (!final) return;
    if (this.header === null) throw new RejectedInput('EMPTY_FILE', 'The file holds nothing but blank lines.');
    this.cutter.finish();
  }

  /**
   * The reader of the second pass.
   * @param firstRow number of the first line of the first chunk.
   */
  duplicatesReader(firstRow: number): RecordReader {
    const body = this.#body;
    const columns = this.header?.cells.length ?? 0;
    if (body === null) throw new Error('the first pass has not found a header');
    return new CsvRecordReader(body, firstRow, (window, scanner, start, row) => {
      if (scanner.isBlank(start) || !isCandidate(this.#keys, window.bytes, scanner)) return true;
      const bytes = window.bytes.subarray(start, scanner.next);
      const [parsed] = parseCsvChunk(bytes, { delimiter: body.delimiter, columns, firstRow: row });
      // A row that cannot be read has no key: it fails, and no other row fails because of it.
      if (parsed !== undefined && parsed.problem === null) {
        this.#keys.record(row, parsed.cells[body.keyColumn] ?? '', this.#input.winner);
      }
      return true;
    });
  }

  #beginRows(window: RecordWindow, final: boolean): CsvRecordReader | null {
    const header = this.#headerReader.read(window, final);
    if (header === null) return null;
    const keyColumn = this.#input.resolveHeader([...header.cells]);
    const { delimiter } = header;
    this.header = header;
    this.#body = { delimiter, keyColumn, encoding: this.#encoding, limits: this.#input.limits };
    const { cutter } = this;
    const keys = this.#keys;
    return new CsvRecordReader(this.#body, header.row + 1, (into, scanner, start, row) => {
      const isBlank = scanner.isBlank(start);
      cutter.addLine(into.base + start, into.base + scanner.next, row, !isBlank);
      if (!isBlank) noteKey(keys, into.bytes, scanner);
      return true;
    });
  }
}

function noteKey(keys: DuplicateKeys, bytes: Buffer, scanner: CsvScanner): void {
  if (scanner.keyForm === 'plain') keys.noteBytes(bytes, scanner.keyStart, scanner.keyEnd);
  else if (scanner.keyForm === 'escaped') keys.note(unescaped(bytes, scanner));
}

function isCandidate(keys: DuplicateKeys, bytes: Buffer, scanner: CsvScanner): boolean {
  if (scanner.keyForm === 'plain') return keys.isCandidateBytes(bytes, scanner.keyStart, scanner.keyEnd);
  return scanner.keyForm === 'escaped' && keys.isCandidate(unescaped(bytes, scanner));
}

function unescaped(bytes: Buffer, scanner: CsvScanner): string {
  return bytes.toString('utf8', scanner.keyStart, scanner.keyEnd).replaceAll('""', '"');
}

// Reads the records of a CSV body one after the other, and refuses records that would exceed the bounded memory: decides,
// at constant memory, whether an overlong quoted cell is really long or lacks its closing quote.

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
interface CsvBody {
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

class CsvRecordReader implements RecordReader {
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
