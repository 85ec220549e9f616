/** What planning an upload needs and returns: the contract between the reader and the pipeline. */
import type { Readable, Writable } from 'node:stream';
import type { ScratchFile } from '../../platform/file-store.js';
import type { RandomAccess } from './xlsx/read/random-access.js';
import type { WorkbookColumn } from './xlsx/rows/workbook-column.js';

const MIB = 1024 * 1024;

/** Format of the text inside an upload, after decompression. */
export type SourceFormat = 'CSV' | 'TSV' | 'JSON' | 'JSONL' | 'XLSX';

/** The limits that keep a hostile or broken file from costing more than it should, and the size of a chunk. */
export interface SourceLimits {
  /** Bytes of the upload after decompression. */
  readonly maxBytes: number;
  /** Bytes after decompression for each byte before it. */
  readonly maxExpansionRatio: number;
  /** Bytes of one cell of a CSV or TSV row. */
  readonly maxCellBytes: number;
  /** Bytes of one row, or of one JSON element. */
  readonly maxRowBytes: number;
  readonly maxColumns: number;
  /** Data rows of one file. */
  readonly maxRows: number;
  /** How deep arrays and objects may nest in a JSON file, its outermost array included. */
  readonly maxDepth: number;
  /** Data rows of one chunk, at most. */
  readonly chunkRows: number;
  /** Bytes of one chunk, at most, unless a single row is longer. */
  readonly chunkBytes: number;
}

export const DEFAULT_LIMITS: SourceLimits = {
  maxBytes: 2048 * MIB,
  maxExpansionRatio: 200,
  maxCellBytes: MIB,
  maxRowBytes: 8 * MIB,
  maxColumns: 2_000,
  maxRows: 10_000_000,
  maxDepth: 32,
  chunkRows: 5_000,
  chunkBytes: MIB,
};

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

/** One piece of the body that is read, validated and committed on its own. */
export interface ChunkPlan {
  readonly byteStart: number;
  /** Exclusive. */
  readonly byteEnd: number;
  /** Number of the chunk's first line, which may be a blank one. */
  readonly firstRow: number;
  /** Data rows, without blank lines. */
  readonly rowCount: number;
  /** Rows and blank lines. */
  readonly lineCount: number;
  /** Superseded rows of this chunk, ascending: [row, the winning row with the same key]. */
  readonly duplicates: [row: number, winningRow: number][];
}

/** Where the rows of an upload are. */
export interface SourcePlan {
  /** Which bytes the chunks' ranges refer to. */
  readonly source: 'upload' | 'spool';
  readonly bodyFormat: 'CSV' | 'JSONL';
  /** Null for JSONL. */
  readonly delimiter: string | null;
  /** The header's cells as they are in the file; null for JSONL. */
  readonly headerCells: string[] | null;
  readonly totalRows: number;
  readonly chunks: ChunkPlan[];
}
