/** The limits of an upload. */

const MIB = 1024 * 1024;

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
