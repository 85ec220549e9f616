/** Items as rows of a workbook: numbers, booleans and dates as such, texts as text. */
import { ATTRIBUTE_TYPES } from '../../catalog/types/attribute-types.js';
import { TEXT_CELLS, type WorkbookCells } from '../../catalog/types/workbook-cells.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import type { XlsxColumn } from '../../formats/xlsx/sheet-columns.js';
import type { ItemColumn } from '../export-spec.js';
import type { ItemCatalog } from './item-catalog.js';
import { headerOf } from './item-csv.js';

export interface WorkbookColumn {
  readonly column: XlsxColumn;
  /** Makes a cell of the text that Postgres wrote. */
  readonly cell: (text: string) => Cell;
}

export function workbookColumn(column: ItemColumn, catalog: ItemCatalog): WorkbookColumn {
  const { cell, exportFormat } = cellsOf(column, catalog);
  return { column: { title: headerOf(column, catalog), format: exportFormat }, cell };
}

function cellsOf(column: ItemColumn, catalog: ItemCatalog): WorkbookCells {
  if (column.kind !== 'attribute') return TEXT_CELLS;
  const attribute = catalog.attribute(column.attributeId);
  return ATTRIBUTE_TYPES[attribute.type].workbook(attribute);
}
