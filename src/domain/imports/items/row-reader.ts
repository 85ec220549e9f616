/** What reads the rows of a chunk into drafts. There are two, which give the same drafts, keys and problems for any input. */
import type { Db } from '../../../../db/connection.js';
import type { ReadRow } from './item-batch.js';

/** Rows of which site, to be compared with what it holds. */
export interface RowsOfSite {
  readonly db: Db;
  readonly siteId: number;
  /** Rows that lose to another row with the same key. */
  readonly duplicates: ReadonlyMap<number, number>;
}

/** Reads the rows of one chunk, once and in order. */
export interface RowReader {
  /**
   * Finds rows that were applied before just as they are, so that `readSome` answers UNCHANGED_ROW in their place. To be
   * called before the first `readSome`, if at all. A reader may find none: who applies the rows compares values anyway.
   */
  skipUnchanged(site: RowsOfSite): Promise<void>;
  /**
   * Reads rows into `read`, from up to `count` lines. Computing only: the caller yields to the event loop in between.
   * @returns whether there may be more
   */
  readSome(read: ReadRow[], count: number): boolean;
}
