/** Builds the body of an export of items or bundles: the statement whose rows form the file, and its header. */
import { type Sql, sql } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { csvLine } from '../../formats/csv/csv-line.js';
import { writtenFormat } from '../model/export-format.js';
import type { ExportFormatting, ItemColumn, ItemMatch } from '../model/export-spec.js';
import { FIXED_HEADERS } from '../model/item-headers.js';
import type { ColumnsBody, CopyBody, WorkbookBody } from '../write/export-body.js';
import { ExportRefused } from '../write/export-refused.js';
import type { CellWriter, WorkbookColumn } from '../write/workbook-column.js';
import type { ItemCatalog } from './item-catalog.js';
import { columnsQuery, parquetColumn } from './item-columns.js';
import { type ItemScope, itemCondition } from './item-condition.js';
import { csvQuery, headerOf, leftCsv } from './item-csv.js';
import { FACT_SQL_COLUMNS } from './item-facts.js';
import { jsonQuery, leftLines } from './item-jsonl.js';
import { leftSkus } from './left-skus.js';

/** The maximum number of columns in a row that Postgres can write. */
const MAX_CSV_COLUMNS = 1600;

/**
 * @param requested the columns that the request names; null: all that an import reads
 * @param tagged whether any of the items is tagged with a channel
 * @throws ExportRefused when the definitions have changed since the request, or there are too many columns to write
 */
export function itemExport(
  catalog: ItemCatalog,
  scope: ItemScope,
  requested: readonly ItemColumn[] | null,
  formatting: ExportFormatting,
  tagged: boolean,
): CopyBody | WorkbookBody | ColumnsBody {
  requireTypes(scope.match, catalog);
  const rows = itemRows(scope);
  const { since } = scope;
  const wanted = requested ?? defaultColumns(catalog, scope.match, formatting, tagged);
  const columns = since === undefined ? wanted : [...wanted, { kind: 'operation' } as const];
  const left = since === undefined ? null : leftSkus(scope, since);
  const withLeft = (query: Sql, ofLeft: (skus: Sql) => Sql): Sql =>
    left === null ? query : sql`(${query}) UNION ALL (${ofLeft(left)})`;
  const written = writtenFormat(formatting.format).exports;
  if (written === 'lines') {
    const query = withLeft(jsonQuery(rows, columns, catalog), leftLines);
    return { counted: rows, query, format: 'raw', head: '' };
  }
  if (columns.length > MAX_CSV_COLUMNS) {
    const message = `the file would have ${columns.length} columns; at most ${MAX_CSV_COLUMNS} can be written. Name the columns that you need, or export JSONL`;
    throw new ExportRefused('TOO_MANY_COLUMNS', message);
  }
  if (written === 'columns') {
    const query = columnsQuery(rows, columns, catalog);
    return {
      counted: rows,
      query: withLeft(query, (skus) => leftCsv(skus, columns, false)),
      parquet: columns.map((column) => parquetColumn(column, catalog)),
    };
  }
  if (written === 'workbook') {
    // An import accepts ISO dates in addition to any other format, and date cells as they are.
    const query = csvQuery(rows, columns, catalog, {
      decimalSeparator: '.',
      escapeFormulas: false,
      isoDates: () => true,
    });
    return {
      counted: rows,
      query: withLeft(query, (skus) => leftCsv(skus, columns, false)),
      columns: columns.map((column) => workbookColumn(column, catalog)),
    };
  }
  const header = columns.map((column) => headerOf(column, catalog));
  return {
    counted: rows,
    query: withLeft(csvQuery(rows, columns, catalog, { ...formatting, isoDates: () => false }), (skus) =>
      leftCsv(skus, columns, formatting.escapeFormulas),
    ),
    format: { csv: { delimiter: formatting.delimiter } },
    head: `${csvLine(header, formatting)}\n`,
  };
}

/**
 * The cells of items as a profile converts them, as text for COPY.
 * @param isoDates whether the dates of a column are written in ISO 8601
 * @throws ExportRefused when the definitions have changed since the request
 */
