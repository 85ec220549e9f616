/** SQL that writes items as CSV or as JSON Lines, with every value as an import reads it. */

import type { Sql } from '../../../../db/sql.js';
import { joinSql, numbered, sql } from '../../../../db/sql.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { textCell } from '../../catalog/model/sql-cells.js';
import type { ExportFormatting, ItemColumn, ItemFact } from '../export-spec.js';
import { FIXED_HEADERS } from '../export-spec.js';
import type { ItemCatalog } from './item-catalog.js';

// Facts about an item, which imports ignore.

/** The columns of `item AS i` that the facts need. */
export const FACT_SQL_COLUMNS = sql`i.site_id, i.row_no, i.type, i.status, i.channels, i.created_at, i.updated_at`;

/** A fact as the text of a cell. */
function factCell(fact: ItemFact): Sql {
  switch (fact) {
    case 'itemId':
      return sql`lpad(to_hex(site_id), 8, '0') || lpad(to_hex(row_no), 16, '0')`;
    case 'type':
      return sql`CASE type WHEN 'B' THEN 'BUNDLE' ELSE 'ITEM' END`;
    case 'status':
      return sql`CASE status WHEN 'L' THEN 'LIVE' ELSE 'DRAFT' END`;
    case 'nodeId':
      return sql`node_id::text`;
    case 'channels':
      return sql`array_to_string(channels, ';')`;
    case 'createdOn':
      return instant(sql`created_at`);
    case 'modifiedOn':
      return instant(sql`updated_at`);
  }
}

/** A fact as JSON, as the API shows it. */
function factJson(fact: ItemFact): Sql {
  return fact === 'channels' || fact === 'nodeId'
    ? sql`coalesce(to_json(${fact === 'channels' ? sql`channels` : sql`node_id`})::text, 'null')`
    : sql`to_json(${factCell(fact)})::text`;
}

function instant(column: Sql): Sql {
  return sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

// The items of a bundle (`v.site_id`, `v.sku`).

/** `SKU-1:2;SKU-2:1`, with a backslash before a colon, semicolon or backslash in a SKU; NULL without items. */
const BUNDLE_ITEMS_CELL = sql`(
  SELECT string_agg(regexp_replace(b.sku, '[\\\\:;]', '\\\\\\&', 'g') || ':' || b.quantity, ';' ORDER BY b.position)
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku)`;

/** The JSON member, with a comma before it; NULL when the item is not a bundle. */
const BUNDLE_ITEMS_MEMBER = sql`CASE WHEN v.type = 'B' THEN (
  SELECT ',"bundleItems":[' || coalesce(string_agg(
    '{"sku":' || to_json(b.sku) || ',"quantity":' || b.quantity || '}', ',' ORDER BY b.position), '') || ']'
  FROM bundle_item AS b WHERE b.site_id = v.site_id AND b.bundle_sku = v.sku) END`;

/** The header of a column. */
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
  /** Whether dates are written in ISO 8601, whatever the format of their attribute. */
  readonly isoDates: boolean;
}

/** @param rows the subquery that itemRows returns */
export function csvQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog, formatting: Formatting): Sql {
  const values = columns.flatMap((column, index) =>
    column.kind === 'attribute' ? [sql`doc ->> ${column.attributeId} AS ${numbered('c', index)}`] : [],
  );
  const needed = sql`sku, node_id, parent_sku, site_id, row_no, type, status, channels, created_at, updated_at`;
  const extracted = sql`SELECT ${joinSql([needed, ...values], ', ')} FROM (${rows}) AS i OFFSET 0`;
  const cells = columns.map((column, index) => cellOf(column, numbered('c', index), catalog, formatting));
  return sql`SELECT ${joinSql(cells, ', ')} FROM (${extracted}) AS v`;
}

/** The parent as an import reads it: `detach` alone separates an item from its parent. */
const PARENT_SKU = sql`CASE WHEN v.parent_sku ~ ${'^\\\\*detach$'} THEN ${'\\'} || v.parent_sku ELSE v.parent_sku END`;

