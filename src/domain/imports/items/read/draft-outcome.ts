/** What reading a row of an item has led to: a draft, or all problems of the row. */
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ItemDraft } from './item-draft.js';

/** Takes the place of the hash of a row of which nothing could be read. */
export const NOT_READ = -1;
/** Takes the place of the hash of a row that has problems: nothing is stored of it, and it may be long. */
export const NOT_HASHED = 0;

/** The result of reading a row: a draft, or all its problems. */
export type DraftOutcome =
  | { readonly draft: ItemDraft; readonly problems: null; readonly key: string }
  | {
      readonly draft: null;
      readonly problems: RowProblem[];
      readonly key: string | null;
      /** What else the row says, so that its other problems are found too; null if it cannot be read. */
      readonly rest: ItemDraft | null;
    };
