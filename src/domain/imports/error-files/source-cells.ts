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
  /** The next row that is not blank, behind the one that was asked for last; undefined at the end. */
  following(): Promise<{ readonly row: number; readonly source: SourceCells } | undefined>;
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
  let asked = 0;
  const cellsOf = async (row: number) => {
    asked = Math.max(asked, row);
    return (await originals.cellsOf(row)) ?? NO_CELLS;
  };
  return {
    cellsOf,
    following: async () => {
      for (let left = MOST_BLANK_ROWS; left > 0; left--) {
        const row = asked + 1;
        const source = await cellsOf(row);
        if (isFilled(source)) return { row, source };
      }
      return undefined;
    },
    between: async (first, last) => {
      const rows: SourceCells[] = [];
      for (let row = first; row <= last; row++) rows.push(await cellsOf(row));
      return rows;
    },
    next: (row, count) => filled(cellsOf, row, count),
    // Those that the profile leaves out at the end come after all that it has read.
    // The one that was asked for last is one of them, if it does not continue a failed row.
    last: (count) => filled(cellsOf, Math.max(lastRow, asked - 1), count),
    close: () => originals.close(),
  };
}

function isFilled(cells: SourceCells): boolean {
  return cells.some((cell) => cell?.value !== null && cell?.value !== undefined && cell.value !== '');
}

/** What the cells of a row hold, as texts. */
export function textsOfCells(cells: SourceCells): string[] {
  return Array.from(cells, (cell) => {
    const value = cell?.value ?? '';
    return typeof value === 'object' ? ('date' in value ? value.date : value.error) : String(value);
  });
}

async function filled(
  cellsOf: (row: number) => Promise<SourceCells>,
  after: number,
  count: number,
): Promise<SourceCells[]> {
  const rows: SourceCells[] = [];
  for (let row = after + 1; rows.length < count && row <= after + MOST_BLANK_ROWS; row++) {
    const cells = await cellsOf(row);
    if (isFilled(cells)) rows.push(cells);
  }
  return rows;
}
