/** The ways to read and write values in cells of workbooks; each attribute type names one of them. */
import { TEXT_COLUMN, type WorkbookColumn } from '../../formats/model/workbook-column.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import { decimalCell } from '../../formats/xlsx/decimal-cell.js';

export interface WorkbookCells {
  /**
   * How an import reads the column.
   * @param writeValue writes a stored value into a cell as the attribute's codec reads it
   */
  readonly column: (writeValue: (value: unknown) => string, decimalSeparator: '.' | ',') => WorkbookColumn;
  /** The cell of a value whose text Postgres has written. */
  readonly cell: (text: string) => Cell;
  /** The format of an exported column. */
  readonly exportFormat: 'text' | 'general';
  /** The format of the column in a template. */
  readonly templateFormat: 'text' | 'date' | 'general';
}

const anyCells = { kind: 'other', decimalSeparator: '.', writeDate: null } as const;

/** For texts. A number in such a column is accepted only if its digits are certainly those that were typed. */
export const TEXT_CELLS: WorkbookCells = {
  column: () => TEXT_COLUMN,
  cell: (text) => text,
  exportFormat: 'text',
  templateFormat: 'text',
};

/** For texts of a list. A number in such a column is compared by its digits. */
export const CHOICE_CELLS: WorkbookCells = { ...TEXT_CELLS, column: () => anyCells };

/** For numbers: a cell is a number if a spreadsheet keeps all its digits, otherwise text. */
export const NUMBER_CELLS: WorkbookCells = {
  column: (_writeValue, decimalSeparator) => ({ kind: 'number', decimalSeparator, writeDate: null }),
  cell: decimalCell,
  exportFormat: 'general',
  templateFormat: 'general',
};

export const BOOLEAN_CELLS: WorkbookCells = {
  column: () => anyCells,
  cell: (text) => text === 'true',
  exportFormat: 'general',
  templateFormat: 'general',
};

export const DATE_CELLS: WorkbookCells = {
  column: (writeValue) => ({ ...anyCells, writeDate: writeValue }),
  cell: (text) => ({ date: text }),
  exportFormat: 'general',
  templateFormat: 'date',
};
