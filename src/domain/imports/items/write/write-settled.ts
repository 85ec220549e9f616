/** Writes what was settled of a chunk: items, and what belongs to them. */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemState } from '../resolve/item-state.js';
import { raiseSerials } from '../resolve/serials.js';
import type { Settlement } from '../resolve/settled-row.js';
import { updateVariantStatuses } from './variant-statuses.js';
import { copyNewItems, updateItems } from './write-items.js';

/** @returns false when an insert collided: the transaction is back at the savepoint before the rows then */
export async function writeSettled(
  trx: Knex.Transaction,
  settlement: Settlement,
  { siteId, rules, guarded }: ApplyItems,
): Promise<boolean> {
  await settlement.storeBesides(trx);
  const created: ItemState[] = [];
  const updated: ItemState[] = [];
  const followed: string[] = [];
  for (const { decision } of settlement.rows) {
    if (decision.kind === 'create') created.push(decision.item);
    else if (decision.kind === 'update') {
      updated.push(decision.item);
      if (decision.variantsFollow) followed.push(decision.item.sku);
    }
  }
  await rules.filled.note(trx, siteId, created, updated);
  if (!(await copyNewItems(trx, siteId, created, guarded))) return false;
  await updateItems(trx, siteId, updated);
  if (followed.length > 0) await updateVariantStatuses(trx, siteId, rules, followed);
  if (rules.serials.length > 0) await raiseSerials(trx, rules, written(settlement));
  return true;
}

function written({ rows }: Settlement) {
  return rows.flatMap(({ draft, decision }) => ('item' in decision ? [{ set: draft.set, item: decision.item }] : []));
}
