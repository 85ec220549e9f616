/** The plan step of a file job: checks the file in one streaming pass, and records its chunks in one transaction. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import type { PendingFile } from '../../platform/file-store.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type CsvRow, csvRows } from '../formats/csv/parse-csv-chunk.js';
import { formatOf } from '../formats/file-format.js';
import { type JsonRow, jsonRows } from '../formats/json/json-rows.js';
import { JOB_COLUMN } from '../formats/model/added-columns.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../formats/model/source-limits.js';
import { planSource } from '../formats/plan-source.js';
import { lockPlanStep } from '../jobs/job-steps.js';
import { parseJob } from '../jobs/model/job-type.js';
import { recordPlan } from '../jobs/plan-chunks.js';
import type { FileJobServices, FilePlan } from './execute/file-plan.js';
import { reject } from './execute/reject-file.js';
import { chooseRetriedRows } from './execute/retried-rows.js';
import { readHeaderOf, refuseOtherElement } from './execute/wrong-file-type.js';
import { withOptionsOf } from './given-options.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import { createBeforeRows, loadPlanApplier } from './missing/create-definitions.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { type InputPlan, spoolKey } from './model/input-plan.js';
import { type RowApplier, rowRange, workbookColumns } from './model/row-applier.js';
import { optionsOfImport } from './options-of-import.js';

interface PlannedFile {
  /** What to enqueue. */
  readonly outboxEntries: OutboxEntry[];
  readonly isOneChunk: boolean;
  /** Whether the job ended here, as REJECTED. */
  readonly ended: boolean;
}

/**
 * Plans a file job that has begun.
 * @throws the signal's reason when it is aborted; nothing is recorded in that case
 */
export async function planFileJob(
  services: FileJobServices,
  begun: ImportJob,
  dispatch: number,
  version: number,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const { db } = services;
  const prepared = await createBeforeRows(db, { job: begun, definitionsVersion: version }, dispatch);
  if ('ended' in prepared) return { outboxEntries: [], isOneChunk: false, ended: prepared.ended };
  const { job, definitionsVersion } = prepared;
  let importing = job;
  let applier: RowApplier;
  let plan: FilePlan;
  try {
    applier = await loadPlanApplier(db, job, definitionsVersion);
    plan = await readSource(services, job, applier, signal);
    const first = await firstRowOf(services, job, plan);
    if (first !== undefined && 'element' in first) refuseOtherElement(job, first.element);
    const retrying = await withOptionsOfFailed(services, job, plan, first);
    if (retrying !== undefined) {
      importing = retrying;
      applier = await loadPlanApplier(db, importing, definitionsVersion);
      plan = await readSource(services, importing, applier, signal);
    }
    plan = await chooseRetriedRows(services, importing, plan, await bytesKey(db, importing, plan));
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { outboxEntries: [], isOneChunk: false, ended: await reject(db, { jobId: job.id, dispatch }, error) };
  }
  const outboxEntries = await record(db, importing, dispatch, plan, applier, importing !== job);
  return { outboxEntries, isOneChunk: plan.chunks.length === 1, ended: false };
}

/**
 * The job with the options of the job that made the file, where its announcement left them out; undefined when the file
 * is no error file of the site, or the announcement named a job.
 */
async function withOptionsOfFailed(
  services: FileJobServices,
  job: ImportJob,
  plan: FilePlan,
  first: CsvRow | JsonRow | undefined,
): Promise<ImportJob | undefined> {
  const { retryOf }: Partial<ImportOptions> = job.options;
  if (retryOf !== undefined || first === undefined) return undefined;
  const jobId = failedJobOf(first, plan);
  const earlier = jobId === undefined ? undefined : await optionsOfImport(services.db, job.site_id, jobId, job.kind);
  if (earlier === undefined || jobId === undefined) return undefined;
  const file = await uploadOf(services.db, job);
  const row = await Job.query(services.db).findById(job.id).throwIfNotFound();
  const options = withOptionsOf(job.options, earlier, jobId, formatOf(file.name).format);
  return parseJob(IMPORT_JOBS, Object.assign(row, { options }));
}

