/** What an export of items or bundles is made of: the statement whose rows are the file, and what stands above them. */
import type { Sql } from '../../../../db/sql.js';
import { joinSql, sql, textArray } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { csvLine } from '../../formats/csv/csv-line.js';
import { FILE_FORMATS } from '../../formats/file-format.js';
import { containsPattern } from '../../kernel/contains-text.js';
import type { ExportFormatting, ItemColumn, ItemMatch, PropertyCondition, TimeRange } from '../export-spec.js';
import type { CopyBody, WorkbookBody } from '../write/export-body.js';
import { ExportRefused } from '../write/export-refused.js';
import type { ItemCatalog } from './item-catalog.js';
import { csvQuery, FACT_SQL_COLUMNS, headerOf, jsonQuery } from './item-csv.js';
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

// Which items an export holds, as SQL over `item AS i`.

/** Items and bundles. */
const ALL_TYPES = 2;

interface ItemScope {
  readonly siteId: number;
  /** Only items of this channel and untagged ones; null: all. */
  readonly channel: number | null;
  /** Only items changed up to this instant, ISO 8601; null: all. */
  readonly date: string | null;
  readonly match: ItemMatch;
}

/** The condition that an item of the export meets. */
function itemCondition({ siteId, channel, date, match }: ItemScope): Sql {
  const conditions = [sql`i.site_id = ${siteId}`];
  // Compared as it is stored: of an expression the planner knows nothing, and believes that few rows have it.
  const types = match.types.map((type) => sql`i.type = ${type}`);
  if (types.length < ALL_TYPES) conditions.push(sql`(${joinSql(types, ' OR ')})`);
  if (channel !== null) conditions.push(sql`(i.channels IS NULL OR ${channel} = ANY(i.channels))`);
  if (date !== null) conditions.push(sql`i.updated_at <= ${date}::timestamptz`);
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
    ...(to === undefined ? [] : [sql`${column} <= ${to}::timestamptz`]),
  ];
}

/** Items of the categories and of those below: of the primary tree by their place, of alternate trees by what was put there. */
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
      // An item without a value has none of these either.
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

/** A day that is asked for takes in all its instants. */
function dayOf(value: Sql): Sql {
  return sql`left(${value}, ${DAY_CHARACTERS})`;
}

/** A value that is a day stands at its first instant. */
function instantOf(value: Sql): Sql {
  return sql`(CASE WHEN length(${value}) = ${DAY_CHARACTERS} THEN ${value} || 'T00:00:00.000Z' ELSE ${value} END)`;
}
