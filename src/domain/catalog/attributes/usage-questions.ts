/** Finds which attributes' usage decides a bulk request, so that items are counted once and only for them. */
import type { AttributeInput } from './attribute-input.js';
import { AttributeSet } from './attribute-set.js';
import { applyAttributeChange, decideAttributeChange } from './decide-attribute-change.js';

/**
 * The ids of attributes that the inputs, decided one after the other, delete or give another type, and whose usage is
 * not known yet. What is not known counts as unused, so an answer may raise further questions: ask until none is left.
 *
 * @param known how many items hold a value, by attribute id
 */
export function unknownUsage(
  current: AttributeSet,
  inputs: Iterable<AttributeInput>,
  known: ReadonlyMap<string, number>,
): Set<string> {
  const asked = new Set<string>();
  const trial = new AttributeSet(current.definitions());
  let created = 0;
  const facts = {
    newId: () => `new-${++created}`,
    usageOf(id: string): number {
      const usage = known.get(id);
      if (usage === undefined && current.byId(id)) asked.add(id);
      return usage ?? 0;
    },
  };
  for (const input of inputs) {
    const change = decideAttributeChange(trial, input, facts);
    if (!Array.isArray(change)) applyAttributeChange(trial, change);
  }
  return asked;
}
