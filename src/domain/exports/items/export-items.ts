/** What an export of items or bundles is made of: the statement whose rows are the file, and what stands above them. */

import type { Sql } from '../../../../db/sql.js';
import { sql } from '../../../../db/sql.js';
import { csvLine } from '../../formats/csv/csv-line.js';
import { FILE_FORMATS } from '../../formats/file-format.js';
import type { ExportFormatting, ItemColumn, ItemMatch } from '../export-spec.js';
import type { CopyBody, WorkbookBody } from '../write/export-body.js';
import { ExportRefused } from '../write/export-refused.js';
import type { ItemCatalog } from './item-catalog.js';
import { csvQuery, headerOf } from './item-csv.js';
import { FACT_SQL_COLUMNS } from './item-facts.js';
import type { ItemScope } from './item-filter.js';
import { itemCondition } from './item-filter.js';
import { jsonQuery } from './item-jsonl.js';
import { workbookColumn } from './item-xlsx.js';

/** Postgres writes so many columns of a row, and no more. */
const MAX_CSV_COLUMNS = 1600;

/**
 * @param asked the columns that the request names; null: all that an import reads
 * @throws ExportRefused when the definitions have changed since it was asked for, or CSV cannot hold that many columns
 */
export function itemExport(
  catalog: ItemCatalog,
  scope: ItemScope,
  asked: readonly ItemColumn[] | null,
  formatting: ExportFormatting,
): CopyBody | WorkbookBody {
  requireTypes(scope.match, catalog);
  const rows = itemRows(scope);
  const columns = asked ?? defaultColumns(catalog, scope.match, formatting);
  const written = FILE_FORMATS[formatting.format].exports;
  if (written === 'lines') {
    return { counted: rows, query: jsonQuery(rows, columns, catalog), format: 'raw', head: '' };
  }
  if (columns.length > MAX_CSV_COLUMNS) {
    const message = `the file would have ${columns.length} columns; at most ${MAX_CSV_COLUMNS} can be written. Name the columns that you need, or export JSONL`;
    throw new ExportRefused('TOO_MANY_COLUMNS', message);
  }
  if (written === 'workbook') {
    // The import reads ISO beside any format, and a date as it is.
    const query = csvQuery(rows, columns, catalog, { decimalSeparator: '.', escapeFormulas: false, isoDates: true });
    return { counted: rows, query, columns: columns.map((column) => workbookColumn(column, catalog)) };
  }
  const header = columns.map((column) => headerOf(column, catalog));
  return {
    counted: rows,
    query: csvQuery(rows, columns, catalog, { ...formatting, isoDates: false }),
    format: { csv: { delimiter: formatting.delimiter } },
    head: `${csvLine(header, formatting)}\n`,
  };
}

/** JSON begins with the key, as the API does. */
function defaultColumns(
  catalog: ItemCatalog,
  { types }: ItemMatch,
  { format }: Pick<ExportFormatting, 'format'>,
): ItemColumn[] {
  const attributes = catalog.attributes.filter(({ id }) => id !== catalog.skuAttributeId);
  const [sku, category] = [{ kind: 'sku' }, { kind: 'category' }] as const;
  return [
    ...(FILE_FORMATS[format].exports === 'lines' ? [sku, category] : [category, sku]),
    // A bundle is no variant; a column for it would not import.
    ...(types.includes('I') ? [{ kind: 'parent' } as const] : []),
    ...attributes.map(({ id }) => ({ kind: 'attribute', attributeId: id }) as const),
    ...(types.includes('B') ? [{ kind: 'bundleItems' } as const] : []),
  ];
}

/** A condition's values were checked against a type: were it another now, Postgres would stumble over them. */
function requireTypes({ properties = [] }: ItemMatch, catalog: ItemCatalog): void {
  for (const { attributeId, type } of properties) {
    const attribute = catalog.attribute(attributeId);
    if (attribute.type === type) continue;
    const message = `the attribute "${attribute.name}" has become ${attribute.type} since the export was asked for; ask again`;
    throw new ExportRefused('DEFINITIONS_CHANGED', message);
  }
}

// The items of an export in the byte order of SKUs, as a subquery that cells and lines are made of.

/**
 * Items in order, with `doc` for their attributes.
 *
 * OFFSET 0 keeps Postgres from merging a subquery into the one around it, which would work out every expression
 * where it is used, and use some three times. The rows are put in order as they are stored: of what is made of a column
 * the planner takes the width for small, and would rather sort millions of rows on disk than follow the index.
 * The empty object is there for its side effect: a long document is unpacked for it once, where every single value would
 * unpack it anew.
 */
function itemRows(scope: ItemScope): Sql {
  const stored = sql`
    SELECT i.sku, i.node_id, i.parent_sku, ${FACT_SQL_COLUMNS}, i.attributes
    FROM item AS i WHERE ${itemCondition(scope)} ORDER BY i.sku OFFSET 0`;
  return sql`SELECT i.*, i.attributes || '{}'::jsonb AS doc FROM (${stored}) AS i OFFSET 0`;
}
