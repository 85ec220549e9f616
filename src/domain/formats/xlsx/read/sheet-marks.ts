/** What only those see of a sheet who open it in a spreadsheet program. */
import { MAX_SHEET_COLUMNS } from '../cell.js';

export interface FoundMarks {
  /** Hidden rows of data that have cells. */
  rows: number;
  /** The first of them. */
  firstRow: number;
  /** Hidden columns, from 0. */
  readonly columns: Set<number>;
  /** Areas of merged cells that begin among the data. */
  merged: number;
  /** The row of the first of them. */
  firstMerged: number;
}

export function hiddenColumns({ columns }: FoundMarks, from: number, to: number): void {
  for (let column = Math.max(from, 0); column <= Math.min(to, MAX_SHEET_COLUMNS - 1); column++) columns.add(column);
}
