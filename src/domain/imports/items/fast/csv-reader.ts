/**
 * Reads the rows of a CSV chunk into item drafts from their bytes. Cells that an encoder accepts never become strings.
 * All other cells, and rows that are not plain, are left to the readers of strings, whose decision counts.
 */
import type { ByteEncoder } from '../../../catalog/model/compiled-attribute.js';
import { CsvScanner } from '../../../formats/csv/csv-scanner.js';
import { type CsvChunkOptions, csvRow, unnamedColumns } from '../../../formats/csv/parse-csv-chunk.js';
import { CELL } from '../../../formats/csv/record-cells.js';
import { RunningHash } from '../../../formats/model/source-hash.js';
import { WORKBOOK_DELIMITER } from '../../../formats/model/workbook-column.js';
import { ByteMap } from '../../../kernel/byte-map.js';
import { QUOTE } from '../../../kernel/characters.js';
import type { CsvBytes } from '../../rows/row-applier.js';
import { type ReadRow, UNCHANGED_ROW } from '../item-batch.js';
import type { DraftBuilder } from '../read/draft-builder.js';
import type { DraftOutcome } from '../read/draft-outcome.js';
import type { ItemColumn, ItemColumns } from '../read/item-columns.js';
import { cellSeed, itemCellReader, readCell } from '../read/read-item-cells.js';
import type { RowReader, RowsOfSite } from '../row-reader.js';
import type { UnchangedItems } from '../unchanged-items.js';
import { findUnchangedRows, type SkimmedRows, type Skimmer, UnchangedRows } from './unchanged-rows.js';

/** How many category texts are cached for one chunk. */
const MOST_CATEGORIES = 4_096;

interface ByteColumn {
  readonly column: ItemColumn;
  readonly encode: ByteEncoder | null;
  readonly position: number;
  /** Whether the encoder writes numbers that may be ambiguous. */
  readonly isNumber: boolean;
}

