/** The items that rows are about, as they are stored. */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { StoredItem } from './stored-item.js';
import { lockItems, probeItems } from './stored-item.js';

export interface FoundItems {
  /** SKU → source hash, for the items that exist. */
  readonly hashes: ReadonlyMap<string, number | null>;
  /** Those of them that the rows may change; their rows are locked. */
  readonly stored: ReadonlyMap<string, StoredItem>;
}

export const NO_HASHES: FoundItems['hashes'] = new Map();
export const NO_ITEMS: FoundItems['stored'] = new Map();

/** The drafts that may change an item. */
export function changedDrafts(
  drafts: readonly ItemDraft[],
  mode: ApplyItems['mode'],
  hashes: FoundItems['hashes'],
): readonly ItemDraft[] {
  if (mode === 'insert') return [];
  return drafts.filter(({ sku, hash }) => hashes.has(sku) && hashes.get(sku) !== hash);
}

export async function findItems(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  { siteId, mode }: ApplyItems,
  readFirst: boolean,
): Promise<FoundItems> {
  const skus = drafts.map(({ sku }) => sku);
  const hashes = readFirst ? await probeItems(trx, siteId, skus) : NO_HASHES;
  const changed = changedDrafts(drafts, mode, hashes);
  const stored = await lockItems(
    trx,
    siteId,
    changed.map(({ sku }) => sku),
  );
  return { hashes, stored };
}
