/** The condition on the items of an export, as SQL over `item AS i`. */
import { joinSql, type Sql, sql, textArray } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { FeedPlace } from '../../changes/feed-cursor.js';
import { containsPatterns, writtenForms } from '../../kernel/contains-text.js';
import { pastInstant } from '../../kernel/past-instant.js';
import type { ItemMatch, PropertyCondition, TimeRange } from '../model/export-spec.js';
import { changedSkus } from './changed-skus.js';

/** The number of item types: items and bundles. */
const ALL_TYPES = 2;

export interface ItemScope {
  readonly siteId: number;
  /** Only items of this channel and untagged ones; null: all. */
  readonly channel: number | null;
  /** Only items changed up to this instant, ISO 8601; null: all. */
  readonly date: string | null;
  readonly match: ItemMatch;
  /** Only items changed after this place in the feed of changes. */
  readonly since?: FeedPlace | undefined;
}

/** The condition that all items of the export meet. */
export function itemCondition({ siteId, channel, date, match, since }: ItemScope): Sql {
  const conditions = [sql`i.site_id = ${siteId}`];
  // The stored column is compared, because the planner has no statistics for an expression and would expect few rows.
  const types = match.types.map((type) => sql`i.type = ${type}`);
  if (types.length < ALL_TYPES) conditions.push(sql`(${joinSql(types, ' OR ')})`);
  if (channel !== null) conditions.push(sql`(i.channels IS NULL OR ${channel} = ANY(i.channels))`);
  if (date !== null) conditions.push(sql`i.updated_at < ${pastInstant(date)}::timestamptz`);
  if (match.skus !== undefined) conditions.push(sql`i.sku = ANY(${textArray(match.skus)})`);
  if (match.rowNos !== undefined) conditions.push(sql`i.row_no = ANY(${textArray(match.rowNos)}::bigint[])`);
  if (match.skuPrefix !== undefined) conditions.push(sql`i.sku ^@ ${match.skuPrefix}`);
  if (match.words !== undefined) conditions.push(wordsCondition(match.words));
  if (match.status !== undefined) conditions.push(sql`i.status = ${match.status}`);
  if (match.categoryIds !== undefined) conditions.push(withinCategories(siteId, match.categoryIds));
  if (since !== undefined) conditions.push(sql`i.sku IN (${changedSkus(siteId, since)})`);
  conditions.push(...timeConditions(sql`i.created_at`, match.createdAt));
  conditions.push(...timeConditions(sql`i.updated_at`, match.updatedAt));
  conditions.push(...(match.properties ?? []).map(propertyTest));
  return joinSql(conditions, ' AND ');
}

/** A part of the SKU or of the title, in any case. */
function wordsCondition({ text, titleId }: NonNullable<ItemMatch['words']>): Sql {
  const patterns = textArray(containsPatterns(text));
  // SKUs are in the order of bytes, in which only the letters from A to Z have another case.
  const inSku = sql`i.sku COLLATE "default" ILIKE ANY(${patterns})`;
  return titleId === undefined ? inSku : sql`(${inSku} OR (i.attributes ->> ${titleId}) ILIKE ANY(${patterns}))`;
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
      return sql`${value} ILIKE ANY(${textArray(containsPatterns(test.text))})`;
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
  if (comparison === 'text') return sql`${value} = ANY(${textArray(values.flatMap(writtenForms))})`;
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
