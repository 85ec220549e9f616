/** Steps 9 to 11: gets a template, uploads a file and follows its job, then corrects and uploads its error file. */
import type { Job, LongshoreClient } from '@longshore/client';
import Papa from 'papaparse';
import { expectEqual } from '../expect-equal.js';
import type { Expected, SampleCatalog } from '../sample-catalog.js';
import { count, type Screen } from '../screen.js';
import { allErrors, correctErrorFile } from './correct-error-file.js';

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
