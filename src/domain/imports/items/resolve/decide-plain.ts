/** Decides a row by itself: without what it may have to do with other rows. */
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemDraft } from '../read/item-draft.js';
import { decideChange } from './decide-change.js';
import { decideNewItem } from './decide-new-item.js';
import type { FoundItems } from './found-items.js';
import type { ItemDecision } from './item-decision.js';
import { problemsOfPlace } from './item-problems.js';
import { DEFERRED, type ResolvedRow } from './resolved-row.js';
import type { StoredItem } from './stored-item.js';

/** The decision about a row or, if something is wrong with the row by itself, its failure with all its problems. */
export function orFailed({ faults }: ItemDraft, decision: ItemDecision): ItemDecision {
  if (faults === null) return decision;
  const others = decision.kind === 'failed' ? decision.problems : [];
  return { kind: 'failed', problems: [...faults.problems, ...others] };
}

export const UNCHANGED: ItemDecision = { kind: 'unchanged' };

export function decidePlain(
  draft: ItemDraft,
  { hashes, stored }: FoundItems,
  options: ApplyItems,
): ResolvedRow['decision'] {
  const { rules, channel, names, reserved } = options;
  const refused = refusedByKey(draft, hashes, options);
  if (refused !== null) return refused;
  if (!hashes.has(draft.sku)) return orFailed(draft, decideNewItem(draft, rules, channel, names, reserved));
  const item = stored.get(draft.sku);
  if (item === undefined) return orFailed(draft, UNCHANGED);
  if (dependsOnOthers(draft, item, rules)) return DEFERRED;
  return orFailed(draft, decideChange(draft, item, rules, channel, names));
}

/** The result of changing a bundle depends on its components, and that of changing a variant on its parent. */
function dependsOnOthers({ parentSku }: ItemDraft, stored: StoredItem, rules: ItemRules): boolean {
  return stored.type === 'B' || (stored.parentSku !== null && parentSku === undefined && rules.inheritable.length > 0);
}

/** The failure of a row whose item is not known, or that the mode of the job does not allow; null: it may be applied. */
export function refusedByKey(draft: ItemDraft, hashes: FoundItems['hashes'], options: ApplyItems): ItemDecision | null {
  const refused = draft.sku === '' ? [] : refusedByMode(draft, hashes, options);
  if (refused === null) return null;
  return orFailed(draft, { kind: 'failed', problems: [...refused, ...problemsOfPlace(draft, options.rules)] });
}

/** An insert changes nothing, and an update creates nothing. */
function refusedByMode(
  { sku }: ItemDraft,
  hashes: FoundItems['hashes'],
  { mode, names }: ApplyItems,
): readonly RowProblem[] | null {
  if (mode === 'insert' && hashes.has(sku)) {
    const message = 'an item with this SKU exists, and an insert changes none; use upsert to change it';
    return [{ code: 'SKU_EXISTS', column: names.sku, message }];
  }
  if (mode === 'update' && !hashes.has(sku)) {
    const message = 'there is no item with this SKU, and an update creates none; correct the SKU, or use upsert';
    return [{ code: 'SKU_NOT_FOUND', column: names.sku, message }];
  }
  return null;
}
