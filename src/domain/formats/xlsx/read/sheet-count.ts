/** What is known of a sheet of a workbook before it is read. */

/** More rows say nothing new of whether a sheet is a table. */
export const MOST_COUNTED_ROWS = 1_000;

export interface SheetCount {
  readonly name: string;
  readonly hidden: boolean;
  /** Rows with a value, the header among them; at most MOST_COUNTED_ROWS. */
  readonly rows: number;
  /** The values of the row that has most. */
  readonly columns: number;
}
