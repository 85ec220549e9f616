/** Finds what is wrong with an item as a row would leave it. */
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { Values } from './relations.js';

/** The problems of a row that names a category, whatever item the row is about. */
export function problemsOfPlace(draft: ItemDraft, rules: ItemRules): readonly RowProblem[] {
  const category = draft.nodeId === null ? undefined : rules.ofCategory(draft.nodeId);
  if (category === undefined || draft.faults?.knowsPlace === false) return NO_PROBLEMS;
  return unassigned(foreignTo(category, draft), category, rules);
}

export function isIn(values: Values, position: number, rules: ItemRules): boolean {
  return values[rules.definition(position).id] !== undefined;
}

/** Shared by all rows. */
export const NO_PROBLEMS: readonly RowProblem[] = [];
const NO_POSITIONS: readonly number[] = [];

export function missingRequired(
  draft: ItemDraft,
  inherited: Values,
  category: CategoryRules,
  rules: ItemRules,
): readonly RowProblem[] {
  if (category.required.every((position) => draft.set.includes(position))) return NO_PROBLEMS;
  const missing = category.required.filter(
    (position) => !draft.set.includes(position) && !isIn(inherited, position, rules),
  );
  return missing.map((position) => required(rules, position));
}

export function required(rules: ItemRules, position: number): RowProblem {
  const { name } = rules.definition(position);
  return { code: 'ATTRIBUTE_REQUIRED', column: name, message: `"${name}" is required and has no value; give it one` };
}

/** The attributes that a row sets although they are not assigned to its category. */
export function foreignTo(category: CategoryRules, { set }: ItemDraft): readonly number[] {
  const { assigned } = category;
  return set.every((position) => assigned[position] === 1)
    ? NO_POSITIONS
    : set.filter((position) => assigned[position] !== 1);
}

export function unassigned(
  foreign: readonly number[],
  category: CategoryRules,
  rules: ItemRules,
): readonly RowProblem[] {
  if (foreign.length === 0) return NO_PROBLEMS;
  return foreign.map((position) => {
    const { name } = rules.definition(position);
    const message = `"${name}" is not assigned to the category "${category.path}"; assign it, or leave the value out`;
    return { code: 'ATTRIBUTE_NOT_ASSIGNED', column: name, message };
  });
}

/** The attribute that is mapped to `isVariant` must agree with whether the item has a parent. */
export function contradictsVariant(
  draft: ItemDraft,
  parentSku: string | null,
  rules: ItemRules,
): readonly RowProblem[] {
  const position = rules.variantAttribute;
  if (position < 0 || !draft.set.includes(position)) return NO_PROBLEMS;
  const { id, name } = rules.definition(position);
  const value = draft.document.parse()[id];
  if (value === (parentSku !== null) || value === undefined) return NO_PROBLEMS;
  const is = parentSku === null ? 'the item has no parent' : 'the item has a parent';
  const message = `"${name}" says whether the item is a variant, and ${is}; leave it out, or give ${parentSku !== null}`;
  return [{ code: 'FIELD_INVALID', column: name, message, value: String(value) }];
}
