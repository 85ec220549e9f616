/** Writes items as rows of a workbook: numbers, booleans and dates keep their types, and all else is text. */
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import type { ItemColumn } from '../export-spec.js';
import type { ItemCatalog } from './item-catalog.js';
import { headerOf } from './item-csv.js';

interface CellWriter {
  /** Converts the text that Postgres wrote into a cell. */
  readonly cell: (text: string) => Cell;
  readonly exportFormat: 'text' | 'general';
}

export interface WorkbookColumn extends Pick<CellWriter, 'cell'> {
  readonly column: XlsxColumn;
}

export function workbookColumn(column: ItemColumn, catalog: ItemCatalog): WorkbookColumn {
  const { cell, exportFormat } = cellsOf(column, catalog);
  return { column: { title: headerOf(column, catalog), format: exportFormat }, cell };
}

const TEXT_CELLS = { cell: (text: string) => text, exportFormat: 'text' } as const;

function cellsOf(column: ItemColumn, catalog: ItemCatalog): CellWriter {
  if (column.kind !== 'attribute') return TEXT_CELLS;
  const attribute = catalog.attribute(column.attributeId);
  return ATTRIBUTE_TYPES[attribute.type].workbook(attribute);
}
