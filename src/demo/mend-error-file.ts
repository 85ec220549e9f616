/** Mends an error file: every row by what the job's errors say of it. What a person would do, as a program. */
import Papa from 'papaparse';
import type { RowError } from './jobs.js';
import { type ErrorRow, MENDS } from './mends.js';
import type { CategoryNode } from './sample-catalog.js';

export interface MendedFile {
  /** With all its columns: those that begin with `_` are ignored on import. */
  readonly text: string;
  readonly rows: number;
}

/**
 * @param text the error file, as it was downloaded
 * @param errors what is wrong with each row, by the row number that the file repeats in `_row`
 */
export function mendErrorFile(
  text: string,
  errors: readonly RowError[],
  categories: readonly CategoryNode[],
): MendedFile {
  const [header = [], ...lines] = Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
  const rows = lines.map((cells) => errorRow(header, cells));
  for (const row of rows) {
    for (const error of errors.filter((one) => String(one.row) === row.get('_row'))) {
      const mend = MENDS[error.code];
      if (mend === undefined) throw new Error(`row ${error.row}: nobody has said how to mend a ${error.code}`);
      mend(row, error, categories);
    }
  }
  return { text: `${Papa.unparse([header, ...rows.map(({ cells }) => cells)])}\r\n`, rows: rows.length };
}

function errorRow(header: readonly string[], line: readonly string[]): ErrorRow {
  const cells = [...line];
  const indexOf = (name: string): number => header.indexOf(name);
  return {
    cells,
    ownColumns: header.filter((name) => !name.startsWith('_')).length,
    indexOf,
    get: (name) => cells[indexOf(name)] ?? '',
    set: (name, value) => {
      cells[indexOf(name)] = value;
    },
  };
}
