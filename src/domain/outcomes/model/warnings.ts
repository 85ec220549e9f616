/** The warnings about the rows of one chunk. */

/** What was noted about the rows of a chunk that were applied: see row-notes. */
export interface Warnings {
  readonly noted: readonly NotedRows[];
  /** The columns of a file in which no row of the chunk has a value. */
  readonly empty: readonly string[];
  /** The columns in which a number with a separator can be read in one way only, or whose separator is given. */
  readonly decided: readonly string[];
}

/** Rows of a chunk in which the same was noted in the same column, in order. */
interface NotedRows {
  readonly code: string;
  readonly column: string;
  readonly rows: readonly number[];
  /** What was noted in the first rows of the input that were read together: they need not be among these rows. */
  readonly examples: readonly (readonly [row: number, text: string])[];
}
