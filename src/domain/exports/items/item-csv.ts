/** SQL that writes items as CSV, with every value as an import reads it. */
import { joinSql, numbered, type Sql, sql } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { textCell } from '../../catalog/model/sql-cells.js';
import { OPERATION_COLUMN } from '../../formats/model/added-columns.js';
import type { ExportFormatting, ItemColumn } from '../model/export-spec.js';
import { FIXED_HEADERS } from '../model/item-headers.js';
import { DELETED, UPSERTED } from '../write/operation.js';
import type { ItemCatalog } from './item-catalog.js';
import { factCell } from './item-facts.js';
import { BUNDLE_ITEMS_CELL, PARENT_SKU } from './related-items.js';

/** The header of a column. */
export function headerOf(column: ItemColumn, catalog: ItemCatalog): string {
  switch (column.kind) {
    case 'attribute':
      return catalog.attribute(column.attributeId).name;
    case 'operation':
      return OPERATION_COLUMN;
    case 'fact':
      return `_${column.fact}`;
    default:
      return FIXED_HEADERS[column.kind];
  }
}

interface Formatting extends Pick<ExportFormatting, 'decimalSeparator' | 'escapeFormulas'> {
  /** Whether the dates of a column are written in ISO 8601, whatever the format of their attribute. */
  readonly isoDates: (column: number) => boolean;
}

/** @param rows the subquery that itemRows returns */
export function csvQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog, formatting: Formatting): Sql {
  return cellsQuery(rows, columns, (column, value, index) =>
    cellOf(column, value, catalog, { ...formatting, isoDates: formatting.isoDates(index) }),
  );
}

/** @param cell SQL for the cell of a column, of the item `v`; `value` is the stored value of an attribute, as text */
export function cellsQuery(
  rows: Sql,
  columns: readonly ItemColumn[],
  cell: (column: ItemColumn, value: Sql, index: number) => Sql,
): Sql {
  const values = columns.flatMap((column, index) =>
    column.kind === 'attribute' ? [sql`doc ->> ${column.attributeId} AS ${numbered('c', index)}`] : [],
  );
  const needed = sql`sku, node_id, parent_sku, site_id, row_no, type, status, channels, created_at, updated_at`;
  const extracted = sql`SELECT ${joinSql([needed, ...values], ', ')} FROM (${rows}) AS i OFFSET 0`;
  const cells = columns.map((column, index) => cell(column, numbered('c', index), index));
  return sql`SELECT ${joinSql(cells, ', ')} FROM (${extracted}) AS v`;
}

/** Rows of items that are no longer in the export, in the same columns. @param skus as leftSkus */
export function leftCsv(skus: Sql, columns: readonly ItemColumn[], escapeFormulas: boolean): Sql {
  const cells = columns.map(({ kind }) => {
    if (kind === 'sku') return escapeFormulas ? withoutFormula(sql`sku`) : sql`sku`;
    return kind === 'operation' ? sql`${DELETED}` : sql`NULL::text`;
  });
  return sql`SELECT ${joinSql(cells, ', ')} FROM (${skus}) AS deleted`;
}

type CellFormatting = Omit<Formatting, 'isoDates'> & { readonly isoDates: boolean };

function cellOf(column: ItemColumn, value: Sql, catalog: ItemCatalog, formatting: CellFormatting): Sql {
  const text = (cell: Sql) => (formatting.escapeFormulas ? withoutFormula(cell) : cell);
  switch (column.kind) {
    case 'sku':
      // A key cannot be cleared, so that its cell has no escapes.
      return text(sql`sku`);
    case 'category':
      return text(catalog.categoryPath);
    case 'parent':
      return text(textCell(PARENT_SKU));
    case 'bundleItems':
      return text(BUNDLE_ITEMS_CELL);
    case 'alternates':
      return text(textCell(catalog.alternateCategories));
    case 'channels':
      return sql`array_to_string(channels, ';')`;
    case 'operation':
      return sql`${UPSERTED}`;
    case 'fact':
      return factCell(column.fact);
    case 'attribute':
      return attributeCell(catalog.attribute(column.attributeId), value, formatting, text);
  }
}

function attributeCell(
  attribute: AttributeDefinition,
  value: Sql,
  formatting: CellFormatting,
  text: (cell: Sql) => Sql,
): Sql {
  const { exportCell, isFreeText } = ATTRIBUTE_TYPES[attribute.type];
  const cell = exportCell(attribute, value, formatting);
  return isFreeText ? text(cell) : cell;
}

/**
 * Puts an apostrophe before each line of a text that a spreadsheet would execute as a formula; full-width signs are read
 * as the usual ones by some. Numbers do not need it.
 */
function withoutFormula(cell: Sql): Sql {
  return sql`regexp_replace(${cell}, ${'(^|[\r\n])(?=[-=+@\t\r＝＋－＠])'}, ${"\\1'"}, 'g')`;
}
