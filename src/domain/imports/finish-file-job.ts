/** The finish step of a file job: adds up the counts of its chunks, writes its error file, and ends the job. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import type { JobError } from '../../../db/models/job-error.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { CsvErrorFormat } from '../formats/error-files/csv-error-line.js';
import { errorFileHeader } from '../formats/error-files/csv-error-line.js';
import { csvErrorLines, jsonErrorLines, PIECE_CHARACTERS } from '../formats/error-rows.js';
import { writeErrorWorkbook } from '../formats/error-workbook.js';
import type { FileFormat } from '../formats/file-format.js';
import { FILE_FORMATS, formatOf, writtenContentTypeOf } from '../formats/file-format.js';
import type { SourceLimits } from '../formats/model/source-limits.js';
import { DEFAULT_LIMITS } from '../formats/model/source-limits.js';
import { WORKBOOK_DELIMITER } from '../formats/model/workbook-column.js';
import type { OriginalRows } from '../formats/xlsx/rows/original-rows.js';
import { openOriginalRows } from '../formats/xlsx/rows/original-rows.js';
import { sumCounts } from '../jobs/apply-chunks.js';
import { closeChunks } from '../jobs/atomic-chunks.js';
import { endJob } from '../jobs/end-job.js';
import { lockJobStep } from '../jobs/job-steps.js';
import { failedEnd } from '../jobs/model/failure.js';
import type { JobEnd } from '../jobs/model/job-end.js';
import { abortedEnd, dryRunEnd, endOf, ROWS_FAILED } from '../jobs/model/job-end.js';
import { parseJob } from '../jobs/model/job-type.js';
import type { StepPayload } from '../jobs/model/step-payload.js';
import { loadJob } from '../jobs/read-job.js';
import type { ChunkCounts } from '../kernel/chunk-result.js';
import { newId } from '../kernel/identifier.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { RowCode, RowProblem } from '../kernel/row-problem.js';
import { loadApplier } from './appliers/load-applier.js';
import type { ImportJob } from './model/import-jobs.js';
import { IMPORT_JOBS } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import type { InputPlan } from './model/input-plan.js';
import { spoolKey } from './model/input-plan.js';
import { workbookColumns } from './model/row-applier.js';
import { inputKey, readChunk } from './pipeline/read-chunk.js';

interface FinishServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/**
 * Ends a job whose chunks are done, that is being cancelled, or that has failed permanently.
 * @param mostFailed the job is not ended when more of its rows failed, because its error file would take too long;
 *   absent: any number
 * @returns whether it ended here; false when the fencing token is outdated
 */
export async function finishFileJob(
  { db, fileStore }: FinishServices,
  payload: StepPayload,
  mostFailed?: number,
): Promise<boolean> {
  const { jobId, dispatch } = payload;
  const job = await loadJob(db, IMPORT_JOBS, jobId);
  if (job === undefined || job.step !== 'finish' || !isCurrentToken(`job ${jobId}`, dispatch, job.dispatch))
    return false;
  await closeChunks(db, job);
  if (mostFailed !== undefined) {
    // The error file of a workbook is made from the workbook itself, which may take long to read again.
    const most = job.plan?.delimiter === WORKBOOK_DELIMITER ? 0 : mostFailed;
    if ((await sumCounts(db, jobId)).failed > most) return false;
  }
  const errorFile = await writeErrorFile({ db, fileStore }, job);
  const ended = await withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, payload, 'finish');
    if (row === undefined) return false;
    const current = parseJob(IMPORT_JOBS, row);
    const counts = await sumCounts(trx, jobId);
    await trx('unique_wait').where({ job_id: jobId }).delete();
    await endJob(trx, jobId, {
      ...howItEnds(current, counts),
      counts,
      errorFileId: errorFile === null ? undefined : await recordErrorFile(trx, current, errorFile),
    });
    return true;
  });
  // With a plan, the normalised copy is kept as long as the job, because the job's result is read from it.
  if (ended && job.plan === null) await fileStore.remove(spoolKey(jobId));
  return ended;
}

function howItEnds(job: ImportJob, counts: ChunkCounts): Pick<JobEnd, 'status' | 'statusMessage' | 'reason'> {
  const applied = counts.created + counts.updated + counts.unchanged;
  if (job.status === 'CANCELLATION_IN_PROGRESS') {
    const remaining = job.isAtomic ? 'no row was applied' : `the ${applied} rows applied before remain`;
    return { status: 'CANCELLED', statusMessage: `cancelled on request; ${remaining}` };
  }
  const failed = failedEnd(job, applied);
  if (failed !== null) return failed;
  if (job.isDryRun) return dryRunEnd(counts);
  if (job.reason === ROWS_FAILED) return abortedEnd(counts.failed);
  return endOf(counts);
}

