/** Writes the resolved rows of a chunk: items, and what belongs to them. */
import type { Knex } from 'knex';
import type { ItemStatusCode } from '../../../../../db/models/item.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemState } from '../resolve/item-state.js';
import type { Values } from '../resolve/relations.js';
import { inheritedValues, statusOf } from '../resolve/relations.js';
import type { Resolution, ResolvedRow } from '../resolve/resolve-dependent-rows.js';
import { raiseSerials } from '../resolve/serials.js';
import { heldItem, KEEPING_TIME_OF_ROWS } from '../resolve/stored-item.js';
import { copyNewItems, type NewItems, updateItems } from './write-items.js';

/** @returns false when an insert collided; the transaction is then back at the savepoint before the rows */
export async function writeResolved(
  trx: Knex.Transaction,
  resolution: Resolution,
  { siteId, rules, guarded }: ApplyItems,
): Promise<boolean> {
  await resolution.storeBesides(trx);
  const created: ItemState[] = [];
  const updated: ItemState[] = [];
  const followed: string[] = [];
  for (const { decision } of resolution.rows) {
    if (decision.kind === 'create') created.push(decision.item);
    else if (decision.kind === 'update') {
      updated.push(decision.item);
      if (decision.variantsFollow) followed.push(decision.item.sku);
    }
  }
  await rules.filled.note(trx, siteId, created, updated);
  if (!(await copyNewItems(trx, [{ siteId, items: created }], guarded))) return false;
  await updateItems(trx, updated);
  if (followed.length > 0) await updateVariantStatuses(trx, siteId, rules, followed);
  if (rules.serials.length > 0) await raiseSerials(trx, rules, written(resolution));
  return true;
}

/** The rows of one site that are written together with those of other sites. */
interface PlainPart {
  readonly rows: readonly ResolvedRow[];
  readonly options: ApplyItems;
}

/** Like writeResolved for several sites, in the order of their ids, that have neither unique values nor series. */
export async function writeTogether(trx: Knex.Transaction, parts: readonly PlainPart[]): Promise<boolean> {
  const created: NewItems[] = [];
  const updated: ItemState[] = [];
  const followed: { readonly part: PlainPart; readonly skus: string[] }[] = [];
  for (const part of parts) {
    const { siteId, rules } = part.options;
    const items: ItemState[] = [];
    const changed: ItemState[] = [];
    const skus: string[] = [];
    for (const { decision } of part.rows) {
      if (decision.kind === 'create') items.push(decision.item);
      else if (decision.kind === 'update') {
        changed.push(decision.item);
        if (decision.variantsFollow) skus.push(decision.item.sku);
      }
    }
    await rules.filled.note(trx, siteId, items, changed);
    created.push({ siteId, items });
    updated.push(...changed);
    if (skus.length > 0) followed.push({ part, skus });
  }
  if (!(await copyNewItems(trx, created))) return false;
  await updateItems(trx, updated);
  for (const { part, skus } of followed) {
    await updateVariantStatuses(trx, part.options.siteId, part.options.rules, skus);
  }
  return true;
}

function written({ rows }: Resolution) {
  return rows.flatMap(({ draft, decision }) => ('item' in decision ? [{ set: draft.set, item: decision.item }] : []));
}

// Updating the status of variants whose parents changed.

/** How many variants one statement reads. */
const BATCH = 5_000;

interface Variant {
  readonly sku: string;
  readonly status: ItemStatusCode;
  readonly nodeId: number | null;
  readonly values: Values;
  readonly parentValues: Values;
}

/** @param parents items whose values this transaction changed; most have no variants */
async function updateVariantStatuses(
  trx: Knex.Transaction,
  siteId: number,
  rules: ItemRules,
  parents: readonly string[],
): Promise<void> {
  for (let after = ''; ; ) {
    const variants = await lockVariants(trx, siteId, parents, after);
    const changed = variants.flatMap((variant) => {
      const status = statusUnder(variant, rules);
      return status === variant.status ? [] : [{ sku: variant.sku, t: status }];
    });
    if (changed.length > 0) {
      // The source hash stays, because the variant's own row would give the same result.
      await trx.raw(
        `UPDATE item SET status = changed.t, updated_at = now(), ${KEEPING_TIME_OF_ROWS}
         FROM jsonb_to_recordset(?::jsonb) AS changed (sku text, t "char") ${heldItem('changed')}
         WHERE item.ctid = held.place`,
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
    `WITH next AS MATERIALIZED (
       SELECT variant.sku, parent.sku AS parent_sku FROM jsonb_array_elements_text(:parents::jsonb) AS parent (sku)
       CROSS JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND parent_sku = parent.sku COLLATE "C" OFFSET 0) AS variant
       WHERE variant.sku > :after ORDER BY variant.sku LIMIT ${BATCH}
     )
     SELECT variant.sku, variant.status, variant.node_id AS "nodeId", variant.attributes AS values,
            parent.attributes AS "parentValues"
     FROM next CROSS JOIN LATERAL (
       SELECT sku, status, node_id, attributes FROM item
       WHERE site_id = :siteId AND sku = next.sku AND parent_sku = next.parent_sku COLLATE "C"
       LIMIT 1 FOR NO KEY UPDATE) AS variant
     CROSS JOIN LATERAL (
       SELECT attributes FROM item WHERE site_id = :siteId AND sku = next.parent_sku COLLATE "C" LIMIT 1) AS parent
     ORDER BY variant.sku`,
    { siteId, after, parents: JSON.stringify(parents) },
  );
  return result.rows;
}
