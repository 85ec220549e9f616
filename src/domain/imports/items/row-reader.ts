/** Reads the rows of a chunk into drafts. Both implementations give the same drafts, keys and problems. */
import type { Db } from '../../../../db/connection.js';
import type { ReadRow } from './item-batch.js';
import type { UnchangedItems } from './unchanged-items.js';

/** The site whose stored items the rows are compared with. */
export interface RowsOfSite {
  readonly db: Db;
  readonly siteId: number;
  /** Rows with the same key as another row: superseded row → winning row. */
  readonly duplicates: ReadonlyMap<number, number>;
  /** Whether the numbers of unchanged items are wanted, which a snapshot notes. */
  readonly numbered: boolean;
}

/** Reads the rows of one chunk, once and in order. */
export interface RowReader {
  /** Finds unchanged rows, which were applied before exactly as they are, by their keys and hashes. */
  skipUnchanged(site: RowsOfSite): Promise<void>;
  /** The items of the unchanged rows that it has found. */
  unchangedItems(): UnchangedItems;
  /**
   * Reads rows into `read`, from up to `count` lines. It is synchronous: the caller yields to the event loop in
   * between.
   * @returns whether there may be more
   */
  readSome(read: ReadRow[], count: number): boolean;
}
