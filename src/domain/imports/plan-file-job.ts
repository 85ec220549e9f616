/** The plan step of a file job: checks the file in one streaming pass, and records its chunks in one transaction. */
import type { Db } from '../../../db/connection.js';
import { type ErrorSummaryLine, Job } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { forgetPreview } from '../changes/record-changes.js';
import { formatOf } from '../formats/file-format.js';
import type { LeftOutRows } from '../formats/mapped/table-mapping.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { approvalOf, withoutApproval } from '../job-model/approval.js';
import { parseJob } from '../job-model/job-type.js';
import { lockJobStep } from '../jobs/job-steps.js';
import { recordPlan } from '../jobs/plan-chunks.js';
import { quoted } from '../kernel/value-problem.js';
import { readApprovalRule, withApproval } from '../settings/approval-rules.js';
import { requireSameDefinitions } from './approval/definitions-moved.js';
import { besideDefault } from './execute/default-profile.js';
import type { FileJobServices, FilePlan, ReadFile } from './execute/file-plan.js';
import { bytesKey, failedJobOf, firstRowOf } from './execute/first-row.js';
import { jobNamedIn } from './execute/named-job.js';
import { readSource, uploadOf } from './execute/read-source.js';
import { reject } from './execute/reject-file.js';
import { chooseRetriedRows } from './execute/retried-rows.js';
import { refuseOtherElement } from './execute/wrong-file-type.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import type { RowsOfJobs } from './made/rows-of-jobs.js';
import { createBeforeRows, createsBeforeRows, loadPlanApplier } from './missing/create-definitions.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { withOptionsOf } from './options-of-earlier.js';
import { optionsOfImport } from './options-of-import.js';
import type { InputPlan } from './rows/input-plan.js';
import { rowRange } from './rows/row-applier.js';
import { isOfRemovals, planRemovals } from './snapshots/approved-alone.js';
import { requireSnapshotOfJob } from './snapshots/require-snapshot-of-job.js';

interface PlannedFile {
  /** What to enqueue. */
  readonly outboxEntries: OutboxEntry[];
  readonly isOneChunk: boolean;
  /** Whether the job ended here, as REJECTED. */
  readonly ended: boolean;
}

interface PlanServices extends FileJobServices {
  readonly rowsOfJobs: Pick<RowsOfJobs, 'loadApplier' | 'plan' | 'createMissing'>;
}

/**
 * Plans a file job that has begun.
 * @throws the signal's reason when it is aborted; nothing is recorded in that case
 */
export async function planFileJob(
  services: PlanServices,
  begun: ImportJob,
  dispatch: number,
  version: number,
  signal: AbortSignal,
): Promise<PlannedFile> {
  const { db, rowsOfJobs } = services;
  if (isOfRemovals(begun)) {
    return { outboxEntries: await planRemovals(db, begun, dispatch), isOneChunk: false, ended: false };
  }
  try {
    await requireSameDefinitions(db, begun);
    // A file that is rejected leaves no definitions behind.
    const tried = createsBeforeRows(begun) ? await readFile(services, begun, version, signal) : undefined;
    const prepared = await createBeforeRows(
      { db, ...rowsOfJobs },
      { job: begun, definitionsVersion: version },
      dispatch,
    );
    if (prepared === undefined) return { outboxEntries: [], isOneChunk: false, ended: false };
    const { job, definitionsVersion } = prepared;
    await requireSnapshotOfJob(db, job, definitionsVersion);
    const isAsTried = tried !== undefined && tried.importing === begun && tried.version === definitionsVersion;
    const { importing, applier, plan } = isAsTried
      ? { ...(await loadPlanApplier({ db, ...rowsOfJobs }, job, definitionsVersion)), importing: job, plan: tried.plan }
      : await (rowsOfJobs.plan(services, job, definitionsVersion, signal) ??
          readFile(services, job, definitionsVersion, signal));
    const outboxEntries = await record(db, importing, dispatch, plan, applier, importing !== job);
    return { outboxEntries, isOneChunk: plan.chunks.length === 1, ended: false };
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return {
      outboxEntries: [],
      isOneChunk: false,
      ended: await reject(db, { jobId: begun.id, dispatch }, besideDefault(begun, error)),
    };
  }
}

/** @throws RejectedInput; the signal's reason when it is aborted */
async function readFile(
  services: PlanServices,
  job: ImportJob,
  version: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const { db, rowsOfJobs } = services;
  const readWith = async (importing: ImportJob): Promise<ReadFile> => {
    const loaded = await loadPlanApplier({ db, ...rowsOfJobs }, importing, version);
    return { importing, ...loaded, plan: await readSource(services, importing, loaded.applier, signal) };
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

function record(
  db: Db,
  job: ImportJob,
  dispatch: number,
  { chunks, totalRows, unmapped = [], leftOut = [], stays = [], failedJobId: _, ...found }: FilePlan,
  applier: ReadFile['applier'],
  hasOtherOptions: boolean,
): Promise<OutboxEntry[]> {
  return db.transaction(async (trx) => {
    if ((await lockJobStep(trx, { jobId: job.id, dispatch }, 'plan')) === undefined) return [];
    // What was approved takes the place of what was previewed.
    if (approvalOf(job.options) !== undefined) await forgetPreview(trx, job.id);
    const lastRow = lastRowOf(chunks);
    const warnings = [...leftOut.map(rowsLeftOut), ...unmapped.map((path) => notMapped(path, totalRows)), ...stays];
    const firstRow = found.sourceNames === undefined ? undefined : chunks[0]?.firstRow;
    const plan: InputPlan = {
      ...found,
      siteWasEmpty: (job.kind === 'item' || job.kind === 'site') && (await siteIsEmpty(trx, job.site_id)),
      reserved:
        (job.isAtomic ? undefined : await applier.reserve?.(trx, rowRange(found.headerCells, lastRow, firstRow))) ?? {},
      lastRow,
      firstRow,
      ordered: applier.ordered,
      ...('snapshot' in job.options && job.options.snapshot !== undefined ? { after: 'apply-all' as const } : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    // An error file that is imported again has brought the options of its job.
    const options = hasOtherOptions ? job.options : undefined;
    return recordPlan(trx, job, plan, { chunks, totalRows, options });
  });
}

function rowsLeftOut({ column, condition, count, rows }: LeftOutRows): ErrorSummaryLine {
  const example = `the profile leaves out rows whose ${quoted(column)} ${condition}: nothing of them was imported`;
  const shown = `${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
  return { code: 'ROW_LEFT_OUT', path: column, count, rows: shown, example };
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
