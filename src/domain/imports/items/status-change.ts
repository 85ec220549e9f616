/** A change of an item's status that follows from a change of something else. */
import type { ItemStatusCode } from '../../../../db/models/item.js';
import { FIELD, type ItemChange, OPERATION } from '../../changes/model/item-change.js';

/**
 * @param after the new status; the one before was the other one
 * @param follows the row whose change it follows from; absent: a change of a definition
 */
export function statusChange(sku: string, after: ItemStatusCode, follows?: number): ItemChange {
  const before: ItemStatusCode = after === 'L' ? 'D' : 'L';
  return { sku, operation: OPERATION.status, row: null, follows, changed: { [FIELD.status]: { b: before, a: after } } };
}
