/** Steps 9 to 11: gets a template, uploads a file and follows its job, then corrects and uploads its error file. */
import type { Job, JobError, LongshoreClient } from '@longshore/client';
import Papa from 'papaparse';
import { expectEqual } from './expect-equal.js';
import type { CategoryNode, Expected, SampleCatalog } from './sample-catalog.js';
import type { Screen } from './screen.js';
import { count } from './screen.js';

const ROWS_WIDTH = 16;

/** Checks that the template contains all columns of items.csv. It names every column that an item file may have. */
export async function checkTemplate(api: LongshoreClient, { csv }: SampleCatalog, screen: Screen): Promise<void> {
  const columns = headerOf(await (await api.getItemTemplate()).text());
  const own = headerOf(csv.slice(0, csv.indexOf('\n')));
  expectEqual(
    'columns of items.csv that the template does not have',
    own.filter((name) => !columns.includes(name)),
    [],
  );
  screen.step('Template', `${columns.length} columns, of which items.csv fills ${own.length}`);
}

export async function importItems(api: LongshoreClient, catalog: SampleCatalog, screen: Screen): Promise<Job> {
  const { csvImport } = catalog.expected;
  screen.step('Items as a file', `items.csv, ${count(csvImport.rows)} rows, ${megabytes(catalog.csv)}`);
  const job = await importFile(api, 'items.csv', catalog.csv, screen);
  showEnd(job, screen);
  showErrors(job, screen);
  checkImport(job, csvImport);
  return job;
}

/** Corrects the rows that failed and imports them again. */
export async function importCorrected(
  api: LongshoreClient,
  first: Job,
  catalog: SampleCatalog,
  screen: Screen,
): Promise<void> {
  const errors = await allErrors(api, first.id);
  const [fileId] = first.errorFiles;
  const errorFile = await (await api.download(fileId ?? '')).text();
  const corrected = correctErrorFile(errorFile, errors, catalog.categories.primary);
  screen.step('Error file', `${corrected.rows} rows downloaded, corrected by their error codes, and uploaded again`);
  const job = await importFile(api, 'items-corrected.csv', corrected.text, screen);
  showEnd(job, screen);
  showErrors(job, screen);
  const { inErrorFile } = catalog.expected.csvImport;
  expectEqual('rows of the error file', corrected.rows, inErrorFile);
  expectEqual('status of the corrected import', job.status, 'COMPLETED');
  expectEqual('errors of the corrected import', job.progressTracker.errorCount, 0);
  expectEqual('items created by the corrected import', job.progressTracker.createdCount, inErrorFile);
}

/** Announces the file, uploads it to the URL of the answer, and follows the job, which starts automatically. */
export async function importFile(api: LongshoreClient, fileName: string, text: string, screen: Screen): Promise<Job> {
  const { job } = await api.importFile(text, {
    fileName,
    options: { mode: 'upsert' },
    onProgress: ({ job }) => {
      if (job === undefined) return;
      const { totalCount, processedCount } = job.progressTracker;
      if (totalCount !== null) screen.progress(processedCount, totalCount);
    },
  });
  screen.progressEnded();
  return job;
}

export function showEnd({ status, progressTracker: tracker }: Job, screen: Screen): void {
  const { createdCount, updatedCount, unchangedCount, errorCount } = tracker;
  screen.line(
    `    ${status}: ${count(createdCount)} created, ${count(updatedCount)} updated, ` +
      `${count(unchangedCount)} unchanged, ${count(errorCount)} failed`,
  );
}

function showErrors({ errorSummary }: Job, screen: Screen): void {
  if (errorSummary.length === 0) return;
  const lines = errorSummary.map(({ code, path, rows, example }) => [code, path ?? '', shortened(rows), example]);
  screen.table([['CODE', 'COLUMN', 'ROWS', 'FIRST MESSAGE'], ...lines]);
}

function shortened(rows: string): string {
  return rows.length > ROWS_WIDTH ? `${rows.slice(0, ROWS_WIDTH - 1)}…` : rows;
}

function checkImport(job: Job, expected: Expected['csvImport']): void {
  const { totalCount, createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
  expectEqual('status of the import', job.status, 'COMPLETED_PARTIALLY');
  expectEqual('rows of the import', totalCount, expected.rows);
  expectEqual('items created by the import', createdCount, expected.created);
  expectEqual('items updated by the import', updatedCount, expected.updated);
  expectEqual('items unchanged by the import', unchangedCount, expected.unchanged);
  expectEqual('rows that failed in the import', errorCount, expected.failed);
  const problems = job.errorSummary.map(({ code, path, count }) => ({ code, path, count }));
  expectEqual('error summary', sorted(problems), sorted(expected.problems));
}

function sorted(problems: readonly object[]): string[] {
  return problems.map((problem) => JSON.stringify(problem)).sort();
}

function headerOf(line: string): string[] {
  return Papa.parse<string[]>(line.trim()).data[0] ?? [];
}

function megabytes(text: string): string {
  return `${(Buffer.byteLength(text) / 1_000_000).toFixed(1)} MB`;
}

// Corrects an error file: each row by the errors that the job reported for it, as a person would do.

// Corrections by the code of an error

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
function correctErrorFile(
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

async function allErrors(api: LongshoreClient, id: string): Promise<JobError[]> {
  const errors: JobError[] = [];
  for await (const error of api.jobErrors(id)) errors.push(error);
  return errors;
}
