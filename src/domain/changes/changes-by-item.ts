/** Reads what jobs have changed item by item. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Differences } from './model/item-change.js';
import { ITEM_CHANGES } from './model/of-set.js';

/** How many changes are in memory at once. */
const FETCHED = 2_000;

/** A change that was made on its own account: a status that follows from another change is none. */
export interface OwnChange {
  readonly sku: string;
  readonly setId: number;
  readonly at: Date;
  /** C: created, U: updated, D: deleted. */
  readonly operation: 'C' | 'U' | 'D';
  readonly changed: Differences;
}

/**
 * Yields the changes of jobs in the order of SKUs, those of an item in the order in which they were made. Postgres sorts
 * them: a job may have changed a million items.
 */
export async function* changesByItem(trx: Knex.Transaction, jobIds: readonly string[]): AsyncGenerator<OwnChange> {
  await trx.raw(`DECLARE changes_by_item NO SCROLL CURSOR FOR ${BY_ITEM}`, { jobIds: [...jobIds] });
  for (;;) {
    const { rows } = await trx.raw<{ rows: OwnChange[] }>(`FETCH ${FETCHED} FROM changes_by_item`);
    yield* rows;
    if (rows.length < FETCHED) break;
  }
  await trx.raw('CLOSE changes_by_item');
}

const BY_ITEM = `
  SELECT sku, "setId", at, operation, changed FROM (
    SELECT created.sku, set.id AS "setId", set.at, 0 AS n, 'C' AS operation, '{}'::jsonb AS changed
    FROM change_set AS set CROSS JOIN LATERAL unnest(set.created) AS created (sku)
    WHERE set.job_id = ANY (:jobIds) AND NOT set.preview
    UNION ALL
    SELECT change.sku, set.id, set.at, change.n, change.operation::text, change.changed
    FROM change_set AS set ${ITEM_CHANGES.text}
    WHERE set.job_id = ANY (:jobIds) AND NOT set.preview AND change.operation IN ('U', 'D')) AS change
  ORDER BY sku COLLATE "C", "setId", n`;

/** Those of the jobs that have created, updated or deleted an item, a definition, or something around these. */
export async function jobsWithChanges(db: Db, jobIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM unnest(:jobIds::text[]) AS wanted (id) WHERE EXISTS (
       SELECT FROM change_set AS set WHERE set.job_id = wanted.id COLLATE "C" AND NOT set.preview AND (
         set.created IS NOT NULL OR EXISTS (
           SELECT FROM item_change AS change
           WHERE change.set_id = set.id AND change.at = set.at AND change.operation IN ('U', 'D'))
         OR EXISTS (
           SELECT FROM definition_change AS change WHERE change.set_id = set.id AND change.at = set.at)))
       OR EXISTS (SELECT FROM surrounding_change AS change WHERE change.job_id = wanted.id COLLATE "C" AND NOT change.preview)`,
    { jobIds: [...jobIds] },
  );
  return new Set(rows.map(({ id }) => id));
}
