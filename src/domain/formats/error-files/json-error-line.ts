/**
 * A failed JSON element as a line of an error file, which can be corrected and uploaded again without other
 * changes.
 */

import type { RowProblem } from '../../kernel/row-problem.js';
import { isAddedColumn } from '../model/added-columns.js';
import { describeProblems } from './describe-problems.js';

/**
 * One failed JSON element as a line without its line end: the element with `_row`, `_column`, `_code`, `_message`
 * and `_job` added. An element that is not an object, or not JSON, is kept as the text `_raw`.
 * @param raw the element's text, on one line.
 */
export function jsonErrorLine(row: number, raw: string, problems: readonly RowProblem[], job: string): string {
  const described = describeProblems(problems);
  const added = { _row: row, _column: described.column, _code: described.code, _message: described.message, _job: job };
  const element = parsedObject(raw);
  if (element === null) return JSON.stringify({ _raw: raw.trim(), ...added });
  const entries = Object.entries(element);
  const own = entries.filter(([name]) => !isAddedColumn(name));
  if (own.length < entries.length) return JSON.stringify(Object.fromEntries([...own, ...Object.entries(added)]));
  // The text is kept as it is: reading and writing it again would change long numbers and repeated names.
  const body = raw.trim().slice(0, -1);
  return `${body}${entries.length > 0 ? ',' : ''}${JSON.stringify(added).slice(1)}`;
}

function parsedObject(raw: string): object | null {
  try {
    const element: unknown = JSON.parse(raw);
    return typeof element === 'object' && element !== null && !Array.isArray(element) ? element : null;
  } catch {
    return null;
  }
}
