/** A batch of item rows: the result of reading them, and what else applying them needs. */
import type { WriteMode } from '../model/import-options.js';
import type { ApplyContext } from '../rows/row-applier.js';
import type { RowNotes } from '../rows/row-notes.js';
import type { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import type { DraftOutcome } from './read/draft-outcome.js';
import type { FixedNames } from './read/item-columns.js';
import type { UnchangedItems } from './unchanged-items.js';

/** A row as it was read, before it is compared with what is stored. */
export interface ReadRow {
  readonly row: number;
  readonly outcome: DraftOutcome;
}

/** The rows of a chunk as they were read. */
export interface ReadRows {
  readonly rows: ReadRow[];
  /** What was noted about them. */
  readonly notes: RowNotes;
  /** Holds their documents; null: each row has a document of its own. */
  readonly buffer: DocumentBuffer | null;
  /** The items of the unchanged rows, in any order. */
  readonly unchanged: UnchangedItems;
}

/** Takes the place of each unchanged row, which was applied before exactly as it is. */
export const UNCHANGED_ROW: ReadRow = { row: 0, outcome: { draft: null, problems: [], key: null, rest: null } };

export interface ApplyItems extends ApplyContext {
  readonly siteId: number;
  readonly rules: ItemRules;
  readonly mode: WriteMode;
  readonly channel: number | null;
  readonly names: FixedNames;
  /** Whether a pass after the first one has all rows of the chunk, so that they are applied in parts. Rows that refer to those of later parts are deferred. */
  readonly inParts?: boolean | undefined;
  /** Whether the changes say what created items are like. */
  readonly describesCreated?: boolean | undefined;
  /** See RowApplier. */
  readonly attributeName?: ((id: string) => string) | undefined;
  /** Counts what is loaded of the items that the rows change. */
  readonly loaded?: { add(items: Iterable<{ readonly chars: number }>): void } | undefined;
}

/** Rows of one site that are applied together with those of others. */
export interface ItemPart {
  readonly read: ReadRows;
  readonly options: ApplyItems;
}
