/** Rows that say all of their items, as those of an archive do: what a row does not say, its item is not to have. */
import type { ReadRow } from './item-batch.js';
import type { ItemRules } from './item-rules.js';
import type { DraftOutcome } from './read/draft-outcome.js';
import type { ItemDraft } from './read/item-draft.js';

/**
 * The draft of an item as an archive has it. It is restored: judged as a state that the item had, not as new values, so
 * that nothing is given to it which it did not have, and a value that its category does not ask for stays.
 * @param siteWasEmpty whether no item can have what its row does not say
 */
function wholeDraft(draft: ItemDraft, rules: ItemRules, siteWasEmpty: boolean): ItemDraft {
  const set = new Set(draft.set);
  const restored = { ...draft, revert: 'restore' as const, parentSku: draft.parentSku ?? null };
  if (siteWasEmpty) return restored;
  // The attribute with the role of the SKU has a value that no row needs to say.
  const { attributes, skuAttribute } = rules;
  const cleared = attributes.flatMap((_, position) =>
    set.has(position) || position === skuAttribute ? [] : [position],
  );
  return {
    ...restored,
    cleared,
    alternates: draft.alternates ?? [],
    channels: draft.channels ?? null,
    components: draft.type === 'B' ? (draft.components ?? []) : draft.components,
  };
}

/** @param siteWasEmpty whether no item can have what its row does not say */
export function wholeRows(rows: readonly ReadRow[], rules: ItemRules, siteWasEmpty: boolean): ReadRow[] {
  const whole = (draft: ItemDraft) => wholeDraft(draft, rules, siteWasEmpty);
  return rows.map(({ row, outcome }) => ({ row, outcome: wholeOutcome(outcome, whole) }));
}

function wholeOutcome(outcome: DraftOutcome, whole: (draft: ItemDraft) => ItemDraft): DraftOutcome {
  if (outcome.draft !== null) return { ...outcome, draft: whole(outcome.draft) };
  return outcome.rest === null ? outcome : { ...outcome, rest: whole(outcome.rest) };
}
