/** Records deletions of many items that no row names, in the transaction that deletes them, without reading the items. */
import type { Knex } from 'knex';
import { OPERATION } from './model/item-change.js';

interface Deleted {
  /** SQL on a row of `item`: what it was like, as the text of JSON. */
  readonly image: string;
  /** SQL: which items. Their rows are locked, and they are still there. */
  readonly which: string;
  readonly bindings: Readonly<Record<string, string>>;
}

export async function recordDeletions(
  trx: Knex.Transaction,
  {
    id: jobId,
    site_id: siteId,
    actor,
  }: { readonly id: string; readonly site_id: number; readonly actor: string | null },
  { image, which, bindings }: Deleted,
): Promise<void> {
  await trx.raw(
    `WITH given AS MATERIALIZED (SELECT nextval('change_set_id_seq') AS id), sets AS (
       INSERT INTO change_set (id, site_id, job_id, actor) SELECT id, :siteId, :jobId, :actor::text FROM given
     )
     INSERT INTO item_change (set_id, n, site_id, operation, sku, changed)
     SELECT given.id, row_number() OVER (ORDER BY item.sku), :siteId, '${OPERATION.deleted}', item.sku, (${image})::jsonb
     FROM given CROSS JOIN item WHERE ${which} ORDER BY item.sku`,
    { siteId, jobId, actor, ...bindings },
  );
}
