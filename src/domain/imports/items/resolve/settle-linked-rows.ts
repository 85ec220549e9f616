/**
 * Settles rows that refer to others, in the order of the input: each is judged by what is stored and by what the rows
 * before it made of that, so that it does not matter where one chunk ends and the next begins.
 */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import { Bundles } from './bundles.js';
import { decideChange, decideNewItem, parentOf } from './decide-item.js';
import { Parents } from './parents.js';
import { claimantOf, findItems, refusedByMode } from './settle-plain-rows.js';
import { LATER, type Settled, type Settlement } from './settled-row.js';
import { UniqueClaims } from './unique-claims.js';

export async function settleLinkedRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
): Promise<Settlement> {
  const { siteId, rules, channel, names, reserved, wave } = options;
  const { hashes, stored } = await findItems(trx, drafts, options, true);
  const parents = await Parents.load(trx, options, drafts, stored);
  const bundles = await Bundles.load(trx, options, drafts, stored);

  const decide = (draft: ItemDraft): Settled['decision'] => {
    const refused = refusedByMode(draft, hashes, options);
    if (refused !== null) return refused;
    const item = stored.get(draft.sku);
    if (hashes.has(draft.sku) && item === undefined) return { kind: 'unchanged' };
    const kin = {
      parent: parents.valuesOf(parentOf(draft, item)),
      formerParent: parents.valuesOf(item?.parentSku ?? null),
      components: bundles.componentsOf(draft.sku),
    };
    return item === undefined
      ? decideNewItem(draft, rules, channel, names, reserved, kin)
      : decideChange(draft, item, rules, channel, names, kin);
  };
  const firstDecisions = drafts.map((draft): Settled => ({ draft, decision: decide(draft) }));
  // What may be claimed is the same whatever becomes of the rows before: unique values are not inherited.
  const claims = await UniqueClaims.load(trx, siteId, rules, firstDecisions.flatMap(claimantOf));

  const settle = ({ draft, decision: first }: Settled): Settled['decision'] => {
    const orphaned = parents.check(draft);
    if (orphaned !== null) return { kind: 'failed', problems: [orphaned] };
    const item = stored.get(draft.sku);
    const decision = parents.hasChanged(parentOf(draft, item)) ? decide(draft) : first;
    if (!('item' in decision)) return decision;
    const verdict = bundles.check(draft);
    if (verdict.problems.length > 0) {
      if (!verdict.mayWait || wave.last) return { kind: 'failed', problems: verdict.problems };
      bundles.putOff(draft);
      return LATER;
    }
    const claimant = { row: draft.row, item: decision.item };
    const problems = claims.check(claimant);
    if (problems.length > 0) return { kind: 'failed', problems };
    claims.take(claimant);
    parents.take(decision.item, item);
    bundles.take(decision.item);
    return decision;
  };
  return {
    rows: firstDecisions.map((row): Settled => ({ draft: row.draft, decision: settle(row) })),
    storeBesides: async (inner) => {
      await claims.store(inner);
      await bundles.store(inner);
    },
  };
}
