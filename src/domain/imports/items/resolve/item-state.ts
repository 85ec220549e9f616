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
  /** The whole document. */
  readonly document: ItemDocument;
  /** Further members of a new item's document, joined by commas; empty: none. */
  readonly extra: string;
  readonly hash: number;
  /** Of an item that exists, whose row is locked: where the row lies (its ctid). Null: it is new. */
  readonly place: string | null;
  /** What a bundle is to hold from now on; null: nothing to write. */
  readonly components: readonly Component[] | null;
}
