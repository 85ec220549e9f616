/** What an item has of others: the values of its parent, the items of a bundle. */
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';

/** Values by attribute id. */
export type Values = Readonly<Record<string, unknown>>;

export interface Relations {
  /** Values of the parent that the item is to have; only inheritable ones count. */
  readonly parent: Values;
  /** Values of the parent that it has so far. */
  readonly formerParent: Values;
  /** What the bundle holds so far. */
  readonly components: readonly Component[];
}

const NOTHING: Values = {};

/** Of a row that refers to nothing. */
export const NO_RELATIONS: Relations = { parent: NOTHING, formerParent: NOTHING, components: [] };

/**
 * What of a parent's values an item of the category has when it has none of its own.
 * A parent's value shows where the category of the variant has the attribute.
 */
export function inheritedValues(parent: Values, category: CategoryRules, rules: ItemRules): Values {
  if (parent === NOTHING || rules.inheritable.length === 0) return NOTHING;
  const inherited: Record<string, unknown> = {};
  for (const position of rules.inheritable) {
    const { id } = rules.definition(position);
    if (category.assigned[position] === 1 && parent[id] !== undefined) inherited[id] = parent[id];
  }
  return inherited;
}

/** Whether an item's variants have to be looked at when its values change so. */
export function changesWhatVariantsHave(before: Values, after: Values, rules: ItemRules): boolean {
  return rules.inheritable.some((position) => {
    const { id } = rules.definition(position);
    if ((before[id] === undefined) !== (after[id] === undefined)) return true;
    return position === rules.activeAttribute && before[id] !== after[id];
  });
}

export function sameComponents(one: readonly Component[], other: readonly Component[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ sku, quantity }, index) => sku === other[index]?.sku && quantity === other[index]?.quantity)
  );
}
