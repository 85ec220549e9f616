/** Records what a transaction has changed, in that transaction: if it is undone, so is the record. */
import type { Knex } from 'knex';
import { prepared } from '../../../db/prepared.js';
import type { Changes } from './model/item-change.js';

/** What was changed for one job, or by one request. */
export interface ChangedSite {
  readonly siteId: number;
  /** Null: a request that is no job. */
  readonly jobId: string | null;
  /** Who asked for it: "token:5f…". Null: the system itself. */
  readonly actor: string | null;
  /** Whether nothing was changed, but would have been: a dry run. Its record is written after the changes were undone. */
  readonly isPreview?: boolean;
  readonly changes: Changes;
}

/**
 * Records changes with one statement, while the rows of the items are still locked: the order of the records of an item is
 * the order of its changes.
 */
export async function recordChanges(trx: Knex.Transaction, sites: readonly ChangedSite[]): Promise<void> {
  const changed = sites.filter(({ changes }) => changes.created.length + changes.changed.length > 0);
  if (changed.length === 0) return;
  const sets = changed.map(({ siteId, jobId, actor, isPreview = false, changes }) => ({
    ...{ s: siteId, j: jobId, w: actor, p: isPreview },
    ...(changes.created.length > 0 ? { c: changes.created, r: changes.createdRows } : {}),
    u: changes.changed.map(({ sku, operation, row, changed }) => ({ k: sku, o: operation, r: row, d: changed })),
  }));
  const some = changed.some(({ changes }) => changes.changed.length > 0);
  await prepared(trx, some ? RECORD_ALL : RECORD_SETS, [JSON.stringify(sets)]);
}

/** Deletes what an earlier attempt at a dry run has recorded. */
export async function forgetPreview(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw(
    `WITH gone AS (DELETE FROM change_set WHERE job_id = ? AND preview RETURNING id, at)
     DELETE FROM item_change USING gone WHERE item_change.set_id = gone.id AND item_change.at = gone.at`,
    [jobId],
  );
}

/** Read as `json` where there are creations only, which is faster; as `jsonb` where changes are taken from it and stored. */
const given = (json: 'json' | 'jsonb') => `
  WITH given AS MATERIALIZED (
    SELECT nextval('change_set_id_seq') AS id, one.* FROM ${json}_to_recordset(?::${json})
      AS one (s integer, j text, w text, p boolean, c text[], r integer[], u ${json})
  )`;

const INSERT_SETS = `
  INSERT INTO change_set (id, site_id, job_id, actor, preview, created, created_rows)
  SELECT id, s, j, w, p, c, r FROM given`;

const RECORD_SETS = `${given('json')} ${INSERT_SETS}`;

const RECORD_ALL = `${given('jsonb')}, sets AS (${INSERT_SETS})
  INSERT INTO item_change (set_id, n, site_id, operation, row_no, sku, changed)
  SELECT given.id, change.n, given.s, (change.one ->> 'o')::"char", (change.one ->> 'r')::integer, change.one ->> 'k',
    change.one -> 'd'
  FROM given CROSS JOIN LATERAL jsonb_array_elements(given.u) WITH ORDINALITY AS change (one, n)`;
