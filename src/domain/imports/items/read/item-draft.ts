/** A row that says what an item is to be: its own values checked, nothing yet compared with what is stored. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { ItemDocument } from '../item-document.js';

export interface ItemDraft {
  readonly row: number;
  readonly sku: string;
  /** Category node; null when the row names none. */
  readonly nodeId: number | null;
  /** Undefined: the row says nothing; null: the item is to have none. */
  readonly parentSku: string | null | undefined;
  /** The item is to leave its parent, and to keep the values that it has of it. */
  readonly detach: boolean;
  /** Null: the row says nothing. */
  readonly type: ItemTypeCode | null;
  /** What the bundle is to hold; undefined: the row says nothing. */
  readonly components: readonly Component[] | undefined;
  /** The values set, by attribute id. */
  readonly document: ItemDocument;
  /** Whether the attribute that switches an item off does so. */
  readonly inactive: boolean;
  /** Positions, in the site's attribute list, of the values set. */
  readonly set: readonly number[];
  /** Positions of the values cleared. */
  readonly cleared: readonly number[];
  readonly hash: number;
}

/** Whether a row refers to items that may stand in other rows, or takes values from one: it is judged after those. */
export function refersToOthers({ parentSku, components, type, detach }: ItemDraft): boolean {
  return typeof parentSku === 'string' || components !== undefined || type === 'B' || detach;
}
