/**
 * Reads the rows of a CSV chunk into item drafts from their bytes. Cells that an encoder takes never become strings;
 * the others, and rows that are not plainly built, are read by the readers of strings, which are the judges.
 */
import type { ByteEncoder } from '../../../catalog/compiled-attribute.js';

import { CsvRecordBytes } from '../../../formats/csv/csv-record-bytes.js';
import { csvRows } from '../../../formats/csv/parse-csv-chunk.js';
import { ByteMap } from '../../../kernel/byte-map.js';
import type { CsvBytes } from '../../pipeline/ingest-kind.js';
import { KNOWN_ROW, type ReadRow } from '../item-batch.js';
import type { DraftBuilder } from '../read/draft-builder.js';
import type { ItemColumn, ItemColumns } from '../read/item-columns.js';
import { KnownRows, type SkimmedRows, type Skimmer } from '../read/known-rows.js';
import { cellSeed, itemCellReader, readCell } from '../read/read-item-cells.js';

/** Category texts remembered for one chunk. */
const MOST_CATEGORIES = 4_096;

interface ByteColumn {
  readonly column: ItemColumn;
  readonly encode: ByteEncoder | null;
  readonly position: number;
}

export class ItemBytesReader implements Skimmer {
  readonly #columns: readonly ByteColumn[];
  readonly #skuColumn: number;
  readonly #readCells: ReturnType<typeof itemCellReader>;
  readonly #categories = new ByteMap<number>();
  readonly #records: CsvRecordBytes;
  readonly #bytes: Buffer;
  #known = KnownRows.NONE;
  #at = 0;
  #row: number;

  constructor(
    readonly source: CsvBytes,
    readonly builder: DraftBuilder,
    columns: ItemColumns,
    seed: number,
  ) {
    this.#bytes = source.bytes;
    this.#row = source.firstRow;
    this.#records = new CsvRecordBytes(source.bytes, source.delimiter, columns.columns.length, cellSeed(columns, seed));
    this.#readCells = itemCellReader(builder, columns, seed);
    this.#skuColumn = columns.keyColumn;
    this.#columns = columns.columns.map((column) => {
      const position = column.kind === 'attribute' ? column.position : -1;
      return { column, position, encode: position < 0 ? null : builder.rules.byteEncoder(position) };
    });
  }

  skimSome(skimmed: SkimmedRows, count: number, passedOver: ReadonlyMap<number, number>): boolean {
    const records = this.#records;
    for (let left = count; left > 0; left--) {
      if (this.#at >= this.#bytes.length) return false;
      const start = this.#at;
      const next = records.isBlank(start) ? records.afterLineEnd(start) : records.scan(start);
      if (next >= 0 && !records.isBlank(start) && !passedOver.has(this.#row)) {
        const skuStart = records.starts[this.#skuColumn] as number;
        const sku = this.#bytes.toString('utf8', skuStart, records.ends[this.#skuColumn]);
        skimmed.add(sku, records.hash(), start, next);
      }
      this.#at = next < 0 ? records.endOfRecord(start) : next;
      this.#row++;
    }
    return true;
  }

  passOver(known: KnownRows): void {
    this.#known = known;
    this.#at = 0;
    this.#row = this.source.firstRow;
  }

  /** Reads rows into `read`, up to `count`. @returns whether there may be more */
  readSome(read: ReadRow[], count: number): boolean {
    const records = this.#records;
    for (let left = count; left > 0; left--) {
      if (this.#at >= this.#bytes.length) return false;
      const start = this.#at;
      const known = this.#known.endOf(start);
      if (known >= 0) {
        read.push(KNOWN_ROW);
        this.#at = known;
      } else if (records.isBlank(start)) {
        this.#at = records.afterLineEnd(start);
      } else {
        this.#readRow(start, read);
      }
      this.#row++;
    }
    return true;
  }

  #readRow(start: number, read: ReadRow[]): void {
    const records = this.#records;
    const next = records.scan(start);
    if (next < 0) {
      this.#at = records.endOfRecord(start);
      this.#readOddRow(start, read);
      return;
    }
    this.#at = next;
    this.builder.reset();
    const columns = this.#columns;
    const { starts, ends } = records;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as ByteColumn;
      const cellStart = starts[index] as number;
      const cellEnd = ends[index] as number;
      if (cellEnd > cellStart || index === this.#skuColumn) this.#cell(column, cellStart, cellEnd);
    }
    read.push({ row: this.#row, outcome: this.builder.finish(this.#row, records.hash()) });
  }

  #cell({ column, encode, position }: ByteColumn, start: number, end: number): void {
    if (encode !== null) {
      if (this.builder.encode(position, encode, this.#bytes, start, end)) return;
    } else if (column.kind === 'category') {
      const known = this.#categories.get(this.#bytes, start, end);
      if (known !== undefined) {
        this.builder.knownCategory(known);
        return;
      }
    } else if (column.kind === 'ignored') {
      return;
    }
    readCell(this.builder, column, this.#bytes.toString('utf8', start, end));
    if (column.kind !== 'category' || this.#categories.size >= MOST_CATEGORIES) return;
    const nodeId = this.builder.nodeId();
    if (nodeId !== null) this.#categories.set(this.#bytes, start, end, nodeId);
  }

  #readOddRow(start: number, read: ReadRow[]): void {
    const { delimiter, headerCells } = this.source;
    const options = { delimiter, columns: headerCells.length, firstRow: this.#row, headerCells, keepMarked: true };
    for (const row of csvRows(this.#bytes.subarray(start, this.#at), options)) {
      read.push({ row: row.row, outcome: this.#readCells(row) });
    }
  }
}
