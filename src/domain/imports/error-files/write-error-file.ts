/** The error file of a job: its failed rows in the input's own format, with their problems, to be corrected. */

import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../../../../db/connection.js';
import { File } from '../../../../db/models/file.js';
import type { FileStore } from '../../../platform/file-store.js';
import { storeFile } from '../../../platform/store-file.js';
import { type CsvErrorFormat, errorFileHeader } from '../../formats/error-files/csv-error-line.js';
import { csvErrorLines, jsonErrorLines, PIECE_CHARACTERS } from '../../formats/error-rows.js';
import { writeErrorWorkbook } from '../../formats/error-workbook.js';
import type { FileFormat } from '../../formats/file-format.js';
import { contentTypeOf, FILE_FORMATS, formatOf, writtenContentTypeOf, writtenName } from '../../formats/file-format.js';
import { DEFAULT_LIMITS, type SourceLimits } from '../../formats/model/source-limits.js';
import { storedBytes } from '../../formats/model/stored-bytes.js';
import { type OriginalRows, openOriginalRows } from '../../formats/xlsx/rows/original-rows.js';
import { loadApplier } from '../appliers/load-applier.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { InputPlan } from '../rows/input-plan.js';
import { workbookColumns } from '../rows/row-applier.js';
import { failedChunks, inErrorFile } from './failed-chunks.js';
import { writeSourceErrors } from './source-error-file.js';

export interface ErrorFile {
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
}

/** The rows of these are no rows of a client, who could correct them; an archive goes in as a whole. */
const WITHOUT_FILE: readonly string[] = ['revert', 'promote', 'site'];

/**
 * Writes the error file of a file job, one chunk at a time. Writing it again replaces it.
 * @returns null when there is nothing to correct
 */
export async function writeErrorFile(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
): Promise<ErrorFile | null> {
  const { db, fileStore } = services;
  const { plan } = job;
  if (job.input_file_id === null || plan === null || WITHOUT_FILE.includes(job.kind)) return null;
  if ((await firstFailure(db, job.id)) === undefined) return null;
  const input = await File.query(db).findById(job.input_file_id).throwIfNotFound();
  const name = writtenName(input.name);
  const format = formatOf(name);
  const { reads } = FILE_FORMATS[format.format];
  const key = `errors/${job.id}.${format.extension}`;
  const { profile }: Partial<ImportOptions> = job.options;
  // What has the form of the source is made from it.
  const isGone = input.storage_key === null || (await fileStore.size(input.storage_key)) === null;
  if (plan.sourceNames !== undefined && isGone) return null;
  let contentType = writtenContentTypeOf(format);
  await storeFile(fileStore, key, async (stream) => {
    if (profile && plan.sourceNames !== undefined) {
      const encoding = await writeSourceErrors(services, job, plan, profile, input, stream);
      if (encoding !== null) contentType = encodedTypeOf(format, encoding);
    } else if (reads === 'workbook') await writeWorkbook(services, job, plan, input, stream);
    else await writeText(errorLines(services, job, plan, format), format, stream);
  });
  return {
    key,
    name: `errors-${name}`,
    contentType,
    bytes: await fileStore.requireSize(key),
  };
}

/** Nothing else says in which encoding a compressed text is; who does not know the parameter passes over it. */
function encodedTypeOf(format: FileFormat, encoding: string): string {
  const type = contentTypeOf(format, encoding);
  return type.includes('charset=') ? type : `${type}; charset=${encoding}`;
}

function writeText(text: AsyncIterable<string>, { gzip }: FileFormat, into: Writable): Promise<void> {
  return gzip ? pipeline(text, createGzip(), into) : pipeline(text, into);
}

async function writeWorkbook(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  plan: InputPlan,
  input: File,
  into: Writable,
): Promise<void> {
  const { gzip } = formatOf(input.name);
  const headerCells = plan.headerCells ?? [];
  const applier = await loadApplier(services.db, job, job.definitions_version ?? 0, headerCells);
  const { withExtra } = await csvFormat(services.db, job, plan);
  const { sheet }: Partial<ImportOptions> = job.options;
  const columns = workbookColumns(applier, headerCells);
  const originals = await originalRows(services.fileStore, input, sheet, { ...DEFAULT_LIMITS, ...applier.limits });
  const workbook = { headerCells, columns, withExtra, job: job.id, sheetName: sheet ?? 'Errors', originals };
  const chunks = failedChunks(services, job, plan);
  try {
    if (!gzip) return await writeErrorWorkbook(into, chunks, workbook);
    const packer = createGzip();
    await Promise.all([pipeline(packer, into), writeErrorWorkbook(packer, chunks, workbook)]);
  } finally {
    await originals?.close();
  }
}

/** The rows of the uploaded workbook; null when it is no longer kept. */
async function originalRows(
  fileStore: FileStore,
  { name, storage_key: key }: File,
  sheet: string | undefined,
  limits: SourceLimits,
): Promise<OriginalRows | null> {
  if (key === null || (await fileStore.size(key)) === null) return null;
  return openOriginalRows({
    ...storedBytes(fileStore, key),
    ...formatOf(name),
    options: { sheet },
    limits,
    signal: new AbortController().signal,
  });
}

function firstFailure(db: Db, jobId: string): Promise<unknown> {
  return inErrorFile(db, jobId).first('row_no');
}

async function* errorLines(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  plan: InputPlan,
  format: FileFormat,
): AsyncGenerator<string> {
  const isArray = FILE_FORMATS[format.format].rows === 'array';
  const csv = plan.bodyFormat === 'CSV' ? await csvFormat(services.db, job, plan) : null;
  if (csv !== null) yield errorFileHeader(csv);
  if (isArray) yield '[';
  let separator = '\n';
  for await (const { bytes, firstRow, failed } of failedChunks(services, job, plan)) {
    if (csv !== null) {
      yield* csvErrorLines(bytes, firstRow, failed, csv);
      continue;
    }
    let text = '';
    for (const line of jsonErrorLines(bytes, firstRow, failed, job.id)) {
      text += isArray ? separator + line : `${line}\n`;
      separator = ',\n';
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
  if (isArray) yield '\n]\n';
}

async function csvFormat(db: Db, job: ImportJob, plan: InputPlan): Promise<CsvErrorFormat> {
  const ragged = await db('job_error').where({ job_id: job.id, code: 'ROW_FIELD_COUNT' }).first('row_no');
  const { escapeFormulas }: Partial<ImportOptions> = job.options;
  return {
    headerCells: plan.headerCells ?? [],
    delimiter: plan.delimiter ?? ',',
    withExtra: ragged !== undefined,
    job: job.id,
    escapeFormulas,
  };
}
