/** The plain reader of rows: each becomes cells or an element, and is judged by the attributes' own readers of values. */
import { csvRows } from '../../../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../../../formats/json/plan-jsonl.js';
import type { CsvBytes, JsonBytes } from '../../pipeline/row-applier.js';
import type { ReadRow } from '../item-batch.js';
import type { RowReader } from '../row-reader.js';
import type { DraftBuilder } from './draft-builder.js';
import type { ItemColumns } from './item-columns.js';
import { itemCellReader } from './read-item-cells.js';
import { itemLineReader } from './read-item-element.js';

/** @param seed what besides the rows decides their outcome */
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

/** @param seed what besides the rows decides their outcome */
export function plainJsonReader({ bytes, firstRow }: JsonBytes, builder: DraftBuilder, seed: number): RowReader {
  const readLine = itemLineReader(builder, seed);
  return readerOf(jsonRows(bytes, { firstRow }), (row) => ({ row: row.row, outcome: readLine(row) }));
}

function readerOf<Row>(rows: Iterator<Row>, readRow: (row: Row) => ReadRow): RowReader {
  return {
    // Every row is read, and compared with the item by its values.
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
