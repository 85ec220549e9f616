/** Maps the records of a CSV or TSV text as bytes, without creating a string for each cell. */
import { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { CsvScanner } from '../csv/csv-scanner.js';
import type { SourceForm } from '../model/source-plan.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { SpoolWriter } from '../plan/spool-writer.js';
import { KeptRows } from '../table/kept-rows.js';
import type { TableInput, TableRow } from '../table/table.js';
import { type RecordForm, readTextRecords, rowOfRecord } from '../table/text-table.js';
import type { MappedLines } from './mapped-lines.js';
import { type ByteMapper, LEFT_OUT, NOT_WRITTEN, type RowMapper, type TableMapping } from './table-mapping.js';

const BLOCK_BYTES = 256 * 1024;
/** Room for what steps add to a row; a longer line is made of texts. */
const ADDED_BYTES = 16 * 1024;

/** What the lines of a source are written to. */
export interface MappedCopy {
  readonly lines: MappedLines;
  readonly spool: SpoolWriter;
  readonly keys: DuplicateKeys;
}

/** @throws RejectedInput */
export async function mapText(input: TableInput, mapping: TableMapping, copy: MappedCopy): Promise<MappedRows> {
  const { lines, spool } = copy;
  const { encoding, delimiter } = mapping.options;
  const opened: TextMapper[] = [];
  const own = { ...input, options: { encoding, delimiter } };
  const pieces = readTextRecords(own, mapping.options, new EventLoopPacer(input.signal), (head, form) => {
    const mapper = mapping.open({ ...head, names: form.names });
    const kept = new KeptRows<HeldRecord>(mapping.options, input.limits, head.format.headerRow, bytesOf);
    const isHolding = (mapping.options.skipLast ?? 0) > 0;
    const text = new TextMapper(mapper, kept, form, copy, isHolding ? held(input, form) : null);
    opened.push(text);
    return (_window, scanner, start, row) => {
      if (!scanner.isBlank(start)) text.add(scanner, start, row);
      return true;
    };
  });
  for await (const _ of pieces) {
    for (const text of opened) text.mapKept();
    if (lines.pending >= BLOCK_BYTES) await spool.write(lines.take());
  }
  const [text] = opened;
  if (text === undefined) throw new Error('a text was mapped without its header');
  return { mapper: text.mapper, sourceForm: { delimiter: text.form.delimiter, quote: text.form.quote } };
}

/** What has mapped the rows of a source, and how the copy has them as they were. */
export interface MappedRows {
  readonly mapper: RowMapper;
  readonly sourceForm: SourceForm;
}

/** A record that may be among the last. */
interface HeldRecord {
  readonly row: number;
  readonly bytes: Buffer;
}

function bytesOf({ bytes }: HeldRecord): number {
  return bytes.length;
}

/** Reads the records that were held, each from bytes of its own. */
function held({ limits }: TableInput, { delimiter, quote }: RecordForm): CsvScanner {
  return new CsvScanner(delimiter.charCodeAt(0), -1, limits, quote);
}

class TextMapper {
  readonly mapper: RowMapper;
  readonly #kept: KeptRows<HeldRecord>;
  readonly form: RecordForm;
  readonly #copy: MappedCopy;
  /** Reads the rows that are held until it is known that they are not among the last; null: none has to be. */
  readonly #held: CsvScanner | null;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #delimiter: number;

  constructor(
    mapper: RowMapper,
    kept: KeptRows<HeldRecord>,
    form: RecordForm,
    copy: MappedCopy,
    held: CsvScanner | null,
  ) {
    this.mapper = mapper;
    this.#kept = kept;
    this.form = form;
    this.#copy = copy;
    this.#held = held;
    this.#starts = new Int32Array(form.columns);
    this.#ends = new Int32Array(form.columns);
    this.#delimiter = form.delimiter.charCodeAt(0);
  }

  /** Maps the record that the scanner has read last, which is not blank. */
  add(scanner: CsvScanner, start: number, row: number): void {
    if (this.#held === null) {
      if (!this.#kept.skips(row)) this.#map(scanner, start, row);
    } else this.#kept.add({ row, bytes: Buffer.from(scanner.bytes.subarray(start, scanner.stop)) });
  }

  /** Maps the rows that were held. */
  mapKept(): void {
    const scanner = this.#held;
    if (scanner === null) return;
    for (const { row, bytes } of this.#kept.take()) {
      scanner.attach(bytes);
      scanner.read(0, true, row);
      this.#map(scanner, 0, row);
    }
  }

  #map(scanner: CsvScanner, start: number, row: number): void {
    const { bytes } = this.mapper;
    const written = bytes === undefined ? NOT_WRITTEN : this.#writeBytes(bytes, scanner, start, row);
    const isWritten =
      written === NOT_WRITTEN ? this.#mapRow(rowOfRecord(scanner, start, row, this.form)) : written !== LEFT_OUT;
    if (isWritten) this.#copy.lines.addSource(row, scanner.bytes, start, scanner.stop);
  }

  /** @returns false when the row is left out */
  #mapRow(row: TableRow): boolean {
    const { lines, keys } = this.#copy;
    const line = this.mapper.lineOf(row);
    if (line === null) return false;
    lines.add(row.row, line);
    if (this.mapper.keyColumn >= 0) keys.note(this.mapper.key);
    return true;
  }

  /** @returns what ByteMapper.writeLine does */
  #writeBytes(mapper: ByteMapper, scanner: CsvScanner, start: number, row: number): number {
    const { bytes, stop, hasCells } = scanner;
    let starts: Int32Array = this.#starts;
    let ends: Int32Array = this.#ends;
    let forms: Uint8Array | null = null;
    if (hasCells) {
      if (scanner.anyStray || scanner.cells !== this.form.columns) return NOT_WRITTEN;
      ({ starts, ends } = scanner);
      if (!scanner.allPlain) forms = scanner.forms;
    } else if (!this.#divide(bytes, start, stop)) return NOT_WRITTEN;
    const { lines, keys } = this.#copy;
    lines.begin(row, (stop - start) * 2 + ADDED_BYTES);
    const { target, at, limit } = lines;
    const end = mapper.writeLine({ row, bytes, starts, ends, forms }, target, at, limit);
    if (end < 0) return end;
    if (this.mapper.keyColumn >= 0) keys.noteBytes(target, mapper.keyStart, mapper.keyEnd);
    lines.end(row, end);
    return end;
  }

  /** Finds the cells of a record without quotes. @returns whether there are as many as the header has */
  #divide(bytes: Buffer, start: number, stop: number): boolean {
    const delimiter = this.#delimiter;
    const starts = this.#starts;
    const ends = this.#ends;
    const last = starts.length - 1;
    let cell = 0;
    starts[0] = start;
    for (let at = start; at < stop; at++) {
      if (bytes[at] !== delimiter) continue;
      if (cell === last) return false;
      ends[cell] = at;
      cell += 1;
      starts[cell] = at + 1;
    }
    ends[cell] = stop;
    return cell === last;
  }
}
