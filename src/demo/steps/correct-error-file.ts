/** Corrects an error file: each row by the errors that the job reported for it, as a person would do. */
import type { JobError, LongshoreClient } from '@longshore/client';
import Papa from 'papaparse';
import type { CategoryNode } from '../sample-catalog.js';

/** A line of an error file. */
interface ErrorRow {
  readonly cells: string[];
  /** How many cells belong to the input. The cells after them say what is wrong. */
  readonly ownColumns: number;
  indexOf(column: string): number;
  get(column: string): string;
  set(column: string, value: string): void;
}

type Correction = (row: ErrorRow, error: JobError, categories: readonly CategoryNode[]) => void;

const MAX_TITLE_CHARACTERS = 120;

const CORRECTIONS: Readonly<Record<string, Correction>> = {
  ROW_FIELD_COUNT: rejoinTitle,
  SKU_REQUIRED: (row) => row.set('SKU', row.get('Manufacturer Part')),
  ATTRIBUTE_REQUIRED: (row) => row.set('Title', `${row.get('Brand')} ${row.get('Manufacturer Part')}`),
  NODE_NOT_FOUND: takeSuggestion,
  VALUE_NOT_IN_OPTIONS: takeSuggestion,
  NODE_NOT_LEAF: (row, { column }, categories) => change(row, column, (path) => firstLeaf(path, categories)),
  VALUE_TYPE: (row, { column }) => change(row, column, rewritten),
  VALUE_RANGE: (row, { column }) => change(row, column, () => '0'),
  VALUE_PATTERN: (row, { column }) => change(row, column, (value) => value.replaceAll(' ', '')),
  VALUE_TOO_LONG: (row, { column }) => change(row, column, (value) => value.slice(0, MAX_TITLE_CHARACTERS).trim()),
  VALUE_NOT_UNIQUE: leaveOut,
  ATTRIBUTE_NOT_ASSIGNED: leaveOut,
  PARENT_NOT_FOUND: leaveOut,
  // A quote was not doubled. The error file contains it correctly.
  INVALID_TEXT: () => undefined,
};

function change(row: ErrorRow, column: string | null, corrected: (value: string) => string): void {
  if (column !== null) row.set(column, corrected(row.get(column)));
}

/** Clears the cell. An empty cell does not change the value. */
function leaveOut(row: ErrorRow, { column }: JobError): void {
  change(row, column, () => '');
}

/** Uses the suggestion of a message such as `did you mean "Grey"?`. */
function takeSuggestion(row: ErrorRow, { column, message }: JobError): void {
  const suggested = /did you mean "(.+)"\?/.exec(message)?.[1];
  change(row, column, () => suggested ?? '');
}

/** Joins a title that an unquoted comma has split, which moved all cells after it to the right. */
function rejoinTitle(row: ErrorRow): void {
  const { cells, ownColumns } = row;
  const surplus = row.get('_extra') === '' ? [] : (Papa.parse<string[]>(row.get('_extra')).data[0] ?? []);
  const all = [...cells.slice(0, ownColumns), ...surplus];
  const title = row.indexOf('Title');
  const parts = surplus.length + 1;
  all.splice(title, parts, all.slice(title, title + parts).join(','));
  cells.splice(0, ownColumns, ...all);
}

/** Corrects decimal commas and days that do not exist, and clears words in a column of numbers. */
function rewritten(value: string): string {
  const date = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(value);
  if (date !== null) return lastDayOf(Number(date[3]), Number(date[2]));
  if (/^[\d.]+,\d+$/.test(value)) return value.replaceAll('.', '').replace(',', '.');
  return '';
}

function lastDayOf(year: number, month: number): string {
  const day = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return `${day}.${String(month).padStart(2, '0')}.${year}`;
}

/** Items belong to categories without subcategories: chooses the first such category below. */
function firstLeaf(path: string, categories: readonly CategoryNode[]): string {
  const [name, ...rest] = path.split('->');
  const node = categories.find((category) => category.name === name);
  const next = rest[0] ?? node?.children[0]?.name;
  if (name === undefined || node === undefined || next === undefined) return name ?? '';
  return `${name}->${firstLeaf([next, ...rest.slice(1)].join('->'), node.children)}`;
}

interface CorrectedFile {
  /** The file with all its columns; an import ignores those that begin with `_`. */
  readonly text: string;
  readonly rows: number;
}

/**
 * @param text the error file, as it was downloaded
 * @param errors the errors of the job, with the row numbers that are in the column `_row`
 */
export function correctErrorFile(
  text: string,
  errors: readonly JobError[],
  categories: readonly CategoryNode[],
): CorrectedFile {
  const [header = [], ...lines] = Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
  const rows = lines.map((cells) => errorRow(header, cells));
  for (const row of rows) {
    for (const error of errors.filter((one) => String(one.row) === row.get('_row'))) {
      const correct = CORRECTIONS[error.code];
      if (correct === undefined)
        throw new Error(`row ${error.row}: the demo has no correction for the code ${error.code}`);
      correct(row, error, categories);
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

export async function allErrors(api: LongshoreClient, id: string): Promise<JobError[]> {
  const errors: JobError[] = [];
  for await (const error of api.jobErrors(id)) errors.push(error);
  return errors;
}
