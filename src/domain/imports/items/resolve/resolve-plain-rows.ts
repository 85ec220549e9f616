/** Rows that refer to no others, of a site without unique values: each is resolved by itself. */
import type { Knex } from 'knex';
import { fromInTurns } from '../../../../platform/time-slice.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import { decidePlain } from './decide-plain.js';
import { changedDrafts, type FoundItems, findItems, NO_HASHES, NO_ITEMS } from './found-items.js';
import type { Resolution, ResolvedRow } from './resolved-row.js';
import { lockItemsOf, probeItemsOf } from './stored-item.js';

const NOTHING_BESIDES = async (): Promise<void> => undefined;

/** @param readFirst false when the keys are assumed to be new */
export async function resolvePlainRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
  readFirst: boolean,
): Promise<Resolution> {
  const found = await findItems(trx, drafts, options, readFirst);
  const rows = await fromInTurns(drafts, decidedBy(found, options));
  return { rows, storeBesides: NOTHING_BESIDES };
}

/** Rows of one site that are resolved together with those of other sites. */
interface PlainRows {
  readonly drafts: readonly ItemDraft[];
  readonly options: ApplyItems;
}

/** Like resolvePlainRows for several sites that have no unique values. @returns the rows of each part, in order */
export async function resolveTogether(
  trx: Knex.Transaction,
  parts: readonly PlainRows[],
): Promise<readonly (readonly ResolvedRow[])[]> {
  const wanted = parts.map(({ drafts, options }) => ({ siteId: options.siteId, skus: drafts.map(({ sku }) => sku) }));
  const hashes = await probeItemsOf(trx, wanted);
  const changed = parts.map(({ drafts, options: { siteId, mode } }, nth) => ({
    siteId,
    skus: changedDrafts(drafts, mode, hashes[nth] ?? NO_HASHES).map(({ sku }) => sku),
  }));
  const stored = await lockItemsOf(trx, changed);
  const resolved: ResolvedRow[][] = [];
  for (const [nth, { drafts, options }] of parts.entries()) {
    const found = { hashes: hashes[nth] ?? NO_HASHES, stored: stored[nth] ?? NO_ITEMS };
    resolved.push(await fromInTurns(drafts, decidedBy(found, options)));
  }
  return resolved;
}

function decidedBy(found: FoundItems, options: ApplyItems): (draft: ItemDraft) => ResolvedRow {
  return (draft) => ({ draft, decision: decidePlain(draft, found, options) });
}
