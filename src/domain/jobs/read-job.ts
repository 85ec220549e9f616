/** Reads jobs: for those that execute them, and as clients see them. */
import { raw } from 'objection';
import type { Db } from '../../../db/connection.js';
import { type ErrorSummaryLine, Job as JobModel, type JobRow, type JobStatus } from '../../../db/models/job.js';
import type { JobError } from '../../../db/models/job-error.js';
import type { SiteContext } from '../access/site-context.js';
import type { FormatOption } from '../formats/file-formats/definition.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { type JobTypes, type LoadedJob, parseJob } from './job-type.js';
import { type Blocker, findBlocker } from './order/site-order.js';

/**
 * Loads a job to be executed, with its options and plan parsed.
 * @param besides SQL: what to select in addition to the job's columns
 * @returns undefined when there is no such job
 */
export async function loadJob<Job extends LoadedJob>(
  db: Db,
  types: JobTypes<Job>,
  jobId: string,
  besides?: string,
): Promise<Job | undefined> {
  const query = JobModel.query(db).findById(jobId);
  const row = await (besides === undefined ? query : query.select('job.*', raw(besides)));
  return row === undefined ? undefined : parseJob(types, row);
}

/**
 * Loads a job with its current counts: while it runs, they are summed over the chunks that are done.
 * @throws DomainError not-found
 */
export async function findJob(db: Db, siteId: number, jobId: string): Promise<FoundJob> {
  const [job] = isId(jobId) ? await withFileNames(db).where({ id: jobId, site_id: siteId }) : [];
  if (job === undefined) {
    throw new DomainError(
      'not-found',
      'JOB_NOT_FOUND',
      `there is no job ${jobId.slice(0, 60)} in this account and stage`,
    );
  }
  return (await withState(db, [job]))[0] ?? job;
}

/** A job as it was read, with the name of its input file. */
type FoundJob = JobRow & { readonly input_file_name: string | null };

function withFileNames(db: Db) {
  const name = db.raw('(SELECT name FROM file WHERE file.id = job.input_file_id) AS input_file_name');
  return JobModel.query(db).select('job.*', name).castTo<FoundJob[]>();
}

interface JobFilter {
  readonly ids?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly status?: JobStatus | undefined;
}

/** Lists jobs, newest first. */
export async function listJobs(
  db: Db,
  site: SiteContext,
  filter: JobFilter,
  page: PageRequest,
): Promise<Page<FoundJob>> {
  const query = withFileNames(db).where({ site_id: site.siteId });
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  if (filter.types !== undefined) query.whereIn('type', [...filter.types]);
  if (filter.status !== undefined) query.where({ status: filter.status });
  const [count, rows] = await Promise.all([
    query.clone().resultSize(),
    query.clone().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(page.offset).limit(page.limit),
  ]);
  return { rows: await withState(db, rows), count };
}

interface OperatorsFilter {
  readonly accountId?: string | undefined;
  /** Default: all that have not ended. */
  readonly status?: string | undefined;
  readonly limit: number;
}

/** Lists jobs of all accounts for an operator, without what they contain: those that have not ended, the oldest first. */
export async function recentJobs(db: Db, { accountId, status, limit }: OperatorsFilter): Promise<readonly object[]> {
  const query = db('job');
  if (accountId !== undefined) query.where('account_id', accountId);
  if (status === undefined) query.whereNull('completed_at').orderBy('created_at');
  else query.where('status', status).orderBy('created_at', 'desc');
  return query.limit(limit).select({
    id: 'id',
    account: 'account_id',
    type: 'type',
    status: 'status',
    step: 'step',
    because: db.raw('coalesce(status_message, reason)'),
    rows: 'total_count',
    applied: 'processed_count',
    errors: 'error_count',
    attempts: 'attempts',
    createdAt: 'created_at',
    startedAt: 'started_at',
    completedAt: 'completed_at',
  });
}

/** Adds to jobs of one site that have not ended what is not in their rows: their progress, and what they wait for. */
async function withState<Row extends JobRow>(db: Db, jobs: readonly Row[]): Promise<Row[]> {
  const rows = await withProgress(db, jobs);
  const [waiting] = rows.filter(isScheduled);
  if (waiting === undefined) return rows;
  const blocker = await findBlocker(db, waiting.site_id);
  return blocker === undefined ? rows : rows.map((job) => ({ ...job, status_message: messageOf(job, blocker) }));
}

