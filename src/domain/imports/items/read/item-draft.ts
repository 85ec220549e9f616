/** A row that has been read: its own values are checked, but not yet compared with the stored item. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ItemDocument } from '../item-document.js';

/** How a row names a category of an alternate tree: a number is a node id; a text is a path, a node id or an id. */
export type AlternateRef = string | number;

export interface ItemDraft {
  readonly row: number;
  readonly sku: string;
  /** The node id of the category; null when the row names none. */
  readonly nodeId: number | null;
  /** Undefined when the row does not say; null when the item is to have no parent. */
  readonly parentSku: string | null | undefined;
  /** Whether the item is to leave its parent and keep the values that it inherits. */
  readonly detach: boolean;
  /** Null when the row does not say. */
  readonly type: ItemTypeCode | null;
  /** The items of the bundle; undefined when the row does not say. */
  readonly components: readonly Component[] | undefined;
  /** The categories of alternate trees that the item is to be in; undefined: the row does not say. */
  readonly alternates: readonly AlternateRef[] | undefined;
  /** The channels that the item is to belong to; null: to all; undefined: the row does not say. */
  readonly channels: readonly number[] | null | undefined;
  /** The values that the row sets, by attribute id. */
  readonly document: ItemDocument;
  /** Whether the row sets the attribute mapped to `active` to false. */
  readonly inactive: boolean;
  /** Positions, in the site's attribute list, of the values that the row sets. */
  readonly set: readonly number[];
  /** Positions of the values that the row clears. */
  readonly cleared: readonly number[];
  readonly hash: number;
  /** Why the row fails whatever the catalog contains; null: it may be applied. */
  readonly faults: RowFaults | null;
  /**
   * Of a revert only. `restore`: the item had this state before, so that it is not judged by the rules for new values.
   * `delete`: the item is to be deleted.
   */
  readonly revert?: 'restore' | 'delete' | undefined;
}

/** What is wrong with a row by itself. The rest of it is judged too, as far as it is known. */
interface RowFaults {
  readonly problems: readonly RowProblem[];
  /** Whether the category is known that the row names, or that it names none. */
  readonly knowsPlace: boolean;
  /** Whether it is known which values the row sets, even if one of them is wrong. */
  readonly knowsValues: boolean;
}

/**
 * Whether a row refers to items that may be in other rows, so that it is resolved after those. Rows that name alternate
 * categories are resolved with them.
 */
export function refersToOthers({ parentSku, components, type, detach, alternates }: ItemDraft): boolean {
  return (
    typeof parentSku === 'string' || components !== undefined || type === 'B' || detach || alternates !== undefined
  );
}
