/** Opens the reader of a chunk's rows. Only this file imports the readers under `fast`. */
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../../formats/json/json-rows.js';
import type { CsvBytes, JsonBytes, RowReaderName, SourceRows } from '../model/row-applier.js';
import { FastCsvReader } from './fast/csv-reader.js';
import { FastJsonReader } from './fast/json-reader.js';
import type { ReadRow } from './item-batch.js';
import type { DraftBuilder } from './read/draft-builder.js';
import type { ItemColumns } from './read/item-columns.js';
import { itemCellReader } from './read/read-item-cells.js';
import { itemLineReader } from './read/read-item-element.js';
import type { RowReader } from './row-reader.js';

/** What a reader needs besides the rows. */
interface RowContext {
  /** Creates the drafts, and holds their documents. */
  readonly builder: DraftBuilder;
  /** Null: the rows are JSON. */
  readonly columns: ItemColumns | null;
  /** The seed of the rows' hashes: what besides the row itself decides its outcome. */
  readonly seed: number;
}

export function openRowReader(name: RowReaderName, { format, source }: SourceRows, context: RowContext): RowReader {
  const { builder, columns, seed } = context;
  if (source === undefined) throw new Error('rows of items are read from their bytes, and there are none');
  if (format === 'JSON') {
    if (name === 'plain') return plainJsonReader(source, builder, seed);
    return new FastJsonReader(source, builder, seed, itemLineReader(builder, seed));
  }
  if (columns === null) throw new Error('rows of a file cannot be read before its header');
  if (name === 'plain') return plainCsvReader(source, builder, columns, seed);
  return new FastCsvReader(source, builder, columns, seed);
}

// The plain reader: it parses rows, and the attributes' own readers check the values.

/** @param seed the seed of the rows' hashes: what besides the rows decides their outcome */
function plainCsvReader(
  { bytes, delimiter, firstRow, headerCells }: CsvBytes,
  builder: DraftBuilder,
  columns: ItemColumns,
  seed: number,
): RowReader {
  const options = { delimiter, columns: headerCells.length, firstRow, headerCells, keepMarked: true };
  const readCells = itemCellReader(builder, columns, seed);
  return readerOf(csvRows(bytes, options), (row) => ({ row: row.row, outcome: readCells(row) }));
}

/** @param seed the seed of the rows' hashes: what besides the rows decides their outcome */
function plainJsonReader({ bytes, firstRow }: JsonBytes, builder: DraftBuilder, seed: number): RowReader {
  const readLine = itemLineReader(builder, seed);
  return readerOf(jsonRows(bytes, { firstRow }), (row) => ({ row: row.row, outcome: readLine(row) }));
}

function readerOf<Row>(rows: Iterator<Row>, readRow: (row: Row) => ReadRow): RowReader {
  return {
    // This reader reads every row; the applier compares its values with the item.
    skipUnchanged: async () => undefined,
    readSome: (read, count) => {
      for (let left = count; left > 0; left--) {
        const next = rows.next();
        if (next.done === true) return false;
        read.push(readRow(next.value));
      }
      return true;
    },
  };
}
