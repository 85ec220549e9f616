/** A column of the workbook of an export, and how its cells are made. */
import type { Cell } from '../../formats/xlsx/cell.js';
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';

export interface CellWriter {
  /** Converts the text that Postgres wrote into a cell. */
  readonly cell: (text: string) => Cell;
  readonly exportFormat: 'text' | 'general';
}

export interface WorkbookColumn extends Pick<CellWriter, 'cell'> {
  readonly column: XlsxColumn;
}
