/** The error file of a job as a table: the rows that failed, in the form of the file that was sent, to be corrected and sent again. */

export interface FailedRow {
  /** Its number in the file that was imported. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Where its record is in the error file. */
  readonly record: number;
}

export interface ErrorTable {
  /** The columns of the user, without those that say what is wrong. */
  readonly columns: readonly string[];
  readonly rows: readonly FailedRow[];
  /** The corrected file. @param leftOut numbers of the rows that are not sent again */
  readonly write: (edits: Edits, leftOut: ReadonlySet<number>) => Blob | Promise<Blob>;
}

/** A corrected cell, by the number of its row and the index of its column. */
export type Edits = ReadonlyMap<string, string>;

export function cellKey(row: number, column: number): string {
  return `${row}:${column}`;
}
