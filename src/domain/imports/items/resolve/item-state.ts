/** An item as it is to be stored. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { ItemDocument } from '../item-document.js';

export interface ItemState {
  readonly sku: string;
  readonly type: ItemTypeCode;
  readonly nodeId: number;
  readonly status: 'L' | 'D';
  readonly parentSku: string | null;
  readonly channels: readonly number[] | null;
  /** The document, without `extra`. */
  readonly document: ItemDocument;
  /** Further members of a new item's document, joined by commas; empty when there are none. */
  readonly extra: string;
  readonly hash: number;
  /** The ctid of an item that exists, whose row is locked; null for a new item. */
  readonly place: string | null;
  /** The components to write for a bundle; null when there is nothing to write. */
  readonly components: readonly Component[] | null;
}
