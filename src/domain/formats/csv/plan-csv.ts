/**
 * The two passes over a CSV or TSV text: the first finds header, chunks and hashes of keys; the second compares
 * repeated keys.
 */
import { RejectedInput } from '../model/rejected-input.js';
import type { FormatReading } from '../model/source-format.js';
import type { SourceInput } from '../model/source-input.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { type CsvHeader, CsvHeaderReader } from './csv-header.js';
import { type CsvBody, CsvRecordReader } from './csv-record-reader.js';
import type { CsvScanner } from './csv-scanner.js';
import { escapedKey, keyedRecords } from './keyed-records.js';
import { DELIMITERS, MAY_DELIMIT } from './sniff-delimiter.js';

for (const delimiter of DELIMITERS) MAY_DELIMIT[delimiter.charCodeAt(0)] = 1;

export class CsvPlanReader implements RecordReader {
  readonly cutter: ChunkCutter;
  header: CsvHeader | null = null;
  #body: CsvBody | null = null;
  #rows: CsvRecordReader | null = null;
  readonly #headerReader: CsvHeaderReader;

  readonly #input: SourceInput;
  readonly #encoding: TextEncoding;
  readonly #keys: DuplicateKeys;

  constructor(input: SourceInput, reading: FormatReading, encoding: TextEncoding, keys: DuplicateKeys) {
    this.#input = input;
    this.#encoding = encoding;
    this.#keys = keys;
    this.cutter = new ChunkCutter(input.limits);
    this.#headerReader = new CsvHeaderReader(input, reading, encoding);
  }

  read(window: RecordWindow, final: boolean): void {
    this.#rows ??= this.#beginRows(window, final);
    this.#rows?.read(window, final);
    if (!final) return;
    if (this.header === null) throw new RejectedInput('EMPTY_FILE', 'The file holds nothing but blank lines.');
    this.cutter.cut();
  }

  /**
   * The reader of the second pass.
   * @param firstRow number of the first line of the first chunk.
   */
  duplicatesReader(firstRow: number): RecordReader {
    const body = this.#body;
    const columns = this.header?.cells.length ?? 0;
    if (body === null) throw new Error('the first pass has not found a header');
    return keyedRecords(body, columns, this.#keys, this.#input.winner, firstRow);
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
  else if (scanner.keyForm === 'escaped') keys.note(escapedKey(bytes, scanner));
}