/** The first row; undefined for a table without the column `_job`, of which no row is needed. */
async function firstRowOf(
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
async function bytesKey(db: Db, job: ImportJob, { source }: FilePlan): Promise<string> {
  return source === 'spool' ? spoolKey(job.id) : ((await uploadOf(db, job)).storage_key ?? '');
}

function jobColumn({ headerCells }: FilePlan): number {
  return (headerCells ?? []).findIndex((name) => name.trim().toLowerCase() === JOB_COLUMN);
}

/** The id in the column `_job` of the first row. */
function failedJobOf(first: CsvRow | JsonRow, plan: FilePlan): string | undefined {
  if ('cells' in first) return first.cells[jobColumn(plan)]?.trim();
  const { element } = first;
  const named = typeof element === 'object' && element !== null && JOB_COLUMN in element ? element[JOB_COLUMN] : null;
  return typeof named === 'string' ? named : undefined;
}

async function uploadOf(db: Db, job: ImportJob): Promise<File> {
  return File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
}

async function readSource(
  { db, fileStore, chunkRows }: FileJobServices,
  job: ImportJob,
  applier: RowApplier,
  signal: AbortSignal,
): Promise<FilePlan> {
  const file = await uploadOf(db, job);
  const key = file.storage_key;
  if (key === null) throw new Error(`file ${file.id} was never uploaded`);
  const { delimiter, encoding, sheet }: Partial<ImportOptions> = job.options;
  let spool: PendingFile | undefined;
  let keyColumn = -1;
  try {
    const plan = await planSource({
      openUpload: () => fileStore.read(key),
      openRanges: async () => ({
        size: await fileStore.requireSize(key),
        readRange: (start, end) => fileStore.readRange(key, start, end),
      }),
      createScratch: () => fileStore.createScratch(),
      createSpool: async () => {
        spool = await fileStore.create(spoolKey(job.id));
        return spool.stream;
      },
      openSpool: async () => {
        await spool?.commit();
        spool = undefined;
        return fileStore.read(spoolKey(job.id));
      },
      ...formatOf(file.name),
      options: { delimiter, encoding, sheet },
      limits: { ...DEFAULT_LIMITS, chunkRows, ...applier.limits },
      resolveHeader: (cells) => {
        keyColumn = readHeaderOf(job, cells, () => applier.readHeader(cells));
        return keyColumn;
      },
      workbookColumns: (cells) => readHeaderOf(job, cells, () => workbookColumns(applier, cells)),
      keyOf: (element) => applier.keyOf(element),
      keyField: applier.keyField ?? null,
      winner: applier.winner,
      normaliseKey: (text) => applier.normaliseKey(text),
      signal,
    });
    await spool?.commit();
    return { ...plan, keyColumn };
  } catch (error) {
    await spool?.discard();
    throw error;
  }
}

function record(
  db: Db,
  job: ImportJob,
  dispatch: number,
  { chunks, totalRows, ...found }: FilePlan,
  applier: RowApplier,
  hasOtherOptions: boolean,
): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    if ((await lockPlanStep(trx, { jobId: job.id, dispatch })) === undefined) return [];
    const lastRow = lastRowOf(chunks);
    const { source, bodyFormat, delimiter, headerCells, keyColumn } = found;
    const plan: InputPlan = {
      source,
      bodyFormat,
      delimiter,
      headerCells,
      keyColumn,
      siteWasEmpty: job.kind === 'item' && (await siteIsEmpty(trx, job.site_id)),
      reserved: job.isAtomic ? {} : await applier.reserve(trx, rowRange(headerCells, lastRow)),
      lastRow,
      ordered: applier.ordered,
    };
    // An error file that is imported again has brought the options of its job.
    const options = hasOtherOptions ? job.options : undefined;
    return recordPlan(trx, job, plan, { chunks, totalRows, options });
  });
}

/** The number of the last line of the last chunk, which no row number exceeds. */
function lastRowOf(chunks: FilePlan['chunks']): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.firstRow + last.lineCount - 1;
}
