/** Writes items as rows of a workbook: numbers, booleans and dates keep their types, and all else is text. */
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { ItemColumn } from '../model/export-spec.js';
import type { CellWriter, WorkbookColumn } from '../write/workbook-column.js';
import type { ItemCatalog } from './item-catalog.js';
import { headerOf } from './item-csv.js';

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
