/** Whether an item is live: the same rule for items that are written and for variants whose parent is written. */
import type { ItemStatusCode } from '../../../../../db/models/item.js';
import type { CategoryRules, ItemRules } from '../item-rules.js';
import type { Values } from './relations.js';

/**
 * DRAFT while a value that is mandatory in the category is missing, or while the attribute mapped to `active` is false.
 * @param values the item's own values, which take precedence over `inherited`
 */
export function statusOf(values: Values, inherited: Values, category: CategoryRules, rules: ItemRules): ItemStatusCode {
  const value = (position: number): unknown => {
    const { id } = rules.definition(position);
    return values[id] ?? inherited[id];
  };
  const missing = category.mandatory.some((position) => value(position) === undefined);
  const off = rules.activeAttribute >= 0 && value(rules.activeAttribute) === false;
  return missing || off ? 'D' : 'L';
}