function cellOf(column: ItemColumn, value: Sql, catalog: ItemCatalog, formatting: Formatting): Sql {
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

/**
 * Puts an apostrophe before each line of a text that a spreadsheet would execute as a formula; full-width signs are read
 * as the usual ones by some. Numbers do not need it.
 */
function withoutFormula(cell: Sql): Sql {
  return sql`regexp_replace(${cell}, ${'(^|[\r\n])(?=[-=+@\t\r＝＋－＠])'}, ${"\\1'"}, 'g')`;
}

// JSON Lines: one element for each item, in the shape that bulk requests and imports read, without any loss.

/** How many members one call of concat_ws joins; Postgres' functions accept at most a hundred arguments. */
const MEMBERS_A_CALL = 80;

/** The character before a member: the brace for the first one, a comma for the others. */
type Before = '{' | ',';

/**
 * Builds each line as text, which takes half the time of json_build_object.
 * @param rows the subquery that itemRows returns
 * @param columns what to write of each item; values of attributes go into `attributes`, in this order
 */
export function jsonQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog): Sql {
  const members = membersOf(columns, catalog);
  // An optional member cannot be the first, because the brace would be missing with it.
  const first = members.findIndex(({ optional }) => !optional);
  const written = members.map(({ sql: member }, index) => member(index === first ? '{' : ','));
  const [opening] = first < 0 ? [] : written.splice(first, 1);
  if (opening === undefined) {
    return sql`SELECT '{' || substr(concat(${joinSql(written, ', ')}), 2) || '}' FROM (${rows}) AS v`;
  }
  return sql`SELECT concat(${joinSql([opening, ...written], ', ')}, '}') FROM (${rows}) AS v`;
}

interface Member {
  /** Arguments of concat; NULL when the item has no such member. */
  readonly sql: (before: Before) => Sql;
  readonly optional: boolean;
}

function membersOf(columns: readonly ItemColumn[], catalog: ItemCatalog): Member[] {
  const members: Member[] = [];
  const attributes = columns.flatMap((column) =>
    column.kind === 'attribute' ? [attributeMember(catalog.attribute(column.attributeId))] : [],
  );
  for (const column of columns) {
    if (column.kind === 'attribute') continue;
    // The values come before the items of a bundle, as in the documentation.
    if (column.kind === 'bundleItems') addAttributes(members, attributes.splice(0));
    members.push(memberOf(column, catalog));
  }
  addAttributes(members, attributes);
  return members;
}

function addAttributes(members: Member[], attributes: readonly Sql[]): void {
  if (attributes.length === 0) return;
  const joined = joinMembers(attributes);
  members.push({ sql: (before) => sql`${`${before}"attributes":{`}, ${joined}, '}'`, optional: false });
}

function memberOf(column: Exclude<ItemColumn, { kind: 'attribute' }>, catalog: ItemCatalog): Member {
  switch (column.kind) {
    case 'sku':
      return {
        sql: (before) => sql`${`${before}"sku":`}, to_json(v.sku), ${TYPE_MEMBER}`,
        optional: false,
      };
    case 'category':
      return { sql: (before) => sql`${`${before}"nodeName":`}, ${catalog.categoryPathJson}`, optional: false };
    case 'parent':
      return { sql: () => sql`',"parentSku":' || to_json(${PARENT_SKU})`, optional: true };
    case 'bundleItems':
      return { sql: () => BUNDLE_ITEMS_MEMBER, optional: true };
    case 'alternates':
      return { sql: () => sql`',"alternateCategories":' || ${catalog.alternateCategoriesJson}`, optional: true };
    case 'channels':
      return { sql: () => sql`',"channels":' || to_json(v.channels)::text`, optional: true };
    case 'fact':
      return { sql: (before) => sql`${`${before}"_${column.fact}":`}, ${factJson(column.fact)}`, optional: false };
  }
}

const TYPE_MEMBER = sql`CASE v.type WHEN 'B' THEN ',"type":"BUNDLE"' ELSE ',"type":"ITEM"' END`;

/** `"Name":value`; NULL when the item has no value. */
function attributeMember({ id, name, type }: AttributeDefinition): Sql {
  const key = `${JSON.stringify(name)}:`;
  switch (ATTRIBUTE_TYPES[type].jsonForm) {
    case 'bare':
      return sql`${key} || (v.doc ->> ${id})`;
    case 'quoted':
      return sql`${`${key}"`} || (v.doc ->> ${id}) || '"'`;
    case 'stored':
      return sql`${key} || (v.doc -> ${id})::text`;
  }
}

/** Joins the members that are not NULL with commas. */
function joinMembers(members: readonly Sql[]): Sql {
  if (members.length <= MEMBERS_A_CALL) return sql`concat_ws(',', ${joinSql(members, ', ')})`;
  const groups: Sql[] = [];
  for (let from = 0; from < members.length; from += MEMBERS_A_CALL) {
    groups.push(sql`nullif(${joinMembers(members.slice(from, from + MEMBERS_A_CALL))}, '')`);
  }
  return joinMembers(groups);
}
