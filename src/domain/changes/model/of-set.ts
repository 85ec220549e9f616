import { type Sql, sql } from '../../../../db/sql.js';

/**
 * SQL: the changes of a set, behind `change_set AS set`. They are read by their key, set by set: joined, a log that was
 * never analyzed is read as a whole, for the ten changes of one job.
 */
function ofSet(table: Sql): Sql {
  return sql`CROSS JOIN LATERAL (
    SELECT * FROM ${table} AS own WHERE own.set_id = set.id AND own.at = set.at OFFSET 0) AS change`;
}

export const ITEM_CHANGES = ofSet(sql`item_change`);
export const DEFINITION_CHANGES = ofSet(sql`definition_change`);
