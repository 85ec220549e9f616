/** The first row of a planned file, and the job that it names: that of an error file. */
import type { Db } from '../../../../db/connection.js';
import { type CsvRow, csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { type JsonRow, jsonRows } from '../../formats/json/json-rows.js';
import { JOB_COLUMN } from '../../formats/model/added-columns.js';
import type { ImportJob } from '../model/import-jobs.js';
import { spoolKey } from '../model/spool-key.js';
import type { FileJobServices, FilePlan } from './file-plan.js';
import { uploadOf } from './read-source.js';

/** The first row; undefined for a table without the column `_job`, of which no row is needed. */
export async function firstRowOf(
  { db, fileStore }: FileJobServices,
  job: ImportJob,
  plan: FilePlan,
): Promise<CsvRow | JsonRow | undefined> {
  const { chunks, bodyFormat, headerCells, delimiter } = plan;
  const [chunk] = chunks;
  if (chunk === undefined || (bodyFormat === 'CSV' && jobColumn(plan) < 0)) return undefined;
  const bytes = await fileStore.readRange(await bytesKey(db, job, plan), chunk.byteStart, chunk.byteEnd);
  const { firstRow } = chunk;
  if (bodyFormat === 'JSONL') return jsonRows(bytes, { firstRow }).next().value ?? undefined;
  const options = { delimiter: delimiter ?? ',', columns: headerCells?.length ?? 0, firstRow };
  return csvRows(bytes, options).next().value ?? undefined;
}

/** Where the bytes are that the chunks of a plan refer to. */
export async function bytesKey(db: Db, job: ImportJob, { source }: FilePlan): Promise<string> {
  return source === 'spool' ? spoolKey(job.id) : ((await uploadOf(db, job)).storage_key ?? '');
}

function jobColumn({ headerCells }: FilePlan): number {
  return (headerCells ?? []).findIndex((name) => name.trim().toLowerCase() === JOB_COLUMN);
}

/** The id in the column `_job` of the first row. */
export function failedJobOf(first: CsvRow | JsonRow, plan: FilePlan): string | undefined {
  if ('cells' in first) return first.cells[jobColumn(plan)]?.trim();
  const { element } = first;
  const named = typeof element === 'object' && element !== null && JOB_COLUMN in element ? element[JOB_COLUMN] : null;
  return typeof named === 'string' ? named : undefined;
}
