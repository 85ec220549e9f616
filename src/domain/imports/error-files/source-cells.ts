/** The rows of a workbook that was read by a profile, as they are in it. */
import type { StyledCell } from '../../formats/xlsx/cell.js';
import type { OriginalRows } from '../../formats/xlsx/rows/original-rows.js';

type SourceCells = readonly StyledCell[];

const NO_CELLS: SourceCells = [];

/** Behind so many rows without a cell, nothing more is expected. */
const MOST_BLANK_ROWS = 100_000;

/** Rows must be asked for in ascending order. */
export interface WorkbookRows {
  cellsOf(row: number): Promise<SourceCells>;
  /** All rows from the first to the last of these, blank ones included. */
  between(first: number, last: number): Promise<SourceCells[]>;
  /** The next rows behind one that are not blank. */
  next(row: number, count: number): Promise<SourceCells[]>;
  /** The last rows that are not blank, behind those that were asked for. */
  last(count: number): Promise<SourceCells[]>;
  close(): Promise<void>;
}

/** @param lastRow the number of the last row that the import has read */
export function workbookRows(originals: OriginalRows, lastRow: number): WorkbookRows {
  const cellsOf = async (row: number) => (await originals.cellsOf(row)) ?? NO_CELLS;
  return {
    cellsOf,
    between: async (first, last) => {
      const rows: SourceCells[] = [];
      for (let row = first; row <= last; row++) rows.push(await cellsOf(row));
      return rows;
    },
    next: (row, count) => filled(cellsOf, row, count),
    // Those that the profile leaves out at the end come after all that it has read.
    last: (count) => filled(cellsOf, lastRow, count),
    close: () => originals.close(),
  };
}

async function filled(
  cellsOf: (row: number) => Promise<SourceCells>,
  after: number,
  count: number,
): Promise<SourceCells[]> {
  const rows: SourceCells[] = [];
  for (let row = after + 1; rows.length < count && row <= after + MOST_BLANK_ROWS; row++) {
    const cells = await cellsOf(row);
    if (cells.some((cell) => cell?.value !== null && cell?.value !== undefined && cell.value !== '')) rows.push(cells);
  }
  return rows;
}
