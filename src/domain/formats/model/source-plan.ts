/** What planning an upload returns: where its rows are. */

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

/** How the rows of a source are written that its copy has behind the lines of each chunk: as records of a text. */
export interface SourceForm {
  /** Null: as a list of texts in JSON, one for each column of ours. */
  readonly delimiter: string | null;
  readonly quote: '"' | "'" | '';
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
  /** For a file with a profile. */
  readonly sourceForm?: SourceForm | undefined;
}
