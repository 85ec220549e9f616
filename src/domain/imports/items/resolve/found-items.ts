/** The items that rows are about, as they are stored. */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import { lockItems, probeItems, type SiteSkus, type StoredItem } from './stored-item.js';

/** Rows of one site that are to be resolved. */
export interface SiteDrafts {
  readonly drafts: readonly ItemDraft[];
  readonly options: ApplyItems;
}

export interface FoundItems {
  /** SKU → source hash, for the items that exist. */
  readonly hashes: ReadonlyMap<string, number | null>;
  /** Those of them that the rows may change; their rows are locked. */
  readonly stored: ReadonlyMap<string, StoredItem>;
}

export const NO_ITEMS: FoundItems['stored'] = new Map();
export const NOTHING_FOUND: FoundItems = { hashes: new Map(), stored: NO_ITEMS };

/**
 * Finds the items of sites, which are given in the order of their ids.
 * @param readFirst false when the keys are assumed to be new
 * @returns what was found for each site, in order
 */
export async function findItems(
  trx: Knex.Transaction,
  sites: readonly SiteDrafts[],
  readFirst: boolean,
): Promise<readonly FoundItems[]> {
  if (!readFirst) return sites.map(() => NOTHING_FOUND);
  const hashes = await probeItems(trx, sites.map(skusOf));
  const changed = sites.map((site, nth) =>
    skusOf({ ...site, drafts: changedDrafts(site, hashes[nth] ?? NOTHING_FOUND.hashes) }),
  );
  const stored = await lockItems(trx, changed);
  for (const [nth, { options }] of sites.entries()) options.loaded?.add((stored[nth] ?? NO_ITEMS).values());
  return sites.map((_, nth) => ({ hashes: hashes[nth] ?? NOTHING_FOUND.hashes, stored: stored[nth] ?? NO_ITEMS }));
}

function skusOf({ drafts, options: { siteId } }: SiteDrafts): SiteSkus {
  return { siteId, skus: drafts.map(({ sku }) => sku) };
}

/** The drafts that may change an item. */
function changedDrafts({ drafts, options: { mode } }: SiteDrafts, hashes: FoundItems['hashes']): readonly ItemDraft[] {
  if (mode === 'insert') return [];
  return drafts.filter(({ sku, hash }) => hashes.has(sku) && hashes.get(sku) !== hash);
}
