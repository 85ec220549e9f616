/**
 * SQL: the changes of a set, behind `change_set AS set`. They are read by their key, set by set: joined, a log that was
 * never analyzed is read as a whole, for the ten changes of one job.
 */
function ofSet(table: string): string {
  return `CROSS JOIN LATERAL (
    SELECT * FROM ${table} AS own WHERE own.set_id = set.id AND own.at = set.at OFFSET 0) AS change`;
}

export const ITEM_CHANGES = ofSet('item_change');
export const DEFINITION_CHANGES = ofSet('definition_change');
