/**
 * Resolves rows: decides what each of them does before any of them is written. Rows that refer to others are resolved
 * in the order of the input, each against the stored items and the changes of the rows before it, so that it does not
 * matter where one chunk ends and the next begins.
 */
import type { Knex } from 'knex';
import type { ApplyItems } from '../item-batch.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemDraft } from '../read/item-draft.js';
import { Bundles } from './bundles.js';
import type { ItemDecision } from './decide-item.js';
import { decideChange, decideNewItem, parentOf } from './decide-item.js';
import { Memberships } from './memberships.js';
import { Parents } from './parents.js';
import type { StoredItem } from './stored-item.js';
import { lockItems, lockItemsOf, probeItems, probeItemsOf } from './stored-item.js';
import { UniqueReservations } from './unique-reservations.js';

export interface ResolvedRow {
  readonly draft: ItemDraft;
  readonly decision: ItemDecision | { readonly kind: 'deferred' };
}

export interface Resolution {
  /** The rows, in the order of the drafts. */
  readonly rows: readonly ResolvedRow[];
  /** Writes what belongs to the rows besides their items: unique-value reservations, components of bundles, memberships. */
  storeBesides(trx: Knex.Transaction): Promise<void>;
}

const DEFERRED = { kind: 'deferred' } as const;

export async function resolveDependentRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
): Promise<Resolution> {
  const { siteId, rules, channel, names, reserved, pass } = options;
  // Categories are locked before items, as by requests that put items into a category.
  const memberships = await Memberships.load(trx, options, drafts);
  const { hashes, stored } = await findItems(trx, drafts, options, true);
  const parents = await Parents.load(trx, options, drafts, stored);
  const bundles = await Bundles.load(trx, options, drafts, stored);

  const decide = (draft: ItemDraft): ResolvedRow['decision'] => {
    const refused = refusedByMode(draft, hashes, options);
    if (refused !== null) return refused;
    const item = stored.get(draft.sku);
    if (hashes.has(draft.sku) && item === undefined) return { kind: 'unchanged' };
    const relations = {
      parent: parents.valuesOf(parentOf(draft, item)),
      formerParent: parents.valuesOf(item?.parentSku ?? null),
      components: bundles.componentsOf(draft.sku),
      reclassified: memberships.changes(draft),
    };
    return item === undefined
      ? decideNewItem(draft, rules, channel, names, reserved, relations)
      : decideChange(draft, item, rules, channel, names, relations);
  };
  const firstDecisions = drafts.map((draft): ResolvedRow => ({ draft, decision: decide(draft) }));
  // The earlier rows do not change which values a row may reserve, because unique values are not inherited.
  const reservations = await UniqueReservations.load(trx, siteId, rules, firstDecisions.flatMap(holderOf));

  const resolve = ({ draft, decision: first }: ResolvedRow): ResolvedRow['decision'] => {
    const orphaned = parents.check(draft);
    const unplaced = memberships.check(draft);
    if (orphaned !== null) unplaced.push(orphaned);
    if (unplaced.length > 0) return { kind: 'failed', problems: unplaced };
    const item = stored.get(draft.sku);
    const decision = parents.hasChanged(parentOf(draft, item)) ? decide(draft) : first;
    if (!('item' in decision)) return decision;
    const verdict = bundles.check(draft);
    if (verdict.problems.length > 0) {
      if (!verdict.mayWait || pass.last) return { kind: 'failed', problems: verdict.problems };
      bundles.defer(draft);
      return DEFERRED;
    }
    const holder = { row: draft.row, item: decision.item };
    const problems = reservations.check(holder);
    if (problems.length > 0) return { kind: 'failed', problems };
    reservations.reserve(holder);
    memberships.record(draft);
    parents.record(decision.item, item);
    bundles.record(decision.item);
    return decision;
  };
  return {
    rows: firstDecisions.map((row): ResolvedRow => ({ draft: row.draft, decision: resolve(row) })),
    storeBesides: async (inner) => {
      await reservations.store(inner);
      await bundles.store(inner);
      await memberships.store(inner);
    },
  };
}

// Rows that refer to no others: each is resolved by itself, except for unique values.

