/** A batch of item rows: what reading them gives, and what applying them needs to know besides. */

import type { Pass } from '../../jobs/chunk-result.js';
import type { Reserved, WriteMode } from '../import-options.js';
import type { ItemRules } from './item-rules.js';
import type { DraftOutcome } from './read/draft-builder.js';
import type { FixedNames } from './read/item-columns.js';

/** A row as it was read, before it is compared with what is stored. */
export interface ReadRow {
  readonly row: number;
  readonly outcome: DraftOutcome;
}

/** Stands in for each row that was applied before just as it is. */
export const UNCHANGED_ROW: ReadRow = { row: 0, outcome: { draft: null, problems: [], key: null } };

export interface ApplyItems {
  readonly siteId: number;
  readonly jobId: string;
  readonly rules: ItemRules;
  readonly mode: WriteMode;
  readonly channel: number | null;
  /** Rows that lose to another row with the same key: row → the row that stands. */
  readonly duplicates: ReadonlyMap<number, number>;
  /** The site held no item when the job began: keys need no look-up, a collision will show itself. */
  readonly siteWasEmpty: boolean;
  readonly reserved: Reserved;
  /** Rows that refer to others wait until those are written. */
  readonly pass: Pass;
  readonly names: FixedNames;
  /** See ApplyContext. */
  readonly guarded: boolean;
}
