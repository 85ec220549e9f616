/** Says what only those see of a sheet who open it in a spreadsheet program: nothing of it is guessed, or left out. */

import { columnName } from '../formats/xlsx/cell.js';
import type { FoundMarks } from '../formats/xlsx/read/sheet-marks.js';
import { quoted } from '../kernel/value-problem.js';

const MOST_COLUMNS = 10;

/** @param width how many columns the sheet has @param header what names them */
export function sheetNotes(
  { rows, firstRow, columns, merged, firstMerged }: FoundMarks,
  width: number,
  header: readonly string[],
): string[] {
  const notes: string[] = [];
  if (rows > 0) {
    const what = rows === 1 ? `Row ${firstRow} is hidden` : `${rows} rows are hidden, the first is row ${firstRow}`;
    notes.push(`${what}: hidden rows are imported like the others.`);
  }
  const hidden = [...columns.subarray(0, width).entries()].flatMap(([column, isHidden]) => (isHidden ? [column] : []));
  if (hidden.length > 0) {
    const names = hidden.slice(0, MOST_COLUMNS).map((column) => {
      const name = header[column] ?? '';
      return name.trim() === '' ? columnName(column) : `${columnName(column)} (${quoted(name)})`;
    });
    const more = hidden.length > MOST_COLUMNS ? ` and ${hidden.length - MOST_COLUMNS} more` : '';
    notes.push(`Hidden columns are read like the others: ${names.join(', ')}${more}.`);
  }
  if (merged > 0) {
    const where =
      merged === 1
        ? `Cells are merged in row ${firstMerged}`
        : `Cells are merged in ${merged} places, first in row ${firstMerged}`;
    notes.push(`${where}: the value is in the first cell of each area, and the others are empty.`);
  }
  return notes;
}
