/** The plan step of a file job: checks the file in one streaming pass, and records its chunks in one transaction. */
import type { Db } from '../../../db/connection.js';
import { type ErrorSummaryLine, Job } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { forgetPreview } from '../changes/record-changes.js';
import { type CsvRow, csvRows } from '../formats/csv/parse-csv-chunk.js';
import { formatOf } from '../formats/file-format.js';
import { type JsonRow, jsonRows } from '../formats/json/json-rows.js';
import { JOB_COLUMN } from '../formats/model/added-columns.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { lockPlanStep } from '../jobs/job-steps.js';
import { approvalOf, withoutApproval } from '../jobs/model/approval.js';
import { parseJob } from '../jobs/model/job-type.js';
import { recordPlan } from '../jobs/plan-chunks.js';
import { readApprovalRule, withApproval } from '../settings/approval-rules.js';
import { requireSameDefinitions } from './approval/definitions-moved.js';
import type { FileJobServices, FilePlan } from './execute/file-plan.js';
import { jobNamedIn } from './execute/named-job.js';
import { readSource, uploadOf } from './execute/read-source.js';
import { reject } from './execute/reject-file.js';
import { chooseRetriedRows } from './execute/retried-rows.js';
import { refuseOtherElement } from './execute/wrong-file-type.js';
import { withOptionsOf } from './given-options.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import { createBeforeRows, loadPlanApplier } from './missing/create-definitions.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { type InputPlan, spoolKey } from './model/input-plan.js';
import { type RowApplier, rowRange } from './model/row-applier.js';
import { optionsOfImport } from './options-of-import.js';
import { planRevert } from './reverts/plan-revert.js';

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
  try {
    await requireSameDefinitions(db, begun);
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { outboxEntries: [], isOneChunk: false, ended: await reject(db, { jobId: begun.id, dispatch }, error) };
  }
  const prepared = await createBeforeRows(db, { job: begun, definitionsVersion: version }, dispatch);
  if ('ended' in prepared) return { outboxEntries: [], isOneChunk: false, ended: prepared.ended };
  const { job, definitionsVersion } = prepared;
  let read: ReadFile;
  try {
    read = await (job.kind === 'revert' ? readRevert : readFile)(services, job, definitionsVersion, signal);
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return { outboxEntries: [], isOneChunk: false, ended: await reject(db, { jobId: job.id, dispatch }, error) };
  }
  const { importing, applier, plan } = read;
  const outboxEntries = await record(db, importing, dispatch, plan, applier, importing !== job);
  return { outboxEntries, isOneChunk: plan.chunks.length === 1, ended: false };
}

/** A file that was read, with the options that its rows are imported with. */
interface ReadFile {
  readonly importing: ImportJob;
  readonly applier: RowApplier;
  readonly plan: FilePlan;
}

/** @throws RejectedInput; the signal's reason when it is aborted */
async function readRevert(
  services: FileJobServices,
  job: ImportJob,
  version: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  if (job.kind !== 'revert') throw new Error(`job ${job.id} is no revert`);
  const applier = await loadPlanApplier(services.db, job, version);
  const all = await planRevert(services, job, signal);
  const plan = await chooseRetriedRows(services, job, all, await bytesKey(services.db, job, all));
  return { importing: job, applier, plan };
}

/** @throws RejectedInput; the signal's reason when it is aborted */
async function readFile(
  services: FileJobServices,
  job: ImportJob,
  version: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const { db } = services;
  const readWith = async (importing: ImportJob): Promise<ReadFile> => {
    const applier = await loadPlanApplier(db, importing, version);
    return { importing, applier, plan: await readSource(services, importing, applier, signal) };
  };
  let read: ReadFile;
  try {
    read = await readWith(job);
    const first = await firstRowOf(services, job, read.plan);
    if (first !== undefined && 'element' in first) refuseOtherElement(job, first.element);
    const jobId = read.plan.failedJobId ?? (first === undefined ? undefined : failedJobOf(first, read.plan));
    const retrying = await withOptionsOfFailed(services, job, jobId);
    if (retrying !== undefined) read = await readWith(retrying);
  } catch (error) {
    // An error file is in the form of its source, which only the options of its job can read: they may have a profile, or
    // none although the site has one by default.
    if (!(error instanceof RejectedInput) || hasChosenProfile(job)) throw error;
    const retrying = await withOptionsOfFailed(services, job, await jobNamedIn(services, job, signal));
    if (retrying === undefined || (!hasProfile(retrying) && !hasProfile(job))) throw error;
    read = await readWith(retrying);
  }
  const plan = await chooseRetriedRows(
    services,
    read.importing,
    read.plan,
    await bytesKey(db, read.importing, read.plan),
  );
  return { ...read, plan };
}

