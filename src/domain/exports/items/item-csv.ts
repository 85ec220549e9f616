/** Items as CSV: one row an item, the columns of the template, every value as the import reads it back. */
import { joinSql, numbered, type Sql, sql } from '../../../../db/sql.js';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { textCell } from '../../catalog/export-cells.js';
import type { ExportFormatting, ItemColumn } from '../export-spec.js';
import { FIXED_HEADERS } from '../item-columns.js';
import { BUNDLE_ITEMS_CELL } from './bundle-cells.js';
import type { ItemCatalog } from './item-catalog.js';
import { factCell } from './item-facts.js';

/** What a column is headed. */
export function headerOf(column: ItemColumn, catalog: ItemCatalog): string {
  switch (column.kind) {
    case 'attribute':
      return catalog.attribute(column.attributeId).name;
    case 'fact':
      return `_${column.fact}`;
    default:
      return FIXED_HEADERS[column.kind];
  }
}

interface Formatting extends Pick<ExportFormatting, 'decimalSeparator' | 'escapeFormulas'> {
  /** Dates in ISO 8601, whatever their attribute's format. */
  readonly isoDates: boolean;
}

/** @param rows as itemRows answers them */
export function csvQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog, formatting: Formatting): Sql {
  const values = columns.flatMap((column, index) =>
    column.kind === 'attribute' ? [sql`doc ->> ${column.attributeId} AS ${numbered('c', index)}`] : [],
  );
  const needed = sql`sku, node_id, parent_sku, site_id, row_no, type, status, channels, created_at, updated_at`;
  const taken = sql`SELECT ${joinSql([needed, ...values], ', ')} FROM (${rows}) AS i OFFSET 0`;
  const cells = columns.map((column, index) => cellOf(column, numbered('c', index), catalog, formatting));
  return sql`SELECT ${joinSql(cells, ', ')} FROM (${taken}) AS v`;
}

function cellOf(column: ItemColumn, value: Sql, catalog: ItemCatalog, formatting: Formatting): Sql {
  const text = (cell: Sql) => (formatting.escapeFormulas ? withoutFormula(cell) : cell);
  switch (column.kind) {
    case 'sku':
      // A key cannot be cleared, so nothing in its cell is escaped.
      return text(sql`sku`);
    case 'category':
      return text(catalog.categoryPath);
    case 'parent':
      return text(textCell(sql`parent_sku`));
    case 'bundleItems':
      return text(BUNDLE_ITEMS_CELL);
    case 'fact':
      return factCell(column.fact);
    case 'attribute':
      return attributeCell(catalog.attribute(column.attributeId), value, formatting, text);
  }
}

function attributeCell(
  attribute: AttributeDefinition,
  value: Sql,
  formatting: Formatting,
  text: (cell: Sql) => Sql,
): Sql {
  const { exportCell, isFreeText } = ATTRIBUTE_TYPES[attribute.type];
  const cell = exportCell(attribute, value, formatting);
  return isFreeText ? text(cell) : cell;
}

/** A cell that spreadsheets would run begins with an apostrophe then. Of texts only: a number is no formula. */
function withoutFormula(cell: Sql): Sql {
  return sql`regexp_replace(${cell}, '^(?=[-=+@\t\r])', '''')`;
}
