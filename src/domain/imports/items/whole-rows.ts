/** Rows that say all of their items, as those of an archive do: what a row does not say, its item is not to have. */
import type { ReadRow } from './item-batch.js';
import type { DraftOutcome } from './read/draft-builder.js';
import type { ItemDraft } from './read/item-draft.js';

/**
 * The draft of an item as an archive has it. It is restored: judged as a state that the item had, not as new values, so
 * that nothing is given to it which it did not have, and a value that its category does not ask for stays.
 * @param attributes how many the site has @param siteWasEmpty whether no item can have what its row does not say
 */
function wholeDraft(draft: ItemDraft, attributes: number, siteWasEmpty: boolean): ItemDraft {
  const set = new Set(draft.set);
  const restored = { ...draft, revert: 'restore' as const, parentSku: draft.parentSku ?? null };
  if (siteWasEmpty) return restored;
  const cleared = Array.from({ length: attributes }, (_, position) => position).filter((one) => !set.has(one));
  return {
    ...restored,
    cleared,
    alternates: draft.alternates ?? [],
    channels: draft.channels ?? null,
    components: draft.type === 'B' ? (draft.components ?? []) : draft.components,
  };
}

/** @param attributes how many the site has @param siteWasEmpty whether no item can have what its row does not say */
export function wholeRows(rows: readonly ReadRow[], attributes: number, siteWasEmpty: boolean): ReadRow[] {
  const whole = (draft: ItemDraft) => wholeDraft(draft, attributes, siteWasEmpty);
  return rows.map(({ row, outcome }) => ({ row, outcome: wholeOutcome(outcome, whole) }));
}

function wholeOutcome(outcome: DraftOutcome, whole: (draft: ItemDraft) => ItemDraft): DraftOutcome {
  if (outcome.draft !== null) return { ...outcome, draft: whole(outcome.draft) };
  return outcome.rest === null ? outcome : { ...outcome, rest: whole(outcome.rest) };
}
