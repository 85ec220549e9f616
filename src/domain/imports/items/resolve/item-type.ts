/** Whether an existing item is an item or a bundle after a row, and which rows cannot have it so. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import { NO_PROBLEMS } from './item-problems.js';
import type { StoredItem } from './stored-item.js';

/** A row that gives an item back its former state may find another one in its place, which jobs have created since. */
export function typeAfter(draft: ItemDraft, stored: StoredItem): ItemTypeCode {
  return draft.revert === 'restore' && draft.type !== null ? draft.type : stored.type;
}

/** @returns undefined: they stay */
export function componentsAfter(
  draft: ItemDraft,
  stored: StoredItem,
  type: ItemTypeCode,
): readonly Component[] | undefined {
  if (type === 'B') return draft.components;
  return stored.type === 'B' ? [] : undefined;
}

/** An item cannot become a bundle, or a bundle an item, because other items refer to them. */
export function typeMismatch(draft: ItemDraft, stored: StoredItem, names: FixedNames): readonly RowProblem[] {
  const type = typeAfter(draft, stored);
  if (draft.type !== null && draft.type !== type) {
    const [is, other] = type === 'B' ? ['a bundle', 'an item'] : ['an item', 'a bundle'];
    const message = `"${draft.sku}" is ${is}, and cannot become ${other}; delete it first, or choose another SKU`;
    return [{ code: 'FIELD_INVALID', column: names.type, message }];
  }
  if (type === 'B' && typeof draft.parentSku === 'string') {
    const message = `"${draft.sku}" is a bundle, which cannot be a variant of another item; leave the parent out`;
    return [{ code: 'FIELD_INVALID', column: names.parent, message }];
  }
  return NO_PROBLEMS;
}
