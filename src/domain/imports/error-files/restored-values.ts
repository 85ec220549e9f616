/** Makes the problems of a row quote what the user's file holds, in place of what a profile has made of it. */
import { isMarked } from '../../formats/xlsx/rows/marked-cell.js';
import { quoted } from '../../kernel/value-problem.js';
import type { RecordedProblem } from './failed-chunks.js';

/** A failed row, in the columns of ours. */
export interface MappedRow {
  /** The cells that the import has read. */
  readonly cells: readonly string[];
  /** What the source holds for each of them. */
  readonly sources: readonly string[];
}

/** @param sourceNames what the source of each column is called, as the problems name it */
export function withSourceValue(
  problem: RecordedProblem,
  { cells, sources }: MappedRow,
  sourceNames: readonly string[],
): RecordedProblem {
  const { column, value = '', message } = problem;
  if (value === '' || problem.code === 'PROFILE_STEP_FAILED') return problem;
  const at = cells.findIndex(
    (cell, index) => sourceNames[index] === column && !isMarked(cell) && isValueOf(value, cell.trim()),
  );
  const cell = cells[at];
  const source = sources[at];
  if (cell === undefined || source === undefined || source === '' || source === cell) return problem;
  let restated = message;
  for (const written of new Set([cell, cell.trim(), value]))
    restated = restated.replaceAll(quoted(written), () => quoted(source));
  return { ...problem, message: restated, value: source };
}

/** Values are cut. */
function isValueOf(value: string, cell: string): boolean {
  const trimmed = value.trim();
  return cell === trimmed || (trimmed.length >= MIN_CUT && cell.startsWith(trimmed.slice(0, MIN_CUT)));
}

const MIN_CUT = 150;
