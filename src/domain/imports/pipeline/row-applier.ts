/** What differs between the things that can be ingested; everything else of the pipeline is the same for all. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { File } from '../../../../db/models/file.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/plan-jsonl.js';
import { jsonRows } from '../../formats/json/plan-jsonl.js';
import type { SourceLimits } from '../../formats/source-contract.js';
import type { WorkbookColumn } from '../../formats/xlsx/rows/workbook-column.js';
import { TEXT_COLUMN } from '../../formats/xlsx/rows/workbook-column.js';
import type { ChunkResult, Pass } from '../../jobs/chunk-result.js';
import type { LoadedJob } from '../../jobs/job-type.js';
import type { InputPlan, Reserved } from '../import-options.js';
import { spoolKey } from '../import-options.js';

/**
 * `fast` writes plainly valid values from their bytes and asks `plain`, the judge, about everything else. Both give the same
 * outcomes, errors and stored values.
 */
export type RowReaderName = 'plain' | 'fast';

/** Whole records of a CSV file as bytes, valid UTF-8. */
export interface CsvBytes {
  readonly bytes: Buffer;
  readonly delimiter: string;
  /** Number of the first line, blank or not. */
  readonly firstRow: number;
  readonly headerCells: readonly string[];
}

/** Whole lines of a JSONL file as bytes, valid UTF-8. */
export interface JsonBytes {
  readonly bytes: Buffer;
  /** Number of the first line, blank or not. */
  readonly firstRow: number;
}

/** The rows of a chunk as they stand in the input; read once, in order, so that none need be kept. */
export type SourceRows =
  | { readonly format: 'CSV'; readonly rows: Iterable<CsvRow>; readonly source: CsvBytes }
  | { readonly format: 'JSON'; readonly rows: Iterable<JsonRow>; readonly source?: JsonBytes };

export interface ApplyContext {
  readonly jobId: string;
  /** Rows that lose to another row with the same key: row → the row that stands. */
  readonly duplicates: ReadonlyMap<number, number>;
  readonly siteWasEmpty: boolean;
  readonly reserved: Reserved;
  readonly pass: Pass;
  /**
   * Whether a savepoint stands before each chunk, so that only what Postgres refuses is undone. Without one it is
   * thrown, and takes with it what the transaction has done since the caller's own savepoint.
   */
  readonly guarded: boolean;
}

/** Where a chunk's rows may have been applied before. */
interface AppliedBefore {
  readonly db: Db;
  /** Rows that lose to another row with the same key. */
  readonly duplicates: ReadonlyMap<number, number>;
}

/** How the rows of a chunk are read. */
interface ReadOptions {
  readonly reader: RowReaderName;
  /** Where to look for rows that were applied before just as they are, which then are not read. */
  readonly before?: AppliedBefore | undefined;
}

/** Between which numbers those of a job's rows lie, both included. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** A header stands in the first row. */
export function rowRange(headerCells: readonly string[] | null, last: number): RowRange {
  return { first: headerCells === null ? 1 : 2, last };
}

/** One kind of ingest for one job: reader, validator and writer, made for the job's definitions and options. */
export interface RowApplier<Read = unknown> {
  /** Where an input of this kind is cut, and what it may hold, other than any. */
  readonly limits?: Partial<SourceLimits>;
  /** Whether chunks have to be applied one after another, in order. */
  readonly ordered: boolean;
  readonly winner: 'first' | 'last';
  /** Reads a header and answers the index of the key's column. @throws RejectedInput */
  readHeader(cells: readonly string[]): number;
  /** How the columns of a workbook with this header are read; absent: as texts. @throws what readHeader does */
  readonly workbookColumns?: (cells: readonly string[]) => readonly WorkbookColumn[];
  /** The key of a JSON row; null when it has none. */
  keyOf(element: unknown): string | null;
  /** The field of an object that keyOf answers if it is a text; absent: it answers something else. */
  readonly keyField?: string;
  normaliseKey(key: string): string;
  /**
   * Rows of several jobs whose appliers have the same key may be applied in one call, in order, where no two rows have
   * the same key. Absent: the outcome of a row may depend on its neighbours, or on its job.
   */
  readonly joinKey?: string | undefined;
  /** Sets aside what the job's rows will need. */
  reserve(trx: Knex.Transaction, rows: RowRange): Promise<Reserved>;
  /** Reads and validates rows: computing, in slices. */
  read(rows: SourceRows, options: ReadOptions): Promise<Read>;
  /** What was read will not be looked at again: its memory may serve for another chunk. */
  done(read: Read): void;
  /** Writes what was read. Everything it does is undone when the transaction is. */
  apply(trx: Knex.Transaction, read: Read, context: ApplyContext): Promise<ChunkResult>;
}

/** How the columns of a workbook with this header are read. @throws RejectedInput */
export function workbookColumns(applier: RowApplier, cells: readonly string[]): readonly WorkbookColumn[] {
  if (applier.workbookColumns !== undefined) return applier.workbookColumns(cells);
  applier.readHeader(cells);
  return cells.map(() => TEXT_COLUMN);
}

// Reads the rows of a chunk as they stand in the input.

/** Rows that waited for others are not looked for again, and in a site that was empty there are none. */
export function appliedBefore(
  db: Db,
  { wave, duplicates }: Pick<JobChunk, 'wave' | 'duplicates'>,
  { siteWasEmpty }: Pick<InputPlan, 'siteWasEmpty'>,
): AppliedBefore | undefined {
  return wave === 0 && !siteWasEmpty ? { db, duplicates: new Map(duplicates ?? []) } : undefined;
}

/** The bytes of a chunk. */
export async function readChunk(
  db: Db,
  fileStore: FileStore,
  job: Pick<LoadedJob, 'id' | 'input_file_id'>,
  chunk: Pick<JobChunk, 'byte_start' | 'byte_end'>,
  plan: InputPlan,
): Promise<Buffer> {
  const start = chunk.byte_start ?? 0;
  const end = chunk.byte_end ?? 0;
  if (plan.source === 'spool') return fileStore.readRange(spoolKey(job.id), start, end);
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  return fileStore.readRange(file.storage_key ?? '', start, end);
}

/** The rows of a chunk as they stand in the input, each parsed when it is asked for. */
export function parseChunk(bytes: Buffer, chunk: Pick<JobChunk, 'first_row'>, plan: InputPlan): SourceRows {
  const firstRow = chunk.first_row;
  if (plan.bodyFormat === 'JSONL')
    return { format: 'JSON', rows: jsonRows(bytes, { firstRow }), source: { bytes, firstRow } };
  const headerCells = plan.headerCells ?? [];
  const delimiter = plan.delimiter ?? ',';
  return {
    format: 'CSV',
    rows: csvRows(bytes, { delimiter, columns: headerCells.length, firstRow, headerCells }),
    source: { bytes, delimiter, firstRow, headerCells },
  };
}
