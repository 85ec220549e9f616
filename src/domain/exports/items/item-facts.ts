/** Facts about an item, which imports ignore. */
import { type Sql, sql } from '../../../../db/sql.js';
import type { ItemFact } from '../model/export-spec.js';

/** The columns of `item AS i` that the facts need. */
export const FACT_SQL_COLUMNS = sql`i.site_id, i.row_no, i.type, i.status, i.channels, i.created_at, i.updated_at`;

/** A fact as the text of a cell. */
export function factCell(fact: ItemFact): Sql {
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
export function factJson(fact: ItemFact): Sql {
  return fact === 'channels' || fact === 'nodeId'
    ? sql`coalesce(to_json(${fact === 'channels' ? sql`channels` : sql`node_id`})::text, 'null')`
    : sql`to_json(${factCell(fact)})::text`;
}

function instant(column: Sql): Sql {
  return sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
