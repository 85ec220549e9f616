/** What an item gets from other items (the values of its parent, the components of a bundle), and its status with these. */
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';

/** Values by attribute id. */
export type Values = Readonly<Record<string, unknown>>;

export interface Relations {
  /** The values of the item's parent after the row; only inheritable ones count. */
  readonly parent: Values;
  /** The values of the item's parent before the row. */
  readonly formerParent: Values;
  /** The components of the bundle before the row. */
  readonly components: readonly Component[];
  /** Whether the row changes which alternate categories the item is in. */
  readonly reclassified: boolean;
}

const NOTHING: Values = {};

/** The relations of a row that refers to no other item. */
export const NO_RELATIONS: Relations = { parent: NOTHING, formerParent: NOTHING, components: [], reclassified: false };

/**
 * The values that an item of the category inherits where it has none of its own: those of inheritable attributes that
 * are assigned to the category.
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
