/**
 * Marked cells are cells that their column cannot accept, of workbooks and of rows that a profile maps. In the normalised
 * copy they consist of a NUL, which no text holds, the kind, and the value. The reader of the row reports a problem for
 * them, and the error file restores the original cell.
 */

import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { Cell } from '../cell.js';

const MARK = 0;
const SHOWN_VALUE = 200;
const MAX_MESSAGE = 1_000;
/** An error file that is made from the copy has no more of a cell that a step of a profile has refused. */
const MAX_KEPT_VALUE = 10_000;

/**
 * `n` is a number, `d` a date or a time, `o` a number that is formatted as a date and is none, `e` an error such as #N/A,
 * `f` a formula without a result, `x` a text that cannot be stored.
 */
type MarkedKind = 'n' | 'd' | 'o' | 'e' | 'f' | 'x';

export function markedCell(kind: MarkedKind, value: string): string {
  return `\u0000${kind}${kind === 'x' ? JSON.stringify(value) : value}`;
}

export function isMarked(cell: string): boolean {
  return cell.charCodeAt(0) === MARK;
}

/**
 * A cell that has a problem of the row's own: a step of a profile has failed, or the row could not be divided into cells.
 * @param value what the source holds
 */
export function failedCell({ code, message, value = '' }: Pick<RowProblem, 'code' | 'message' | 'value'>): string {
  const ofRow = code !== 'PROFILE_STEP_FAILED';
  return `\u0000p${JSON.stringify([code, storable(message, MAX_MESSAGE), storable(value, MAX_KEPT_VALUE), ofRow])}`;
}

/** What is wrong with a marked cell. */
export function problemOfMarked(cell: string, column: string | null): RowProblem {
  const failed = failureIn(cell);
  if (failed !== null) {
    const [code, message, given, ofRow] = failed;
    const problem = { code, column: ofRow ? null : column, message };
    return given === '' ? problem : { ...problem, value: storable(given, SHOWN_VALUE) };
  }
  const value = valueIn(cell);
  const shown = storable(value, SHOWN_VALUE);
  const problem = (code: RowProblem['code'], message: string): RowProblem => ({ code, column, message, value: shown });
  switch (cell.charAt(1)) {
    case 'n':
      return problem(
        'VALUE_TYPE',
        `the cell holds the number ${shown}, and only whole numbers of up to 15 digits can be read as text exactly as ` +
          'they were meant: format the column as text, and write the value again',
      );
    case 'd':
      return problem(
        'VALUE_TYPE',
        `the cell holds a date or a time (${shown}), which the column does not accept: format the column as text, and ` +
          'write the value again',
      );
    case 'o':
      return problem(
        'VALUE_RANGE',
        `the cell is formatted as a date, and its number (${shown}) is outside of the dates that the workbook can hold: ` +
          'format the cell as text, and write the date into it',
      );
    case 'e':
      return problem('VALUE_TYPE', `the cell shows the error ${shown}: correct its formula, or write the value itself`);
    case 'f':
      return problem(
        'VALUE_TYPE',
        'the cell holds a formula whose result is not in the file: open the file in a spreadsheet program and save it, ' +
          'or write the value itself',
      );
    default:
      return problem('INVALID_TEXT', 'the text holds a NUL character or half of a surrogate pair: remove it');
  }
}

/** The text of a cell for people to read, marked or not. */
export function shownText(cell: string): string {
  return isMarked(cell) ? storable(valueIn(cell), SHOWN_VALUE) : cell;
}

/**
 * The cell as it was in the workbook; a formula without a result becomes an error, so that it is not read as an empty
 * cell.
 */
export function originalOfMarked(cell: string): Cell {
  const value = valueIn(cell);
  switch (cell.charAt(1)) {
    case 'n':
    case 'o':
      return Number(value);
    case 'd':
      return { date: value };
    case 'e':
      return { error: value };
    case 'f':
      return { error: '#VALUE!' };
    default:
      return value;
  }
}

type Failure = readonly [code: RowProblem['code'], message: string, value: string, ofRow: boolean];

function failureIn(cell: string): Failure | null {
  if (cell.charAt(1) !== 'p') return null;
  try {
    return JSON.parse(cell.slice(2)) as Failure;
  } catch {
    return null;
  }
}

function valueIn(cell: string): string {
  const failed = failureIn(cell);
  if (failed !== null) return failed[2];
  const value = cell.slice(2);
  if (cell.charAt(1) !== 'x') return value;
  try {
    return String(JSON.parse(value));
  } catch {
    // A NUL in a file of another format does not mark a cell.
    return value;
  }
}
