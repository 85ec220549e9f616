/** What only those see of a sheet who open it in a spreadsheet program. */
import { MAX_SHEET_COLUMNS } from '../cell.js';

export interface FoundMarks {
  /** Hidden rows of data that have cells. */
  rows: number;
  /** The first of them. */
  firstRow: number;
  /** 1 for each hidden column, from 0: a file may name the same ones as often as it likes. */
  readonly columns: Uint8Array;
  /** Areas of merged cells that begin among the data. */
  merged: number;
  /** The row of the first of them. */
  firstMerged: number;
}

export const noMarks = (): FoundMarks => ({
  ...{ rows: 0, firstRow: 0, merged: 0, firstMerged: 0 },
  columns: new Uint8Array(MAX_SHEET_COLUMNS),
});

export function hiddenColumns({ columns }: FoundMarks, from: number, to: number): void {
  columns.fill(1, Math.max(from, 0), to + 1);
}
