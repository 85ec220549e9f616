/** Decides which rows of a table a profile leaves out. */
import { shownText } from '../../formats/xlsx/rows/marked-cell.js';
import { compileRowPattern, type RowFilter } from '../model/row-filter.js';
import { isBlankBytes } from './byte-cells.js';
import { remembered } from './remembered.js';

export interface RowTest {
  /** Index of the column. */
  readonly at: number;
  readonly holds: (cell: string) => boolean;
  /** The same for the bytes of a cell; undefined: its text must tell. Absent: it always must. */
  readonly ofBytes?: (source: Buffer, start: number, end: number) => boolean | undefined;
}

/** @param at index of the column that the condition names */
export function rowTest({ is }: RowFilter, at: number): RowTest {
  if (is === 'empty') {
    return { at, holds: (cell) => cell === '' || cell.trim() === '', ofBytes: isBlankBytes };
  }
  const { equals, matches } = is;
  if (equals !== undefined) {
    const texts = new Set(equals.map((text) => text.trim().normalize('NFC')));
    return { at, holds: (cell) => texts.has(textOf(cell)) };
  }
  const matching = compileRowPattern(matches ?? '');
  const known = remembered((cell) => (matching(textOf(cell)) ? 'yes' : 'no'));
  return { at, holds: (cell) => known(cell) === 'yes' };
}

function textOf(cell: string): string {
  return shownText(cell).trim().normalize('NFC');
}
