/** What a row does. */
import type { Differences } from '../../../changes/model/item-change.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ItemState } from './item-state.js';

export type ItemDecision =
  | { readonly kind: 'create'; readonly item: ItemState }
  | {
      readonly kind: 'update';
      readonly item: ItemState;
      /** What it changes, for the change log. */
      readonly changed: Differences;
      /** Whether the status of its variants may change too. */
      readonly variantsFollow: boolean;
    }
  /** The item is deleted, with everything that belongs to it. */
  | { readonly kind: 'delete'; readonly sku: string }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly problems: RowProblem[] };
