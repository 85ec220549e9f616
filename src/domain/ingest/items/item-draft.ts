/** A row that says what an item is to be: its own values checked, nothing yet compared with what is stored. */
import type { ItemDocument } from './item-document.js';

export interface ItemDraft {
  readonly row: number;
  readonly sku: string;
  /** Category node; null when the row names none. */
  readonly nodeId: number | null;
  /** Undefined: the row says nothing; null: the item is to have none. */
  readonly parentSku: string | null | undefined;
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
