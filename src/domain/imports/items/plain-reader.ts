/** The plain reader: it parses rows, and the attributes' own readers check the values. */
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../../formats/json/json-rows.js';
import type { CsvBytes, JsonBytes } from '../rows/row-applier.js';
import type { ReadRow } from './item-batch.js';
import type { DraftBuilder } from './read/draft-builder.js';
import type { ItemColumns } from './read/item-columns.js';
import { itemCellReader } from './read/read-item-cells.js';
import { itemLineReader } from './read/read-item-line.js';
import type { RowReader } from './row-reader.js';
import { NONE_UNCHANGED } from './unchanged-items.js';

/** @param seed the seed of the rows' hashes: what besides the rows decides their outcome */
export function plainCsvReader(
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
export function plainJsonReader({ bytes, firstRow }: JsonBytes, builder: DraftBuilder, seed: number): RowReader {
  const readLine = itemLineReader(builder, seed);
  return readerOf(jsonRows(bytes, { firstRow }), (row) => ({ row: row.row, outcome: readLine(row) }));
}

function readerOf<Row>(rows: Iterator<Row>, readRow: (row: Row) => ReadRow): RowReader {
  return {
    // This reader reads every row; the applier compares its values with the item.
    skipUnchanged: async () => undefined,
    unchangedItems: () => NONE_UNCHANGED,
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