const NOTHING_BESIDES = async (): Promise<void> => undefined;

/** @param readFirst false when the keys are assumed to be new */
export async function resolvePlainRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
  readFirst: boolean,
): Promise<Resolution> {
  const { siteId, rules } = options;
  const found = await findItems(trx, drafts, options, readFirst);
  const rows = drafts.map((draft): ResolvedRow => ({ draft, decision: decidePlain(draft, found, options) }));
  if (rules.unique.length === 0) return { rows, storeBesides: NOTHING_BESIDES };
  const reservations = await UniqueReservations.load(trx, siteId, rules, rows.flatMap(holderOf));
  const resolved = rows.map((row): ResolvedRow => {
    const [holder] = holderOf(row);
    if (holder === undefined) return row;
    const problems = reservations.check(holder);
    if (problems.length > 0) return { draft: row.draft, decision: { kind: 'failed', problems } };
    reservations.reserve(holder);
    return row;
  });
  return { rows: resolved, storeBesides: (inner) => reservations.store(inner) };
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
  return parts.map(({ drafts, options }, nth) => {
    const found = { hashes: hashes[nth] ?? NO_HASHES, stored: stored[nth] ?? NO_ITEMS };
    return drafts.map((draft): ResolvedRow => ({ draft, decision: decidePlain(draft, found, options) }));
  });
}

/** The item that would be written, with its row; empty when nothing would be. */
function holderOf({ draft, decision }: ResolvedRow) {
  return 'item' in decision ? [{ row: draft.row, item: decision.item }] : [];
}

interface FoundItems {
  /** SKU → source hash, for the items that exist. */
  readonly hashes: ReadonlyMap<string, number | null>;
  /** Those of them that the rows may change; their rows are locked. */
  readonly stored: ReadonlyMap<string, StoredItem>;
}

const NO_HASHES: FoundItems['hashes'] = new Map();
const NO_ITEMS: FoundItems['stored'] = new Map();

/** The drafts that may change an item. */
function changedDrafts(
  drafts: readonly ItemDraft[],
  mode: ApplyItems['mode'],
  hashes: FoundItems['hashes'],
): readonly ItemDraft[] {
  if (mode === 'insert') return [];
  return drafts.filter(({ sku, hash }) => hashes.has(sku) && hashes.get(sku) !== hash);
}

async function findItems(
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

const UNCHANGED: ItemDecision = { kind: 'unchanged' };

function decidePlain(draft: ItemDraft, { hashes, stored }: FoundItems, options: ApplyItems): ResolvedRow['decision'] {
  const { rules, channel, names, reserved } = options;
  const refused = refusedByMode(draft, hashes, options);
  if (refused !== null) return refused;
  if (!hashes.has(draft.sku)) return decideNewItem(draft, rules, channel, names, reserved);
  const item = stored.get(draft.sku);
  if (item === undefined) return UNCHANGED;
  return dependsOnOthers(draft, item, rules) ? DEFERRED : decideChange(draft, item, rules, channel, names);
}

/** The result of changing a bundle depends on its components, and that of changing a variant on its parent. */
function dependsOnOthers({ parentSku }: ItemDraft, stored: StoredItem, rules: ItemRules): boolean {
  return stored.type === 'B' || (stored.parentSku !== null && parentSku === undefined && rules.inheritable.length > 0);
}

/** An insert changes nothing, and an update creates nothing. */
function refusedByMode(
  { sku }: ItemDraft,
  hashes: FoundItems['hashes'],
  { mode, names }: ApplyItems,
): ItemDecision | null {
  if (mode === 'insert' && hashes.has(sku)) {
    const message = 'an item with this SKU exists, and an insert changes none; use upsert to change it';
    return { kind: 'failed', problems: [{ code: 'SKU_EXISTS', column: names.sku, message }] };
  }
  if (mode === 'update' && !hashes.has(sku)) {
    const message = 'there is no item with this SKU, and an update creates none; correct the SKU, or use upsert';
    return { kind: 'failed', problems: [{ code: 'SKU_NOT_FOUND', column: names.sku, message }] };
  }
  return null;
}
