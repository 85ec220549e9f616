/** Updates the status of variants whose parents changed. */
import type { Knex } from 'knex';
import type { ItemStatusCode } from '../../../../../db/models/item.js';
import type { ItemChange } from '../../../changes/model/item-change.js';
import type { ItemRules } from '../item-rules.js';
import { statusOf } from '../resolve/item-status.js';
import { inheritedValues, type Values } from '../resolve/relations.js';
import { heldItem, KEEPING_TIME_OF_ROWS } from '../resolve/stored-item.js';
import { statusChange } from '../status-change.js';

/** How many variants one statement reads. */
const BATCH = 5_000;

interface Variant {
  readonly sku: string;
  readonly parentSku: string;
  readonly status: ItemStatusCode;
  readonly nodeId: number | null;
  readonly values: Values;
  readonly parentValues: Values;
}

/**
 * @param parents items whose values this transaction changed, and the row that did so; most have no variants
 * @returns the variants whose status changed
 */
export async function updateVariantStatuses(
  trx: Knex.Transaction,
  siteId: number,
  rules: ItemRules,
  parents: ReadonlyMap<string, number>,
): Promise<ItemChange[]> {
  const changes: ItemChange[] = [];
  const skus = JSON.stringify([...parents.keys()]);
  for (let after = ''; ; ) {
    const variants = await lockVariants(trx, siteId, skus, after);
    const changed = variants.flatMap((variant) => {
      const status = statusUnder(variant, rules);
      return status === variant.status ? [] : [{ sku: variant.sku, t: status, parentSku: variant.parentSku }];
    });
    if (changed.length > 0) {
      // The source hash stays, because the variant's own row would give the same result.
      await trx.raw(
        `UPDATE item SET status = changed.t, updated_at = now(), ${KEEPING_TIME_OF_ROWS}
         FROM jsonb_to_recordset(?::jsonb) AS changed (sku text, t "char") ${heldItem('changed')}
         WHERE item.ctid = held.place`,
        [JSON.stringify(changed.map(({ sku, t }) => ({ sku, t }))), siteId],
      );
    }
    for (const { sku, t, parentSku } of changed) changes.push(statusChange(sku, t, parents.get(parentSku)));
    const last = variants.at(-1);
    if (last === undefined || variants.length < BATCH) return changes;
    after = last.sku;
  }
}

function statusUnder({ status, nodeId, values, parentValues }: Variant, rules: ItemRules): ItemStatusCode {
  const category = nodeId === null ? undefined : rules.ofCategory(nodeId);
  if (category === undefined) return status;
  return statusOf(values, inheritedValues(parentValues, category, rules), category, rules);
}

async function lockVariants(
  trx: Knex.Transaction,
  siteId: number,
  parents: string,
  after: string,
): Promise<readonly Variant[]> {
  const result = await trx.raw(
    `WITH next AS MATERIALIZED (
       SELECT variant.sku, parent.sku AS parent_sku FROM jsonb_array_elements_text(:parents::jsonb) AS parent (sku)
       CROSS JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND parent_sku = parent.sku COLLATE "C" OFFSET 0) AS variant
       WHERE variant.sku > :after ORDER BY variant.sku LIMIT ${BATCH}
     )
     SELECT variant.sku, next.parent_sku AS "parentSku", variant.status, variant.node_id AS "nodeId", variant.attributes AS values,
            parent.attributes AS "parentValues"
     FROM next CROSS JOIN LATERAL (
       SELECT sku, status, node_id, attributes FROM item
       WHERE site_id = :siteId AND sku = next.sku AND parent_sku = next.parent_sku COLLATE "C"
       LIMIT 1 FOR NO KEY UPDATE) AS variant
     CROSS JOIN LATERAL (
       SELECT attributes FROM item WHERE site_id = :siteId AND sku = next.parent_sku COLLATE "C" LIMIT 1) AS parent
     ORDER BY variant.sku`,
    { siteId, after, parents },
  );
  return result.rows;
}