export function itemCells(
  catalog: ItemCatalog,
  scope: ItemScope,
  columns: readonly ItemColumn[],
  isoDates: (column: number) => boolean,
): Pick<CopyBody, 'counted' | 'query'> {
  requireTypes(scope.match, catalog);
  const rows = itemRows(scope);
  const query = csvQuery(rows, columns, catalog, { decimalSeparator: '.', escapeFormulas: false, isoDates });
  return { counted: rows, query };
}

/**
 * JSON Lines begin with the SKU, as elements of the API do. Alternate categories and channels have a column only where
 * an item has any, because most sites have none.
 */
function defaultColumns(
  catalog: ItemCatalog,
  { types }: ItemMatch,
  { format }: Pick<ExportFormatting, 'format'>,
  tagged: boolean,
): ItemColumn[] {
  const isLines = writtenFormat(format).exports === 'lines';
  // An import would read such a column as the attribute of that name.
  const has = (kind: 'alternates' | 'channels') => isLines || !catalog.hasAttributeNamed(FIXED_HEADERS[kind]);
  const attributes = catalog.attributes.filter(({ id }) => id !== catalog.skuAttributeId);
  const [sku, category] = [{ kind: 'sku' }, { kind: 'category' }] as const;
  return [
    ...(isLines ? [sku, category] : [category, sku]),
    // A bundle cannot be a variant, and an import would reject a value in this column.
    ...(types.includes('I') ? [{ kind: 'parent' } as const] : []),
    ...(catalog.hasMemberships && has('alternates') ? [{ kind: 'alternates' } as const] : []),
    ...(tagged && has('channels') ? [{ kind: 'channels' } as const] : []),
    ...attributes.map(({ id }) => ({ kind: 'attribute', attributeId: id }) as const),
    ...(types.includes('B') ? [{ kind: 'bundleItems' } as const] : []),
  ];
}

/** The items of the export that are tagged with a channel. */
export function taggedItems(scope: ItemScope): Sql {
  return sql`SELECT FROM item AS i WHERE ${itemCondition(scope)} AND i.channels IS NOT NULL`;
}

/** Rejects a condition whose attribute has another type than when its values were checked: Postgres could fail. */
function requireTypes({ properties = [] }: ItemMatch, catalog: ItemCatalog): void {
  for (const { attributeId, type } of properties) {
    const attribute = catalog.attribute(attributeId);
    if (attribute.type === type) continue;
    const message = `the attribute "${attribute.name}" has become ${attribute.type} since the export was requested; request it again`;
    throw new ExportRefused('DEFINITIONS_CHANGED', message);
  }
}

/**
 * The items of an export in the byte order of SKUs, with `doc` for their attributes: a subquery for cells and lines.
 *
 * OFFSET 0 keeps Postgres from merging a subquery into the outer query, which would evaluate each expression wherever
 * it is used, some of them three times. The stored rows are sorted, not computed ones: the planner underestimates the
 * width of computed columns, and would sort millions of rows on disk instead of following the index. The empty object
 * is concatenated for its side effect: Postgres decompresses a long document once for it, instead of once for each
 * value.
 */
function itemRows(scope: ItemScope): Sql {
  const stored = sql`
    SELECT i.sku, i.node_id, i.parent_sku, ${FACT_SQL_COLUMNS}, i.attributes
    FROM item AS i WHERE ${itemCondition(scope)} ORDER BY i.sku OFFSET 0`;
  return sql`SELECT i.*, i.attributes || '{}'::jsonb AS doc FROM (${stored}) AS i OFFSET 0`;
}

/** Writes items as rows of a workbook: numbers, booleans and dates keep their types, and all else is text. */
function workbookColumn(column: ItemColumn, catalog: ItemCatalog): WorkbookColumn {
  const { cell, exportFormat } = cellsOf(column, catalog);
  return { column: { title: headerOf(column, catalog), format: exportFormat }, cell };
}

const TEXT_CELLS = { cell: (text: string) => text, exportFormat: 'text' } as const;

function cellsOf(column: ItemColumn, catalog: ItemCatalog): CellWriter {
  if (column.kind !== 'attribute') return TEXT_CELLS;
  const attribute = catalog.attribute(column.attributeId);
  return ATTRIBUTE_TYPES[attribute.type].workbook(attribute);
}
