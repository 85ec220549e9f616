/** Has the status of variants follow the values of their parents. */
import type { Knex } from 'knex';
import type { ItemStatusCode } from '../../../../../db/models/item.js';
import type { ItemRules } from '../item-rules.js';
import { statusOf } from '../resolve/item-status.js';
import { inheritedValues, type Values } from '../resolve/kin.js';

/** Variants looked at in one go. */
const BATCH = 5_000;

interface Variant {
  readonly sku: string;
  readonly status: ItemStatusCode;
  readonly nodeId: number | null;
  readonly values: Values;
  readonly parentValues: Values;
}

/** @param parents items whose values were changed in this transaction; most have no variants */
export async function updateVariantStatuses(
  trx: Knex.Transaction,
  siteId: number,
  rules: ItemRules,
  parents: readonly string[],
): Promise<void> {
  for (let after = ''; ; ) {
    const variants = await lockVariants(trx, siteId, parents, after);
    const changed = variants.flatMap((variant) => {
      const status = statusUnder(variant, rules);
      return status === variant.status ? [] : [{ s: variant.sku, t: status }];
    });
    if (changed.length > 0) {
      // The source hash stays: the variant's own row would make the same of it.
      await trx.raw(
        `UPDATE item SET status = changed.t, updated_at = now()
         FROM jsonb_to_recordset(?::jsonb) AS changed (s text, t "char")
         WHERE item.site_id = ? AND item.sku = changed.s COLLATE "C"`,
        [JSON.stringify(changed), siteId],
      );
    }
    const last = variants.at(-1);
    if (last === undefined || variants.length < BATCH) return;
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
  parents: readonly string[],
  after: string,
): Promise<readonly Variant[]> {
  const result = await trx.raw(
    `SELECT variant.sku, variant.status, variant.node_id AS "nodeId", variant.attributes AS values,
            parent.attributes AS "parentValues"
     FROM item AS variant JOIN item AS parent ON parent.site_id = variant.site_id AND parent.sku = variant.parent_sku
     WHERE variant.site_id = :siteId AND variant.sku > :after
       AND variant.parent_sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:parents::jsonb) COLLATE "C"))
     ORDER BY variant.sku LIMIT ${BATCH} FOR NO KEY UPDATE OF variant`,
    { siteId, after, parents: JSON.stringify(parents) },
  );
  return result.rows;
}
