/** Where a record is in the bytes of a chunk. */

/** Where a record is in the bytes of a chunk, with its line end. */
export interface RecordRange {
  readonly start: number;
  readonly end: number;
  readonly row: number;
  /** Whether it is no row: an empty line, or a line of empty cells. */
  readonly isBlank: boolean;
}
