/** Finds the attributes whose usage may decide a bulk request, so that items are counted once and only for these. */
import { attributeKey } from '../../kernel/attribute-key.js';
import { groupedBy } from '../../kernel/grouped-by.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';
import type { AttributeInput } from './attribute-input.js';
import type { AttributeSet } from './attribute-set.js';

/**
 * The ids of all attributes that one of the inputs could delete or give another type, whichever of the inputs before it
 * succeed: a name stands for the attribute that has it now and for any attribute that an input would rename to it.
 */
export function usageQuestions(current: AttributeSet, inputs: readonly AttributeInput[]): string[] {
  const renamed = renamings(current, inputs);
  const asked = new Set<string>();
  for (const input of inputs) {
    for (const attribute of candidates(current, renamed, input)) {
      const { type } = input.draft;
      if (input.action === 'DELETE' || (type !== undefined && type !== attribute.type)) asked.add(attribute.id);
    }
  }
  return [...asked];
}

/** The attributes that inputs would rename, by the key of the new name. */
function renamings(current: AttributeSet, inputs: readonly AttributeInput[]): Map<string, AttributeDefinition[]> {
  const renamed = inputs.flatMap(({ id, name }) => {
    const attribute = id === undefined ? undefined : current.byId(id);
    return attribute === undefined || name === undefined ? [] : [{ key: attributeKey(name), attribute }];
  });
  const byKey = groupedBy(renamed, ({ key }) => key);
  return new Map(Array.from(byKey, ([key, group]) => [key, group.map(({ attribute }) => attribute)]));
}

function candidates(
  current: AttributeSet,
  renamed: ReadonlyMap<string, AttributeDefinition[]>,
  { id, name }: AttributeInput,
): AttributeDefinition[] {
  const direct = id === undefined ? current.byName(name ?? '') : current.byId(id);
  const later = id === undefined ? (renamed.get(attributeKey(name ?? '')) ?? []) : [];
  return direct === undefined ? later : [direct, ...later];
}
