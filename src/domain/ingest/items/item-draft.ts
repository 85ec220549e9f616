/** A row that says what an item is to be: its own values checked, nothing yet compared with what is stored. */

export interface ItemDraft {
  readonly row: number;
  readonly sku: string;
  /** Category node; null when the row names none. */
  readonly nodeId: number | null;
  /** Undefined: the row says nothing; null: the item is to have none. */
  readonly parentSku: string | null | undefined;
  /** The values set, as members of a JSON object: `"id":value,"id":value`. */
  readonly members: string;
  /** Whether a backslash stands in `members`. */
  readonly escapes: boolean;
  /** Positions, in the site's attribute list, of the values set. */
  readonly set: readonly number[];
  /** Positions of the values cleared. */
  readonly cleared: readonly number[];
  readonly hash: number;
}
