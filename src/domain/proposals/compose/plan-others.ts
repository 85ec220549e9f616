/** Plans the columns that are neither the key nor the category: each of our columns is filled once. */
import { quoted } from '../../kernel/value-problem.js';
import { type Candidate, WAYS } from '../match/candidates.js';
import type { Target } from '../match/targets.js';
import type { Matched } from './choose-key.js';
import { type Draft, ignored } from './draft.js';
import { planMapped, planNew } from './plan-attribute.js';

export async function planOthers(draft: Draft, columns: readonly Matched[], pause: () => Promise<void>): Promise<void> {
  const takers = new Map<Target, Matched[]>();
  const left = new Map(columns.map((matched) => [matched.named.column.index, matched]));
  // What is said by name goes before what is only alike.
  for (const way of WAYS) {
    const wanted = new Map<Target, Matched[]>();
    for (const matched of left.values()) {
      const target = freeOf(matched, takers).find((candidate) => candidate.way === way)?.target;
      if (target !== undefined) wanted.set(target, [...(wanted.get(target) ?? []), matched]);
    }
    for (const [target, contenders] of wanted) {
      const [first, ...others] = contenders as [Matched, ...Matched[]];
      takers.set(target, contenders);
      left.delete(first.named.column.index);
      const candidates = freeOf(first, takers, target);
      const planned = planMapped(draft, first.named, others.length > 0 ? contested(candidates, others) : candidates);
      draft.planned.set(first.named.column.index, planned);
      await pause();
    }
  }
  const hasAttributes = draft.fileType === 'ITEM_IMPORT' || draft.fileType === 'BUNDLE_IMPORT';
  for (const { named, candidates } of left.values()) {
    const isEmptyKey = named.column.filled === 0 && candidates.some(({ target }) => target.as === 'key');
    const planned = isEmptyKey
      ? ignored(named, 'certain', 'All cells of the column are empty.')
      : hasAttributes
        ? planNew(draft, named)
        : ignored(named, 'likely', 'Files of this type have no such column.');
    draft.planned.set(named.column.index, planned);
    await pause();
  }
}

/** The candidates that no other column has taken. @param own the one that the column itself has taken */
function freeOf({ candidates }: Matched, takers: ReadonlyMap<Target, unknown>, own?: Target): readonly Candidate[] {
  return candidates.filter(({ target }) => {
    if (target.as === 'key' || target.as === 'category') return false;
    return target === own || !takers.has(target);
  });
}

/** Several columns are alike in the same way: which of them is meant cannot be said. */
function contested([best, ...rest]: readonly Candidate[], others: readonly Matched[]): readonly Candidate[] {
  if (best === undefined) return rest;
  const names = others.map(({ named }) => quoted(named.column.name)).join(', ');
  return [{ ...best, verdict: 'ambiguous', reason: `${best.reason} So are the columns ${names}.` }, ...rest];
}
