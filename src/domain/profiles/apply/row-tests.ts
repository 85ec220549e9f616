/** Decides which rows of a table a profile leaves out. */
import type { LeftOutRows } from '../../formats/mapped/table-mapping.js';
import { shownText } from '../../formats/xlsx/rows/marked-cell.js';
import { quoted } from '../../kernel/value-problem.js';
import { compileRowPattern, type RowFilter } from '../model/row-filter.js';
import { isBlankBytes } from './byte-cells.js';
import { remembered } from './remembered.js';

const MOST_ROWS = 10;
const SHOWN_TEXTS = 3;

/** Counts the rows that a condition leaves out: nothing of a file is left out silently. */
class LeftOut implements LeftOutRows {
  count = 0;
  readonly rows: number[] = [];
  readonly column: string;
  readonly condition: string;

  constructor({ column, is }: RowFilter) {
    this.column = column;
    this.condition = conditionOf(is);
  }

  note(row: number): void {
    this.count += 1;
    if (this.rows.length < MOST_ROWS) this.rows.push(row);
  }
}

function conditionOf(is: RowFilter['is']): string {
  if (is === 'empty') return 'is empty';
  const { equals = [], matches } = is;
  if (matches !== undefined) return `matches ${quoted(matches)}`;
  const shown = equals.slice(0, SHOWN_TEXTS).map((text) => quoted(text));
  return `is ${shown.join(' or ')}${equals.length > SHOWN_TEXTS ? ' or another one of its list' : ''}`;
}

export interface RowTest {
  /** Index of the column. */
  readonly at: number;
  readonly leftOut: LeftOut;
  readonly holds: (cell: string) => boolean;
  /** The same for the bytes of a cell; undefined: its text must tell. Absent: it always must. */
  readonly ofBytes?: (source: Buffer, start: number, end: number) => boolean | undefined;
}

/** @param at index of the column that the condition names */
export function rowTest(filter: RowFilter, at: number): RowTest {
  const { is } = filter;
  const leftOut = new LeftOut(filter);
  if (is === 'empty') {
    return { at, leftOut, holds: (cell) => cell === '' || cell.trim() === '', ofBytes: isBlankBytes };
  }
  const { equals, matches } = is;
  if (equals !== undefined) {
    const texts = new Set(equals.map((text) => text.trim().normalize('NFC')));
    return { at, leftOut, holds: (cell) => texts.has(textOf(cell)) };
  }
  const matching = compileRowPattern(matches ?? '');
  const known = remembered((cell) => (matching(textOf(cell)) ? 'yes' : 'no'));
  return { at, leftOut, holds: (cell) => known(cell) === 'yes' };
}

function textOf(cell: string): string {
  return shownText(cell).trim().normalize('NFC');
}