export class FastCsvReader implements RowReader, Skimmer {
  readonly #columns: readonly ByteColumn[];
  readonly #skuColumn: number;
  readonly #unnamed: readonly number[];
  readonly #readCells: ReturnType<typeof itemCellReader>;
  readonly #categories = new ByteMap<number>();
  readonly #scanner: CsvScanner;
  readonly #chunk: CsvChunkOptions;
  readonly #bytes: Buffer;
  /** 1 for each column in which a row has a value. */
  readonly #filled: Uint8Array;
  #allFilled = false;
  /** In the copy of a workbook, only texts are in quotes: numbers and dates have one meaning. */
  readonly #isWorkbook: boolean;
  #unchanged = UnchangedRows.NONE;
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
    this.#scanner = CsvScanner.ofChunk(source.bytes, source.delimiter);
    this.#scanner.hashAs(new RunningHash(cellSeed(columns, seed)));
    const { delimiter, firstRow, headerCells } = source;
    this.#chunk = { delimiter, columns: headerCells.length, firstRow, headerCells, keepMarked: true };
    this.#unnamed = unnamedColumns(headerCells);
    this.#readCells = itemCellReader(builder, columns, seed);
    this.#skuColumn = columns.keyColumn;
    this.#columns = columns.columns.map((column) => {
      const position = column.kind === 'attribute' ? column.position : -1;
      const encode = position < 0 ? null : builder.rules.byteEncoder(position);
      const isNumber = encode !== null && builder.rules.attribute(position).doubt?.about === 'NUMBER';
      return { column, position, encode, isNumber };
    });
    // The reader of strings watches the same columns.
    this.#filled = builder.notes.filled;
    this.#isWorkbook = delimiter === WORKBOOK_DELIMITER;
  }

  skimSome(skimmed: SkimmedRows, count: number, passedOver: ReadonlyMap<number, number>): boolean {
    const scanner = this.#scanner;
    for (let left = count; left > 0; left--) {
      if (this.#at >= this.#bytes.length) return false;
      const start = this.#at;
      scanner.readCells(start, true, this.#row);
      const isSkimmed = scanner.allPlain && this.#isRegular() && !scanner.isBlank(start);
      if (isSkimmed && !passedOver.has(this.#row)) {
        const skuStart = scanner.starts[this.#skuColumn] as number;
        const sku = this.#bytes.toString('utf8', skuStart, scanner.ends[this.#skuColumn]);
        skimmed.add(sku, this.#hashOfCells(), start, scanner.next);
      }
      this.#at = scanner.next;
      this.#row++;
    }
    return true;
  }

  async skipUnchanged(site: RowsOfSite): Promise<void> {
    this.#unchanged = await findUnchangedRows(this, site);
    this.#at = 0;
    this.#row = this.source.firstRow;
  }

  unchangedItems(): UnchangedItems {
    return this.#unchanged.items();
  }

  readSome(read: ReadRow[], count: number): boolean {
    const scanner = this.#scanner;
    for (let left = count; left > 0; left--) {
      if (this.#at >= this.#bytes.length) return false;
      const start = this.#at;
      const unchanged = this.#unchanged.endOf(start);
      if (unchanged >= 0) {
        read.push(UNCHANGED_ROW);
        this.#at = unchanged;
      } else {
        scanner.readCells(start, true, this.#row);
        this.#at = scanner.next;
        if (!scanner.isBlank(start)) read.push({ row: this.#row, outcome: this.#readRow(start) });
      }
      this.#row++;
    }
    return true;
  }

  #readRow(start: number): DraftOutcome {
    if (!this.#isRegular()) return this.#readCells(csvRow(this.#scanner, start, this.#row, this.#chunk));
    const { builder } = this;
    const bytes = this.#bytes;
    builder.reset();
    const columns = this.#columns;
    const { starts, ends, forms, allPlain } = this.#scanner;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as ByteColumn;
      const cellStart = starts[index] as number;
      const cellEnd = ends[index] as number;
      if (!allPlain && forms[index] === CELL.escaped) {
        this.#escapedCell(column.column, cellStart, cellEnd);
      } else if (cellEnd > cellStart) {
        // Most cells end here. What the rest needs is in other functions, so that V8 compiles the loop as a whole.
        const { encode, position } = column;
        if (encode === null || !builder.encode(position, encode, bytes, cellStart, cellEnd)) {
          this.#otherCell(column.column, cellStart, cellEnd);
        } else if (column.isNumber) {
          this.#noteNumber(column, cellStart, cellEnd);
        }
      } else if (index === this.#skuColumn) {
        this.#otherCell(column.column, cellStart, cellEnd);
      }
    }
    return builder.finish(this.#row, this.#hashOfCells());
  }

  /** Whether the last record has the right number of cells, each of which is plain or holds doubled quotes. */
  #isRegular(): boolean {
    const { anyStray, cells, starts, ends } = this.#scanner;
    if (anyStray || cells !== this.#columns.length) return false;
    for (const index of this.#unnamed) if ((ends[index] as number) > (starts[index] as number)) return false;
    return true;
  }

  #hashOfCells(): number {
    if (!this.#allFilled) this.#watchCells();
    return this.#scanner.hashOfCells();
  }

  #watchCells(): void {
    const { starts, ends, cells } = this.#scanner;
    let isNew = false;
    for (let index = 0; index < cells; index++) {
      if (this.#filled[index] === 1 || ends[index] === starts[index]) continue;
      this.#filled[index] = 1;
      isNew = true;
    }
    if (isNew) this.#allFilled = this.builder.notes.allFilled();
  }

  /** Notes a number that was encoded, if it may mean two. */
  #noteNumber({ position, column }: ByteColumn, start: number, end: number): void {
    if (this.#isTyped(start)) return;
    this.builder.values.noteEncodedNumber(this.#row, position, column.name, this.#bytes, start, end);
  }

  /** Reads a cell that no encoder accepts. */
  #otherCell(column: ItemColumn, start: number, end: number): void {
    if (column.kind === 'category') {
      const known = this.#categories.get(this.#bytes, start, end);
      if (known !== undefined) {
        this.builder.knownCategory(known);
        return;
      }
    } else if (column.kind === 'ignored') {
      return;
    }
    readCell(this.builder, column, this.#bytes.toString('utf8', start, end), this.#isTyped(start));
    if (column.kind !== 'category' || this.#categories.size >= MOST_CATEGORIES) return;
    const nodeId = this.builder.nodeId();
    if (nodeId !== null) this.#categories.set(this.#bytes, start, end, nodeId);
  }

  #escapedCell(column: ItemColumn, start: number, end: number): void {
    const text = this.#bytes.toString('utf8', start, end).replaceAll('""', '"');
    readCell(this.builder, column, text, this.#isTyped(start));
  }

  #isTyped(start: number): boolean {
    return this.#isWorkbook && this.#bytes[start - 1] !== QUOTE;
  }
}
