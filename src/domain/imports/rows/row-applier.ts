/** The interface that each import type implements; the rest of the pipeline is the same for all of them. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { Changes } from '../../changes/model/item-change.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import type { SourceLimits } from '../../formats/model/source-limits.js';
import { TEXT_COLUMN, type WorkbookColumn } from '../../formats/model/workbook-column.js';
import type { ChunkResult, RowFailure } from '../../outcomes/model/chunk-result.js';
import type { Pass } from '../../outcomes/model/passes.js';
import type { Reserved } from './input-plan.js';

/**
 * `fast` writes values that are plainly valid straight from their bytes, and leaves all others to `plain`, whose
 * decision counts. Both give the same outcomes, errors and stored values.
 */
export type RowReaderName = 'plain' | 'fast';

/** Whole records of a CSV file as bytes, valid UTF-8. */
export interface CsvBytes {
  readonly bytes: Buffer;
  readonly delimiter: string;
  /** Number of the first line, even if it is blank. */
  readonly firstRow: number;
  readonly headerCells: readonly string[];
}

/** Whole lines of a JSONL file as bytes, valid UTF-8. */
export interface JsonBytes {
  readonly bytes: Buffer;
  /** Number of the first line, even if it is blank. */
  readonly firstRow: number;
}

/** The rows of a chunk, as they are in the input. They are read once and in order, so that none is kept in memory. */
export type SourceRows =
  | { readonly format: 'CSV'; readonly rows: Iterable<CsvRow>; readonly source: CsvBytes }
  | { readonly format: 'JSON'; readonly rows: Iterable<JsonRow>; readonly source?: JsonBytes };

export interface ApplyContext {
  readonly jobId: string;
  /** Rows with the same key as another row: superseded row → winning row. */
  readonly duplicates: ReadonlyMap<number, number>;
  /** The site had no items when the job began: keys need no look-up then, because a collision raises an error. */
  readonly siteWasEmpty: boolean;
  readonly reserved: Reserved;
  /** The pass that these rows are applied in: rows that refer to others are applied in a later pass than those. */
  readonly pass: Pass;
  /** Whether each pass applies all rows of the job in one call, so that nothing need be stored for its other chunks. */
  readonly isWhole?: boolean | undefined;
  /** Rows of the job that failed in earlier passes and are not recorded yet. */
  readonly failedBefore?: readonly RowFailure[] | undefined;
  /**
   * Whether a savepoint is set before each chunk, so that only the rows that Postgres rejects are undone. Without one,
   * the error is thrown, and the caller has to return to its own savepoint.
   */
  readonly guarded: boolean;
}

/** Where a chunk's rows may have been applied before. */
export interface AppliedBefore {
  readonly db: Db;
  /** Rows with the same key as another row: superseded row → winning row. */
  readonly duplicates: ReadonlyMap<number, number>;
}

/** How the rows of a chunk are read. */
interface ReadOptions {
  readonly reader: RowReaderName;
  /** Where to look for unchanged rows, which were applied before exactly as they are and need not be read. */
  readonly before?: AppliedBefore | undefined;
}

/** The lowest and the highest number that the rows of a job may have. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/**
 * A header is row 1, so that the rows of a file with a header begin at 2.
 * @param firstRow the number of the first row, where it is known: the rows of a file with a profile may begin anywhere
 */
export function rowRange(headerCells: readonly string[] | null, last: number, firstRow?: number): RowRange {
  return { first: firstRow ?? (headerCells === null ? 1 : 2), last };
}

/** How rows of several jobs are applied in one call, where no two rows of a site have the same key. */
interface Join<Read, Part> {
  /** Rows of jobs of one site whose appliers have the same key may be read as if they were one job's. */
  readonly key: string;
  /** What was read, with everything that applying it needs. */
  part(read: Read, context: ApplyContext): Part;
  /**
   * Writes parts of several sites, in the order of the sites' ids.
   * @returns null for a part with rows that refer to others: nothing of it was written
   */
  apply(trx: Knex.Transaction, parts: readonly Part[]): Promise<(AppliedRows | null)[]>;
}

/** What came of rows that were applied. */
export interface AppliedRows extends ChunkResult {
  /** What to enqueue once the transaction has committed: deliveries of the events about these rows. */
  readonly outboxEntries?: readonly OutboxEntry[];
  /** What the rows changed of items, to be recorded in the same transaction. Absent: nothing. */
  readonly changes?: Changes | undefined;
}

/**
 * Reads, validates and writes the rows of one job, according to the job's definitions and options. `Read` and `Part` are
 * the applier's own: its callers hand back what it has returned.
 */
export interface RowApplier<Read = unknown, Part = unknown> {
  /** Where the size limits of this input differ from the default limits. */
  readonly limits?: Partial<SourceLimits>;
  /** Whether chunks have to be applied one after another, in order. */
  readonly ordered: boolean;
  readonly winner: 'first' | 'last';
  /** Reads a header and returns the index of the key column. @throws RejectedInput */
  readHeader(cells: readonly string[]): number;
  /** How the columns of a workbook with this header are read; absent: as text. @throws what readHeader does */
  readonly workbookColumns?: (cells: readonly string[]) => readonly WorkbookColumn[];
  /** The key of a JSON row; null when it has none. */
  keyOf(element: unknown): string | null;
  /** The field whose text keyOf returns; absent when keyOf does not read a single field. */
  readonly keyField?: string;
  normaliseKey(key: string): string;
  /** Absent: the outcome of a row may depend on rows of other jobs, or on its job. */
  readonly join?: Join<Read, Part> | undefined;
  /**
   * What stands for an attribute, or a category of an alternate tree, where changes are compared with those of another run of the job, in which it has another
   * id. Absent: its id, which a rename does not change.
   */
  readonly attributeName?: ((id: string) => string) | undefined;
  /** Reserves the serial numbers that the job's rows may need. */
  reserve(trx: Knex.Transaction, rows: RowRange): Promise<Reserved>;
  /** Reads and validates rows. It yields to the event loop between slices of rows. */
  read(rows: SourceRows, options: ReadOptions): Promise<Read>;
  /**
   * Adds the deferred rows of a chunk to those of the chunks before it, without the memory that `done` gives back. The
   * other rows keep their places and are empty. Absent: rows of this type are never deferred.
   * @param before what was gathered before; null at first
   * @param outcomes those of the earlier passes, one letter per row
   */
  gather?(before: Read | null, read: Read, outcomes: string): Read;
  /** Says that what was read is no longer needed, so that its memory may be used for another chunk. */
  done(read: Read): void;
  /** Writes what was read. Everything that it does is undone when the transaction is undone. */
  apply(trx: Knex.Transaction, read: Read, context: ApplyContext): Promise<AppliedRows>;
}

/** How the columns of a workbook with this header are read. @throws RejectedInput */
export function workbookColumns(applier: RowApplier, cells: readonly string[]): readonly WorkbookColumn[] {
  if (applier.workbookColumns !== undefined) return applier.workbookColumns(cells);
  applier.readHeader(cells);
  return cells.map(() => TEXT_COLUMN);
}