function isScheduled({ status, line_no }: JobRow): boolean {
  return status === 'SCHEDULED' && line_no !== null;
}

/** The status message of a job of a site in which an earlier job keeps the later ones waiting. */
function messageOf(job: JobRow, blocker: Blocker): string | null {
  const waits = isScheduled(job) && (job.line_no ?? 0) > blocker.position && !(job.shared && blocker.concurrent);
  if (!waits || job.status_message !== null) return job.status_message;
  return blocker.state === 'p'
    ? `waits, because job ${blocker.jobId} has failed; POST /jobs/${blocker.jobId}/actions/resume lets it go on`
    : `waits for job ${blocker.jobId}, which ${blocker.message}`;
}

async function withProgress<Row extends JobRow>(db: Db, jobs: readonly Row[]): Promise<Row[]> {
  const running = jobs.filter((job) => job.completed_at === null && job.started_at !== null).map((job) => job.id);
  if (running.length === 0) return [...jobs];
  const sums: Progress[] = await db('job_chunk')
    .whereIn('job_id', running)
    .groupBy('job_id')
    .select(
      'job_id',
      db.raw('sum(created_count)::integer AS created_count'),
      db.raw('sum(updated_count)::integer AS updated_count'),
      db.raw('sum(unchanged_count)::integer AS unchanged_count'),
      db.raw('sum(error_count)::integer AS error_count'),
      db.raw('max(done_at) AS done_at'),
      db.raw("bool_or(status = 'dispatched' AND outages > 0) AS waits"),
    );
  const byJob = new Map(sums.map((sum) => [sum.job_id, sum]));
  return jobs.map((job) => {
    const sum = byJob.get(job.id);
    if (sum === undefined) return job;
    const { created_count, updated_count, unchanged_count, error_count, done_at } = sum;
    const processed_count = created_count + updated_count + unchanged_count + error_count;
    const counts = { created_count, updated_count, unchanged_count, error_count, processed_count };
    // The chunk that has waited may have been applied since then.
    const status_message = job.step === 'apply' && !sum.waits ? null : job.status_message;
    return { ...job, ...counts, status_message, updated_at: done_at ?? job.updated_at };
  });
}

interface Progress {
  readonly job_id: string;
  readonly created_count: number;
  readonly updated_count: number;
  readonly unchanged_count: number;
  readonly error_count: number;
  readonly done_at: Date | null;
  /** A chunk waits for an outage to end. */
  readonly waits: boolean;
}

/** A job as clients see it, by GET /jobs/{id} and by the events of its end alike. Times are ISO 8601. */
export interface ShownJob {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly statusMessage: string | null;
  readonly reason: string | null;
  readonly inputFileId: string | null;
  readonly outputFiles: string[];
  readonly errorFiles: string[];
  readonly progressTracker: {
    readonly totalCount: number | null;
    readonly processedCount: number;
    readonly createdCount: number;
    readonly updatedCount: number;
    readonly unchangedCount: number;
    readonly errorCount: number;
    readonly updatedAt: string;
  };
  readonly errorSummary: ErrorSummaryLine[];
  readonly warnings: ErrorSummaryLine[];
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * The options of requests and announcements, by which a job is repeated. Others are how a type stores its work. The
 * callbackUrl may contain a secret, and subscribers that are notified of the job are others.
 * The type demands every option of a file format.
 */
const SHOWN_OPTIONS: Readonly<Record<FormatOption | 'mode' | 'onError' | 'validateOnly' | 'retryOf', true>> = {
  mode: true,
  onError: true,
  validateOnly: true,
  retryOf: true,
  delimiter: true,
  decimalSeparator: true,
  dateFormat: true,
  encoding: true,
  sheet: true,
  escapeFormulas: true,
};

function shownOptions(stored: unknown): Record<string, unknown> {
  const { formatting, ...options }: Readonly<Record<string, unknown>> = { ...Object(stored) };
  const shown = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(SHOWN_OPTIONS, name) && value !== undefined,
  );
  // The options of exports are stored in a member of their own.
  return { ...Object(formatting), ...Object.fromEntries(shown) };
}

