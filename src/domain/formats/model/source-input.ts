/** What planning an upload needs from its caller. */
import type { Readable, Writable } from 'node:stream';
import type { ScratchFile } from '../../../platform/file-store.js';
import type { RandomAccess } from './random-access.js';
import type { SourceFormat } from './source-format.js';
import type { SourceLimits } from './source-limits.js';
import type { WorkbookColumn } from './workbook-column.js';

/** Which of several rows with the same key is applied. */
export type WinningRow = 'first' | 'last';

/** The bytes of an upload, and how they are read. */
export interface UploadInput {
  /** The raw bytes of the upload, from the start; may be opened more than once. */
  openUpload(): Promise<Readable>;
  /** The same bytes at any position, for workbooks. */
  openRanges(): Promise<RandomAccess>;
  /** Creates a file into which a workbook is unpacked if it is too large for memory. */
  createScratch(): Promise<ScratchFile>;
  /** Whether the upload's name ends in `.gz`. */
  readonly gzip: boolean;
  readonly options: {
    readonly delimiter?: string | undefined;
    readonly encoding?: string | undefined;
    /** The sheet of a workbook; the first that is not hidden when none is named. */
    readonly sheet?: string | undefined;
  };
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
  /** Called about once per MiB with the raw bytes that all passes have read so far. */
  onProgress?(bytesRead: number): void;
}

/** An upload to plan, and what the planner needs from its caller. */
export interface SourceInput extends UploadInput {
  /** Called at most once, only when a normalised copy is needed. */
  createSpool(): Promise<Writable>;
  /** The finished spool, from the start. */
  openSpool(): Promise<Readable>;
  readonly format: SourceFormat;
  /**
   * Called once with the header's cells as they are in the file (CSV, TSV and XLSX only). Returns the index of the key
   * column, -1 for none; throws RejectedInput.
   */
  resolveHeader(cells: string[]): number;
  /** How each column of a workbook is read, by its header; throws what resolveHeader does. */
  workbookColumns(header: readonly string[]): readonly WorkbookColumn[];
  /** The key of a JSON row (JSON and JSONL only), null when it has none. */
  keyOf(element: unknown): string | null;
  /** The field of an object whose text keyOf returns; null when keyOf returns something else. */
  readonly keyField: string | null;
  readonly winner: WinningRow;
  /** The key as the writer will compare it. Must be idempotent. */
  normaliseKey(key: string): string;
}
