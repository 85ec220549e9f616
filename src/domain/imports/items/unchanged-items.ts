/** The items of rows that change nothing: their SKUs, and the numbers by which a snapshot notes them. */

export interface UnchangedItems {
  readonly skus: Iterable<string>;
  /** Their numbers; null: they were not wanted. */
  readonly numbers: ItemNumbers | null;
}

/** Numbers of items (`row_no`): bit b of the mask of word w stands for the number 32 w + b. Both are lists as SQL has them. */
export interface ItemNumbers {
  readonly words: string;
  readonly masks: string;
}

export const NONE_UNCHANGED: UnchangedItems = { skus: [], numbers: null };
