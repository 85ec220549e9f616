/** A failed CSV row as a line of an error file, which can be corrected and uploaded again without other changes. */

import type { RowProblem } from '../../kernel/row-problem.js';
import { csvLine } from '../csv/csv-line.js';
import { isAddedColumn, JOB_COLUMN } from '../model/added-columns.js';
import { describeProblems } from './describe-problems.js';

export interface CsvErrorFormat {
  readonly headerCells: readonly string[];
  readonly delimiter: string;
  /** Whether the file has an `_extra` column: when any failed row of the job is ragged (ROW_FIELD_COUNT). */
  readonly withExtra: boolean;
  /** The id of the job, which brings its options when the file is imported again. */
  readonly job: string;
  /** Puts an apostrophe before texts that a spreadsheet would execute as formulas. */
  readonly escapeFormulas?: boolean | undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';

/**
 * The error file's first line. Because of the byte order mark, the file is read as UTF-8 whatever `encoding` the upload names.
 */
export function errorFileHeader(format: CsvErrorFormat): string {
  const own = format.headerCells.filter((cell) => !isAddedColumn(cell));
  const added = ['_row', '_column', '_code', '_message', JOB_COLUMN];
  if (format.withExtra) added.push('_extra');
  return BYTE_ORDER_MARK + lineOf([...own, ...added], format) + LINE_END;
}

/**
 * One failed CSV row, with its line end: the input's own cells, then what is wrong, then surplus cells.
 */
export function csvErrorLine(
  row: number,
  cells: readonly string[],
  problems: readonly RowProblem[],
  format: CsvErrorFormat,
): string {
  const line: string[] = [];
  for (const [index, header] of format.headerCells.entries()) {
    if (!isAddedColumn(header)) line.push(cells[index] ?? '');
  }
  const described = describeProblems(problems);
  line.push(String(row), described.column, described.code, described.message, format.job);
  if (format.withExtra) line.push(lineOf(cells.slice(format.headerCells.length), format));
  return lineOf(line, format) + LINE_END;
}

/** The delimiter is that of the input, so other delimiters in a cell need no quotes. */
function lineOf(cells: readonly string[], { delimiter, escapeFormulas = false }: CsvErrorFormat): string {
  return csvLine(cells, { delimiter, quoted: 'own delimiter', escapeFormulas });
}