function hasProfile({ options }: ImportJob): boolean {
  const { profile }: Partial<ImportOptions> = options;
  return profile !== undefined && profile !== null;
}

/** Whether the announcement says by which profile the file is read, or by none. */
function hasChosenProfile({ options }: ImportJob): boolean {
  const { profile, implied = [], retryOf }: Partial<ImportOptions> = options;
  return retryOf !== undefined || (profile !== undefined && !implied.includes('profile'));
}

/**
 * The job with the options of the job that made the file, where its announcement left them out; undefined when the file
 * is no error file of the site, or the announcement named a job.
 */
async function withOptionsOfFailed(
  services: FileJobServices,
  job: ImportJob,
  jobId: string | undefined,
): Promise<ImportJob | undefined> {
  const { retryOf }: Partial<ImportOptions> = job.options;
  if (retryOf !== undefined) return undefined;
  const earlier = jobId === undefined ? undefined : await optionsOfImport(services.db, job.site_id, jobId, job.kind);
  if (earlier === undefined || jobId === undefined) return undefined;
  const file = await uploadOf(services.db, job);
  const row = await Job.query(services.db).findById(job.id).throwIfNotFound();
  const options = withOptionsOf(job.options, earlier, jobId, formatOf(file.name).format);
  // What the earlier job asked for is asked for again. Without it, this one may have been accepted without an approval.
  const asked = { requireApproval: true, fileType: job.type };
  const needed =
    options.requireApproval === true
      ? withApproval(await readApprovalRule(services.db, job.site_id), withoutApproval(options), asked)
      : options;
  return parseJob(IMPORT_JOBS, Object.assign(row, { options: needed }));
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

function record(
  db: Db,
  job: ImportJob,
  dispatch: number,
  { chunks, totalRows, unmapped = [], failedJobId: _, ...found }: FilePlan,
  applier: RowApplier,
  hasOtherOptions: boolean,
): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    if ((await lockPlanStep(trx, { jobId: job.id, dispatch })) === undefined) return [];
    // What was approved takes the place of what was previewed.
    if (approvalOf(job.options) !== undefined) await forgetPreview(trx, job.id);
    const lastRow = lastRowOf(chunks);
    const firstRow = found.sourceNames === undefined ? undefined : chunks[0]?.firstRow;
    const plan: InputPlan = {
      ...found,
      siteWasEmpty: job.kind === 'item' && (await siteIsEmpty(trx, job.site_id)),
      reserved: job.isAtomic ? {} : await applier.reserve(trx, rowRange(found.headerCells, lastRow, firstRow)),
      lastRow,
      firstRow,
      ordered: applier.ordered,
      ...(unmapped.length === 0 ? {} : { warnings: unmapped.map((path) => notMapped(path, totalRows)) }),
    };
    // An error file that is imported again has brought the options of its job.
    const options = hasOtherOptions ? job.options : undefined;
    return recordPlan(trx, job, plan, { chunks, totalRows, options });
  });
}

function notMapped(path: string, count: number): ErrorSummaryLine {
  const example =
    'no rule of the profile names this column, so that none of its values was imported: add a rule for it, with "to": null to ignore it';
  return { code: 'COLUMN_NOT_MAPPED', path, count, rows: 'all', example };
}

/** The number of the last line of the last chunk, which no row number exceeds. */
function lastRowOf(chunks: FilePlan['chunks']): number {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.firstRow + last.lineCount - 1;
}
