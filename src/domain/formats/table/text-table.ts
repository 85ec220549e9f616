/** Reads CSV and TSV texts as tables. */
import type { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { type CsvHeader, CsvHeaderReader } from '../csv/csv-header.js';
import type { CsvQuote } from '../csv/csv-quote.js';
import { CsvRecordReader, type OnCsvRecord } from '../csv/csv-record-reader.js';
import type { CsvScanner } from '../csv/csv-scanner.js';
import { withoutEscapes } from '../csv/escaped-quotes.js';
import { csvRow, wrongCount } from '../csv/parse-csv-chunk.js';
import { FILE_FORMATS } from '../file-format.js';
import { RejectedInput } from '../model/rejected-input.js';
import { openText } from '../plan/open-text.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordReader } from '../text/read-records.js';
import { RecordWindow } from '../text/record-window.js';
import { ReadMeter } from '../text/upload-blocks.js';
import { columnNames } from './column-names.js';
import { groupsOf, writtenNames } from './header-groups.js';
import { charactersOf, KeptRows } from './kept-rows.js';
import type { OnTableHead, TableBatches, TableHead, TableInput, TableOptions, TableRow } from './table.js';
import { headerBeyondEnd, refuseBlankHeader } from './table-header.js';

/** @throws RejectedInput */
export async function* readTextTable(
  input: TableInput,
  options: TableOptions,
  pacer: EventLoopPacer,
  onHead: OnTableHead,
): TableBatches {
  const opened: KeptRows[] = [];
  const pieces = readTextRecords(input, options, pacer, (head, form) => {
    const kept = new KeptRows(options, input.limits, head.format.headerRow, charactersOf);
    opened.push(kept);
    onHead(head);
    return (_window, scanner, start, row) => {
      if (!scanner.isBlank(start)) kept.add(rowOfRecord(scanner, start, row, form));
      return true;
    };
  });
  let isOpen = false;
  for await (const _ of pieces) {
    const [rows] = opened;
    if (rows === undefined) continue;
    if (!isOpen) yield [];
    isOpen = true;
    const batch = rows.take();
    if (batch.length > 0) yield batch;
  }
}

/** How the records behind a header are divided into cells. */
export interface RecordForm {
  readonly delimiter: string;
  readonly quote: CsvQuote;
  readonly columns: number;
  /** The names of the columns. */
  readonly names: readonly string[];
}

/** Is called once, when the header was read; returns what is given each record behind it. */
type OnTextHead = (head: TableHead, form: RecordForm) => OnCsvRecord;

/** Reads the header, and passes on the records behind it: those of a block before each value. @throws RejectedInput */
export async function* readTextRecords(
  input: TableInput,
  options: TableOptions,
  pacer: EventLoopPacer,
  onHead: OnTextHead,
): AsyncGenerator<void, void, undefined> {
  const text = await openText(input, FILE_FORMATS[input.format], new ReadMeter(input));
  const blocks = withoutEscapes(text.blocks, { ...options, delimiter: input.options.delimiter ?? options.delimiter });
  try {
    const reader = new TextTableReader(input, options, text.encoding, onHead);
    const window = new RecordWindow(text.base);
    for await (const block of blocks) {
      window.append(block);
      if (window.worthReading) {
        reader.read(window, false);
        window.markRead();
      }
      await pacer.pause();
      yield;
    }
    window.close();
    reader.read(window, true);
    yield;
  } finally {
    await blocks.return(undefined);
    await text.blocks.return(undefined);
  }
}

class TextTableReader implements RecordReader {
  #records: CsvRecordReader | null = null;
  readonly #headerReader: CsvHeaderReader;

  readonly #input: TableInput;
  readonly #options: TableOptions;
  readonly #encoding: TextEncoding;
  readonly #onHead: OnTextHead;

  constructor(input: TableInput, options: TableOptions, encoding: TextEncoding, onHead: OnTextHead) {
    const place = { row: options.headerRow, rows: options.headerRows, quote: options.quote };
    this.#headerReader = new CsvHeaderReader(input, FILE_FORMATS[input.format], encoding, place);
    this.#input = input;
    this.#options = options;
    this.#encoding = encoding;
    this.#onHead = onHead;
  }

  read(window: RecordWindow, final: boolean): void {
    this.#records ??= this.#begin(window, final);
    this.#records?.read(window, final);
  }

  #begin(window: RecordWindow, final: boolean): CsvRecordReader | null {
    const header = this.#headerReader.read(window, final);
    if (header !== null) return this.#open(header);
    if (!final) return null;
    const { headerRow } = this.#options;
    if (headerRow !== undefined) throw headerBeyondEnd(headerRow, this.#headerReader.lastRow);
    throw new RejectedInput('EMPTY_FILE', 'The file holds nothing but blank lines.');
  }

  #open({ cells: header, upper, delimiter, row: headerRow, titleLines }: CsvHeader): CsvRecordReader {
    refuseBlankHeader(header, headerRow);
    const { quote = '"' } = this.#options;
    const format = { encoding: this.#encoding, delimiter, headerRow, sheet: null, rowPath: null };
    const groups = upper === undefined ? undefined : groupsOf(upper, header);
    const head = { header, groups, titleLines, format };
    const form = { delimiter, quote, columns: header.length, names: columnNames(writtenNames(head)) };
    const onRecord = this.#onHead(head, form);
    const body = { delimiter, quote, keyColumn: -1, encoding: this.#encoding, limits: this.#input.limits };
    return new CsvRecordReader(body, headerRow + 1, onRecord);
  }
}

/** The record that the scanner has read last, which began at `start`. */
export function rowOfRecord(scanner: CsvScanner, start: number, row: number, form: RecordForm): TableRow {
  const { delimiter, quote, columns, names } = form;
  if (!scanner.hasCells) return plainRow(scanner, start, row, delimiter, columns);
  return withoutQuoteMarks(
    csvRow(scanner, start, row, { delimiter, quote, columns, firstRow: row, headerCells: names }),
  );
}

/** A record without quotes is divided by its delimiters alone, which the engine does faster than a loop. */
function plainRow(
  { bytes, stop }: CsvScanner,
  start: number,
  row: number,
  delimiter: string,
  columns: number,
): TableRow {
  const cells = bytes.toString('utf8', start, stop).split(delimiter);
  const problem = cells.length === columns ? null : wrongCount(row, cells, { columns, delimiter });
  return { row, cells, types: null, problem };
}

function withoutQuoteMarks({ row, cells, problem }: Pick<TableRow, 'row' | 'cells' | 'problem'>): TableRow {
  return { row, cells, types: null, problem };
}
