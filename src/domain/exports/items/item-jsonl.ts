/** Items as JSON Lines: one element an item, in the shape that bulk requests and imports read. Loses nothing. */
import { joinSql, type Sql, sql } from '../../../../db/sql.js';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { ItemColumn } from '../export-spec.js';
import { BUNDLE_ITEMS_MEMBER } from './bundle-cells.js';
import type { ItemCatalog } from './item-catalog.js';
import { factJson } from './item-facts.js';

/** Members that one call of concat_ws joins: Postgres' functions take a hundred arguments at most. */
const MEMBERS_A_CALL = 80;

/** What a member stands behind: the brace for the first, a comma for the others. */
type Before = '{' | ',';

/**
 * Each line is put together as text, which costs half of what json_build_object takes for it.
 * @param rows as itemRows answers them
 * @param columns what to write of an item; values of attributes go into `attributes`, in this order
 */
export function jsonQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog): Sql {
  const members = membersOf(columns, catalog);
  // A member that may be missing cannot open the line.
  const first = members.findIndex(({ optional }) => !optional);
  const written = members.map(({ sql: member }, index) => member(index === first ? '{' : ','));
  const [opening] = first < 0 ? [] : written.splice(first, 1);
  if (opening === undefined) {
    return sql`SELECT '{' || substr(concat(${joinSql(written, ', ')}), 2) || '}' FROM (${rows}) AS v`;
  }
  return sql`SELECT concat(${joinSql([opening, ...written], ', ')}, '}') FROM (${rows}) AS v`;
}

interface Member {
  /** Arguments of concat; NULL: the item has no such member. */
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
    // Values come before what a bundle holds, as in the documentation.
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
      return { sql: () => sql`',"parentSku":' || to_json(v.parent_sku)`, optional: true };
    case 'bundleItems':
      return { sql: () => BUNDLE_ITEMS_MEMBER, optional: true };
    case 'fact':
      return { sql: (before) => sql`${`${before}"_${column.fact}":`}, ${factJson(column.fact)}`, optional: false };
  }
}

const TYPE_MEMBER = sql`CASE v.type WHEN 'B' THEN ',"type":"BUNDLE"' ELSE ',"type":"ITEM"' END`;

/** `"Name":value`; NULL: the item has none. */
function attributeMember({ id, name, type }: AttributeDefinition): Sql {
  const key = `${JSON.stringify(name)}:`;
  if (ATTRIBUTE_TYPES[type].storesBareJson) return sql`${key} || (v.doc ->> ${id})`;
  return sql`${key} || (v.doc -> ${id})::text`;
}

/** The members that are there, with commas between them. */
function joinMembers(members: readonly Sql[]): Sql {
  if (members.length <= MEMBERS_A_CALL) return sql`concat_ws(',', ${joinSql(members, ', ')})`;
  const groups: Sql[] = [];
  for (let from = 0; from < members.length; from += MEMBERS_A_CALL) {
    groups.push(sql`nullif(${joinMembers(members.slice(from, from + MEMBERS_A_CALL))}, '')`);
  }
  return joinMembers(groups);
}
