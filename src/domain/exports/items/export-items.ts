/** Builds the body of an export of items or bundles: the statement whose rows form the file, and its header. */

import type { Sql } from '../../../../db/sql.js';
import { joinSql, sql, textArray } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { csvLine } from '../../formats/csv/csv-line.js';
import { FILE_FORMATS } from '../../formats/file-format.js';
import { containsPattern } from '../../kernel/contains-text.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type { ExportFormatting, ItemColumn, ItemMatch, PropertyCondition, TimeRange } from '../export-spec.js';
import { FIXED_HEADERS } from '../export-spec.js';
import type { CopyBody, WorkbookBody } from '../write/export-body.js';
import { ExportRefused } from '../write/export-refused.js';
import type { ItemCatalog } from './item-catalog.js';
import { csvQuery, FACT_SQL_COLUMNS, headerOf, jsonQuery } from './item-csv.js';
import { workbookColumn } from './item-xlsx.js';

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
): CopyBody | WorkbookBody {
  requireTypes(scope.match, catalog);
  const rows = itemRows(scope);
  const columns = requested ?? defaultColumns(catalog, scope.match, formatting, tagged);
  const written = FILE_FORMATS[formatting.format].exports;
  if (written === 'lines') {
    return { counted: rows, query: jsonQuery(rows, columns, catalog), format: 'raw', head: '' };
  }
  if (columns.length > MAX_CSV_COLUMNS) {
    const message = `the file would have ${columns.length} columns; at most ${MAX_CSV_COLUMNS} can be written. Name the columns that you need, or export JSONL`;
    throw new ExportRefused('TOO_MANY_COLUMNS', message);
  }
  if (written === 'workbook') {
    // An import accepts ISO dates in addition to any other format, and date cells as they are.
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
  const isLines = FILE_FORMATS[format].exports === 'lines';
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

// The condition on the items of an export, as SQL over `item AS i`.

/** The number of item types: items and bundles. */
const ALL_TYPES = 2;

interface ItemScope {
  readonly siteId: number;
  /** Only items of this channel and untagged ones; null: all. */
  readonly channel: number | null;
  /** Only items changed up to this instant, ISO 8601; null: all. */
  readonly date: string | null;
  readonly match: ItemMatch;
}

/** The condition that all items of the export meet. */
function itemCondition({ siteId, channel, date, match }: ItemScope): Sql {
  const conditions = [sql`i.site_id = ${siteId}`];
  // The stored column is compared, because the planner has no statistics for an expression and would expect few rows.
  const types = match.types.map((type) => sql`i.type = ${type}`);
  if (types.length < ALL_TYPES) conditions.push(sql`(${joinSql(types, ' OR ')})`);
  if (channel !== null) conditions.push(sql`(i.channels IS NULL OR ${channel} = ANY(i.channels))`);
  if (date !== null) conditions.push(sql`i.updated_at < ${pastInstant(date)}::timestamptz`);
  if (match.skus !== undefined) conditions.push(sql`i.sku = ANY(${textArray(match.skus)})`);
  if (match.rowNos !== undefined) conditions.push(sql`i.row_no = ANY(${textArray(match.rowNos)}::bigint[])`);
  if (match.status !== undefined) conditions.push(sql`i.status = ${match.status}`);
  if (match.categoryIds !== undefined) conditions.push(withinCategories(siteId, match.categoryIds));
  conditions.push(...timeConditions(sql`i.created_at`, match.createdAt));
  conditions.push(...timeConditions(sql`i.updated_at`, match.updatedAt));
  conditions.push(...(match.properties ?? []).map(propertyTest));
  return joinSql(conditions, ' AND ');
}

/** @param column a timestamptz */
function timeConditions(column: Sql, { from, to }: TimeRange = {}): Sql[] {
  return [
    ...(from === undefined ? [] : [sql`${column} >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql`${column} < ${pastInstant(to)}::timestamptz`]),
  ];
}

/** Items in the categories and below: by node id in the primary tree, by category_item in alternate trees. */
function withinCategories(siteId: number, ids: readonly string[]): Sql {
  const below = sql`
    SELECT c.id, c.node_id, c.tree FROM category AS top JOIN category AS c ON c.site_id = top.site_id AND c.path ^@ top.path
    WHERE top.site_id = ${siteId} AND top.id = ANY(${textArray(ids)})`;
  return sql`(
    i.node_id IN (SELECT node_id FROM (${below}) AS b WHERE b.tree = 'PRIMARY')
    OR i.sku IN (SELECT ci.sku FROM (${below}) AS b JOIN category_item AS ci ON ci.category_id = b.id WHERE b.tree = 'ALTERNATE'))`;
}

function propertyTest({ attributeId, type, comparison, test }: PropertyCondition): Sql {
  const stored = sql`(i.attributes ->> ${attributeId})`;
  const value = ATTRIBUTE_TYPES[type].comparable(stored, comparison);
  switch (test.op) {
    case 'EXISTS':
      return test.exists ? sql`${stored} IS NOT NULL` : sql`${stored} IS NULL`;
    case 'CONTAINS':
      return sql`${value} ILIKE ${containsPattern(test.text)}`;
    case 'IN':
      return isAnyOf(value, comparison, test.values);
    case 'NOT_IN':
      // An item without a value matches too.
      return sql`(${isAnyOf(value, comparison, test.values)}) IS NOT TRUE`;
    case 'RANGE': {
      const ends = [
        ...(test.from === undefined ? [] : [atLeast(value, comparison, test.from)]),
        ...(test.to === undefined ? [] : [atMost(value, comparison, test.to)]),
      ];
      return joinSql(ends, ' AND ');
    }
  }
}

function isAnyOf(value: Sql, comparison: PropertyCondition['comparison'], values: readonly string[]): Sql {
  if (comparison === 'text') return sql`${value} = ANY(${textArray(values)})`;
  if (comparison === 'number') return sql`${value}::numeric = ANY(${textArray(values)}::numeric[])`;
  const days = values.filter(isDay);
  const instants = values.filter((one) => !isDay(one));
  return sql`(${dayOf(value)} = ANY(${textArray(days)}) OR ${instantOf(value)} = ANY(${textArray(instants)}))`;
}

function atLeast(value: Sql, comparison: PropertyCondition['comparison'], end: string): Sql {
  if (comparison === 'number') return sql`${value}::numeric >= ${end}::numeric`;
  return sql`${isDay(end) ? dayOf(value) : instantOf(value)} COLLATE "C" >= ${end}`;
}

function atMost(value: Sql, comparison: PropertyCondition['comparison'], end: string): Sql {
  if (comparison === 'number') return sql`${value}::numeric <= ${end}::numeric`;
  return sql`${isDay(end) ? dayOf(value) : instantOf(value)} COLLATE "C" <= ${end}`;
}

const DAY_CHARACTERS = 10;

function isDay(date: string): boolean {
  return date.length === DAY_CHARACTERS;
}

/** The day of a value, because a requested day includes all its instants. */
function dayOf(value: Sql): Sql {
  return sql`left(${value}, ${DAY_CHARACTERS})`;
}

/** The instant of a value; a value that is a day counts as its first instant. */
function instantOf(value: Sql): Sql {
  return sql`(CASE WHEN length(${value}) = ${DAY_CHARACTERS} THEN ${value} || 'T00:00:00.000Z' ELSE ${value} END)`;
}
