/** Items as JSON Lines: one element an item, in the shape that bulk requests and imports read. Loses nothing. */
import { joinSql, type Sql, sql } from '../../../../db/sql.js';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { BUNDLE_ITEMS_MEMBER } from './bundle-cells.js';
import type { ItemCatalog } from './item-catalog.js';
import type { ItemColumn } from './item-columns.js';
import { factJson } from './item-facts.js';

/** Members that one call of concat_ws joins: Postgres' functions take a hundred arguments at most. */
const MEMBERS_A_CALL = 80;

/**
 * Each line is put together as text: a million of them cost half of what json_build_object takes for it.
 * @param rows as itemRows answers them
 * @param columns what to write of an item; values of attributes go into `attributes`, in this order
 */
export function jsonQuery(rows: Sql, columns: readonly ItemColumn[], catalog: ItemCatalog): Sql {
  const attributes = columns.flatMap((column) =>
    column.kind === 'attribute' ? [attributeMember(catalog.attribute(column.attributeId))] : [],
  );
  const members = columns.flatMap((column) => memberOf(column, catalog) ?? []);
  if (attributes.length > 0) {
    // They come before what a bundle holds, as in the documentation.
    const at = columns.some(({ kind }) => kind === 'bundleItems') ? members.length - 1 : members.length;
    members.splice(at, 0, sql`',"attributes":{' || ${joinMembers(attributes)} || '}'`);
  }
  return sql`SELECT '{' || substr(concat(${joinSql(members, ', ')}), 2) || '}' FROM (${rows}) AS v`;
}

/** A member with the comma before it; NULL: none. Undefined: it is no member of its own. */
function memberOf(column: ItemColumn, catalog: ItemCatalog): Sql | undefined {
  switch (column.kind) {
    case 'sku':
      return sql`',"sku":' || to_json(v.sku), CASE v.type WHEN 'B' THEN ',"type":"BUNDLE"' ELSE ',"type":"ITEM"' END`;
    case 'category':
      return sql`',"nodeName":' || ${catalog.categoryPathJson}`;
    case 'parent':
      return sql`',"parentSku":' || to_json(v.parent_sku)`;
    case 'bundleItems':
      return BUNDLE_ITEMS_MEMBER;
    case 'fact':
      return sql`${`,"_${column.fact}":`} || ${factJson(column.fact)}`;
    case 'attribute':
      return undefined;
  }
}

/** `"Name":value`; NULL: the item has none. */
function attributeMember({ id, name, type }: AttributeDefinition): Sql {
  const key = `${JSON.stringify(name)}:`;
  // The text of a number or boolean is its JSON.
  if (type === 'INTEGER' || type === 'SERIAL' || type === 'BOOLEAN') return sql`${key} || (v.doc ->> ${id})`;
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