/** A job as clients see it: the answer of GET /jobs/{id}, and what the events of its end contain. */
export function showJob(job: Omit<JobRow, 'plan'>): ShownJob {
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    statusMessage: job.status_message,
    reason: job.completed_at === null ? null : job.reason,
    inputFileId: job.input_file_id,
    outputFiles: job.output_file_id === null ? [] : [job.output_file_id],
    errorFiles: job.error_file_id === null ? [] : [job.error_file_id],
    progressTracker: {
      totalCount: job.total_count,
      processedCount: job.processed_count,
      createdCount: job.created_count,
      updatedCount: job.updated_count,
      unchangedCount: job.unchanged_count,
      errorCount: job.error_count,
      updatedAt: job.updated_at.toISOString(),
    },
    errorSummary: job.error_summary ?? [],
    warnings: job.warnings ?? [],
    createdAt: job.created_at.toISOString(),
    startedAt: job.started_at?.toISOString() ?? null,
    completedAt: job.completed_at?.toISOString() ?? null,
    options: shownOptions(job.options),
  };
}

/** Finds the first job of the given types in the ordering queue of a site that has not ended. */
export async function firstPendingJob(
  trx: Db,
  siteId: number,
  jobTypes: readonly string[],
): Promise<Pick<JobRow, 'id' | 'kind'> | undefined> {
  return JobModel.query(trx)
    .select('job.id', 'job.kind')
    .joinRaw('JOIN job_order ON job_order.job_id = job.id')
    .where({ 'job_order.site_id': siteId })
    .whereNot({ 'job_order.state': 'e' })
    .whereNull('job.completed_at')
    .whereIn('job.kind', [...jobTypes])
    .orderBy('job_order.position')
    .first();
}

interface JobErrorsPage {
  readonly rows: readonly JobError[];
  /** The number of errors on all pages. */
  readonly count: number;
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A cursor between two errors: `row.seq`. */
export const ERROR_CURSOR = /^(\d{1,9})(?:\.(\d{1,4}))?$/;

/** @param after a cursor or a row number: only errors after it are read */
export async function pageJobErrors(
  db: Db,
  jobId: string,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<JobErrorsPage> {
  const query = db('job_error')
    .where({ job_id: jobId })
    .orderBy(['row_no', 'seq'])
    .limit(limit + 1);
  const cursor = after === undefined ? null : ERROR_CURSOR.exec(after);
  if (cursor !== null) query.whereRaw('(row_no, seq) > (?, ?)', [Number(cursor[1]), Number(cursor[2] ?? 32_767)]);
  const rows: JobError[] = await query;
  const total = await db('job_error').where({ job_id: jobId }).first(db.raw('count(*)::integer AS count'));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    count: total.count,
    next: rows.length > limit && last !== undefined ? `${last.row_no}.${last.seq}` : null,
  };
}

/** The most problems, and bytes of them, in one answer. */
const MAX_PROBLEMS = 20_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Bytes of a problem in JSON in addition to its texts. */
const FRAME_BYTES = 64;
/** So many failed rows always fit into one answer: a problem needs about a kilobyte. */
const FEW_ROWS = 50;

/** Whether the errors of an ended job are too many for one answer. Reads no more problems than fit into one. */
export async function isReportTooLarge(db: Db, job: Pick<JobRow, 'id' | 'error_count'>): Promise<boolean> {
  if (job.error_count <= FEW_ROWS) return false;
  const result = await db.raw(
    `SELECT count(*)::integer AS problems,
            coalesce(sum(octet_length(message) + coalesce(octet_length(value), 0) + coalesce(octet_length(col), 0)
              + ${FRAME_BYTES}), 0)::bigint AS bytes
     FROM (SELECT message, value, col FROM job_error WHERE job_id = ? LIMIT ${MAX_PROBLEMS + 1}) AS problem`,
    [job.id],
  );
  const [{ problems, bytes }] = result.rows;
  return problems > MAX_PROBLEMS || bytes > MAX_BYTES;
}
