/** Items as rows of a workbook: numbers, booleans and dates as such, texts as text. */
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { type Cell, decimalCell } from '../../formats/xlsx/cell.js';
import type { XlsxColumn } from '../../formats/xlsx/sheet-columns.js';
import type { ItemColumn } from '../export-spec.js';
import type { ItemCatalog } from './item-catalog.js';
import { headerOf } from './item-csv.js';

/** Makes a cell of the text that Postgres wrote. */
type CellReader = (text: string) => Cell;

export interface WorkbookColumn {
  readonly column: XlsxColumn;
  readonly cell: CellReader;
}

export function workbookColumn(column: ItemColumn, catalog: ItemCatalog): WorkbookColumn {
  const title = headerOf(column, catalog);
  const cell = column.kind === 'attribute' ? cellReaderOf(catalog.attribute(column.attributeId)) : asText;
  return { column: { title, format: cell === asText ? 'text' : 'general' }, cell };
}

const asText: CellReader = (text) => text;
const asBoolean: CellReader = (text) => text === 'true';
const asDate: CellReader = (text) => ({ date: text });

function cellReaderOf({ type, optionsType }: AttributeDefinition): CellReader {
  switch (type) {
    case 'BOOLEAN':
      return asBoolean;
    case 'INTEGER':
    case 'SERIAL':
    case 'DECIMAL':
      return decimalCell;
    case 'DATETIME':
      return asDate;
    case 'OPTIONS':
      return optionsType === 'INTEGER' || optionsType === 'DECIMAL' ? decimalCell : asText;
    case 'TEXT':
      return asText;
  }
}
