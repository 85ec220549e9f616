/** Applies the rules of a profile to a row of the source: what an export by the profile compares its rows with. */
import { columnCells } from '../apply/column-cells.js';
import type { ColumnRule } from '../model/column-rule.js';

/** What a rule makes of a row, as an import reads it; null: a step fails. */
export type Forward = (row: readonly string[]) => string | null;

const QUOTE = '"'.charCodeAt(0);

/** @param places where the sources of the rule are in a row */
export function compileForward(rule: ColumnRule, places: readonly number[]): Forward {
  const { of } = columnCells(rule, { at: places, name: '' });
  return (row) => readCell(of(row, null));
}

/** The text of a cell as the copy of a mapped file has it; a cell that begins with NUL is marked as refused. */
function readCell(cell: string): string | null {
  const first = cell.charCodeAt(0);
  if (first === 0) return null;
  if (first !== QUOTE) return cell;
  return cell.charCodeAt(1) === 0 ? null : cell.slice(1, -1).replaceAll('""', '"');
}
