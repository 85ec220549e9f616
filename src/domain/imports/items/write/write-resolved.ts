/** Writes the resolved rows of a chunk: items, and what belongs to them. */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemState } from '../resolve/item-state.js';
import type { Resolution, ResolvedRow } from '../resolve/resolved-row.js';
import { raiseSerials } from '../resolve/serials.js';
import type { NewItems } from './copy-rows.js';
import { updateVariantStatuses } from './variant-statuses.js';
import { copyNewItems, updateItems } from './write-items.js';

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
