/** Writes resolved rows: items, and what belongs to them. */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemState } from '../resolve/item-state.js';
import type { Resolution } from '../resolve/resolved-row.js';
import { raiseSerials } from '../resolve/serials.js';
import type { NewItems } from './copy-rows.js';
import { updateVariantStatuses } from './variant-statuses.js';
import { copyNewItems, updateItems } from './write-items.js';

/** The resolved rows of one site. */
export interface SiteResolution {
  readonly resolution: Resolution;
  readonly options: ApplyItems;
}

/**
 * Writes the rows of sites, which are given in the order of their ids, in one go.
 * @returns false when an insert collided; the transaction is then back at the savepoint before the rows
 */
export async function writeResolved(trx: Knex.Transaction, sites: readonly SiteResolution[]): Promise<boolean> {
  const created: NewItems[] = [];
  const updated: ItemState[] = [];
  const followed: string[][] = [];
  for (const { resolution, options } of sites) {
    const { siteId, rules } = options;
    await resolution.storeBesides?.(trx);
    const items: ItemState[] = [];
    const changed: ItemState[] = [];
    const skus: string[] = [];
    for (const { decision } of resolution.rows) {
      if (decision.kind === 'create') items.push(decision.item);
      else if (decision.kind === 'update') {
        changed.push(decision.item);
        if (decision.variantsFollow) skus.push(decision.item.sku);
      }
    }
    await rules.filled.note(trx, siteId, items, changed);
    created.push({ siteId, items });
    for (const item of changed) updated.push(item);
    followed.push(skus);
  }
  const guarded = sites.every(({ options }) => options.guarded);
  if (!(await copyNewItems(trx, created, guarded))) return false;
  await updateItems(trx, updated);
  for (const [nth, { resolution, options }] of sites.entries()) {
    const { siteId, rules } = options;
    const skus = followed[nth] ?? [];
    if (skus.length > 0) await updateVariantStatuses(trx, siteId, rules, skus);
    if (rules.serials.length > 0) await raiseSerials(trx, rules, written(resolution));
  }
  return true;
}

function written({ rows }: Resolution) {
  return rows.flatMap(({ draft, decision }) => ('item' in decision ? [{ set: draft.set, item: decision.item }] : []));
}