async function recordErrorFile(trx: Knex.Transaction, job: ImportJob, file: ErrorFile): Promise<string> {
  const id = newId();
  await trx('file').insert({
    id,
    site_id: job.site_id,
    type: 'ERROR_FILE',
    name: file.name,
    status: 'UPLOADED',
    storage_key: file.key,
    content_type: file.contentType,
    bytes: file.bytes,
    job_id: job.id,
    uploaded_at: trx.fn.now(),
  });
  return id;
}

// The error file of a job: its failed rows in the input's own format, with their problems, to be corrected.

interface ErrorFile {
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
}

/** The codes of superseded rows. */
const SUPERSEDED: readonly RowCode[] = ['SKU_DUPLICATE_IN_REQUEST', 'NAME_DUPLICATE_IN_REQUEST'];

/**
 * The problems whose rows are in the error file. Superseded rows are left out, because if they were sent again they
 * would overwrite the winning row, unless that row failed: then all rows with the key are there.
 */
function inErrorFile(db: Db, jobId: string): Knex.QueryBuilder {
  return db('job_error')
    .where({ job_id: jobId })
    .where((or) =>
      or
        .whereNotIn('code', SUPERSEDED)
        .orWhereExists(
          db('job_error AS winner')
            .where('winner.job_id', jobId)
            .whereRaw('winner.row_no = job_error.winning_row AND winner.seq = 0'),
        ),
    );
}

/**
 * Writes the error file of a file job, one chunk at a time. Writing it again replaces it.
 * @returns null when there is nothing to correct
 */
async function writeErrorFile(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
): Promise<ErrorFile | null> {
  const { db, fileStore } = services;
  const { plan } = job;
  if (job.input_file_id === null || plan === null) return null;
  if ((await firstFailure(db, job.id)) === undefined) return null;
  const input = await File.query(db).findById(job.input_file_id).throwIfNotFound();
  const format = formatOf(input.name);
  const { reads } = FILE_FORMATS[format.format];
  const key = `errors/${job.id}.${format.extension}`;
  const pending = await fileStore.create(key);
  try {
    if (reads === 'workbook') await writeWorkbook(services, job, plan, input, pending.stream);
    else await writeText(errorLines(services, job, plan, format), format, pending.stream);
    await pending.commit();
  } catch (error) {
    await pending.discard();
    throw error;
  }
  return {
    key,
    name: `errors-${input.name}`,
    contentType: writtenContentTypeOf(format),
    bytes: await fileStore.requireSize(key),
  };
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
  const size = key === null ? null : await fileStore.size(key);
  if (key === null || size === null) return null;
  return openOriginalRows({
    openUpload: () => fileStore.read(key),
    openRanges: async () => ({ size, readRange: (start, end) => fileStore.readRange(key, start, end) }),
    createScratch: () => fileStore.createScratch(),
    gzip: formatOf(name).gzip,
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

interface FailedChunk {
  readonly bytes: Buffer;
  readonly firstRow: number;
  readonly failed: ReadonlyMap<number, readonly RowProblem[]>;
}

async function* failedChunks(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  plan: InputPlan,
): AsyncGenerator<FailedChunk> {
  const chunks = await JobChunk.query(db)
    .where({ job_id: job.id })
    .select('idx', 'first_row', 'byte_start', 'byte_end', 'error_count')
    .orderBy('idx');
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.error_count === 0) continue;
    const beyond = chunks[index + 1]?.first_row ?? Number.MAX_SAFE_INTEGER;
    const failed = await loadFailed(db, job.id, chunk.first_row, beyond);
    if (failed.size === 0) continue;
    yield {
      bytes: await readChunk(fileStore, await inputKey(db, job, plan), chunk),
      firstRow: chunk.first_row,
      failed,
    };
  }
}

async function loadFailed(db: Db, jobId: string, from: number, beyond: number): Promise<Map<number, RowProblem[]>> {
  const rows: Pick<JobError, 'row_no' | 'col' | 'code' | 'message'>[] = await inErrorFile(db, jobId)
    .where('row_no', '>=', from)
    .where('row_no', '<', Math.min(beyond, 2_147_483_647))
    .orderBy(['row_no', 'seq'])
    .select('row_no', 'col', 'code', 'message');
  const failed = new Map<number, RowProblem[]>();
  for (const { row_no: row, col, code, message } of rows) {
    const problem = { code: code as RowCode, column: col, message };
    const others = failed.get(row);
    if (others === undefined) failed.set(row, [problem]);
    else others.push(problem);
  }
  return failed;
}
