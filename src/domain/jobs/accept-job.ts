/** Accepts jobs: records the job, and its input or the file that will contain it, before the client gets its answer. */
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { OUTCOME } from '../kernel/chunk-result.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import { type AcceptedType, type JobTypes, type LoadedJob, parseJob, type StoredRetry } from './job-type.js';
import { PLACED, PLACED_TOGETHER, planStep } from './order/site-order.js';
import type { OrderState } from './order/turns.js';

/** A job that is about to be accepted. */
export interface NewJob<Name extends string, Options> {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly jobType: AcceptedType<Name, Options>;
  /** The name of its type in the API. */
  readonly type: Name;
  readonly options: Options;
  readonly channel: number | null;
  /** Null when the system itself created the job. */
  readonly requestId: string | null;
  /** The W3C trace context of the request. Absent: it has none. */
  readonly traceparent?: string | null | undefined;
}

/** Rows that came in a request body. */
export interface InlineInput {
  /** UTF-8, one JSON text per line, `rowCount` lines. */
  readonly lines: Buffer;
  readonly rowCount: number;
}

/** Creates a job's id before its transaction, so that the answer is known when the transaction begins. */
export const newJobId = newId;

/**
 * Records a job with its rows and its position in the ordering queue of the site. The position is assigned under a lock
 * that other requests of the site wait for: call this as the transaction's last statement, or outside of a transaction.
 * @returns what to enqueue once `db` has committed; empty when many jobs wait ahead of it. Call releaseDue in that
 *   case, because all of them may have ended meanwhile
 */
export async function acceptInlineJob<Name extends string, Options>(
  db: Db,
  job: NewJob<Name, Options>,
  input: InlineInput,
): Promise<OutboxEntry[]> {
  return acceptPrepared(db, prepareInlineJob(job, input));
}

/** The values that are recorded of a job and its rows. */
export interface PreparedJob extends InlineInput {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly type: string;
  readonly kind: string;
  /** As JSON. */
  readonly options: string;
  readonly channel: number | null;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly concurrent: boolean;
  readonly batchable: boolean;
}

export function prepareInlineJob<Name extends string, Options>(
  job: NewJob<Name, Options>,
  input: InlineInput,
): PreparedJob {
  return { ...bindingsOf(job), batchable: isBatchable(job, input), rowCount: input.rowCount, lines: input.lines };
}

/** See acceptInlineJob. */
export async function acceptPrepared(db: Db, job: PreparedJob): Promise<OutboxEntry[]> {
  const result = await prepared(
    db,
    `WITH ${PLACED}, accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, line_no, shared,
                        step, total_count, traceparent)
       SELECT :id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId,
              placed.position, :concurrent, 'plan', :rowCount, :traceparent
       FROM placed
     ), filled AS (
       INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)
     )
     SELECT state FROM placed`,
    { ...job },
  );
  return planEntry(job.id, result.rows[0].state, job.batchable);
}

/**
 * Accepts jobs of any sites with one statement, as if they were accepted one after another in the given order. Do not
 * call this in a transaction that continues: other requests of all these sites wait for its locks.
 * @returns what to enqueue of each job once `db` has committed; see acceptInlineJob
 */
export async function acceptTogether(db: Db, jobs: readonly PreparedJob[]): Promise<OutboxEntry[][]> {
  let firstByte = 1;
  const given = jobs.map(({ lines, options, ...job }, number) => {
    const row = { number, ...job, options: JSON.parse(options), firstByte, byteCount: lines.length };
    firstByte += lines.length;
    return row;
  });
  // One parameter for the rows of all jobs: an array of texts would have to be escaped here and parsed there.
  const result = await prepared<{ rows: { id: string; state: OrderState }[] }>(
    db,
    `WITH given AS MATERIALIZED (
       SELECT number, id, "siteId" AS site_id, "accountId" AS account_id, type, kind, options, channel,
         "requestId" AS request_id, traceparent, concurrent, batchable, "rowCount" AS row_count, "firstByte" AS first_byte,
         "byteCount" AS byte_count
       FROM jsonb_to_recordset(:given::jsonb) AS given (number integer, id text, "siteId" integer, "accountId" text,
         type text, kind text, options jsonb, channel integer, "requestId" text, traceparent text, concurrent boolean, batchable boolean,
         "rowCount" integer, "firstByte" integer, "byteCount" integer)
     ), ${PLACED_TOGETHER}, accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, line_no, shared,
                        step, total_count, traceparent)
       SELECT id, site_id, account_id, type, kind, 'SCHEDULED', options, channel, request_id, placed.position, concurrent,
              'plan', row_count, traceparent
       FROM placed JOIN given ON given.id = placed.job_id
     ), filled AS (
       INSERT INTO job_chunk (job_id, idx, first_row, row_count, input)
       SELECT id, 0, 1, row_count, convert_from(substr(:lines::bytea, first_byte, byte_count), 'UTF8') FROM given
     )
     SELECT job_id AS id, state FROM placed`,
    { given: JSON.stringify(given), lines: Buffer.concat(jobs.map(({ lines }) => lines)) },
  );
  const states = new Map(result.rows.map(({ id, state }) => [id, state]));
  return jobs.map(({ id, batchable }) => planEntry(id, states.get(id) ?? 'h', batchable));
}

/** A job with more rows, or more bytes, is executed by itself: a batch is to hold its site for a moment only. */
const BATCHED_ROWS = 100;
const BATCHED_BYTES = 64 * 1024;

function isBatchable<Name extends string, Options>(
  { jobType, options }: NewJob<Name, Options>,
  { rowCount, lines }: InlineInput,
): boolean {
  const isSmall = rowCount <= BATCHED_ROWS && lines.length <= BATCHED_BYTES;
  return isSmall && jobType.mayBeBatched && !jobType.isAtomic(options);
}

/**
 * Records a job with its rows within a transaction that continues and may be long. placeUnplacedJobs assigns its
 * position once that transaction has committed; if that call is lost, the reconciler does.
 */
export async function acceptUnplacedJob<Name extends string, Options>(
  trx: Db,
  job: NewJob<Name, Options>,
  input: InlineInput,
): Promise<void> {
  await trx.raw(
    `WITH accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, shared, step, total_count,
                        traceparent)
       VALUES (:id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId, :concurrent, 'plan',
               :rowCount, :traceparent)
     )
     INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)`,
    { ...bindingsOf(job), rowCount: input.rowCount, lines: input.lines },
  );
}

/** Records a job whose input will be uploaded as file `fileId`. It gets its position when the upload is complete. */
export async function acceptFileJob<Name extends string, Options>(
  trx: Db,
  job: NewJob<Name, Options>,
  fileId: string,
): Promise<void> {
  const { concurrent, ...columns } = columnsOf(job);
  await trx('job').insert({
    ...columns,
    status: 'AWAITING_UPLOAD',
    input_file_id: fileId,
    // An atomic job keeps one transaction open through all its chunks, so it runs exclusively.
    shared: concurrent && !job.jobType.isAtomic(job.options),
  });
}

/**
 * Records a job of a single step, which has no position in the ordering queue of its site.
 * @returns what to enqueue once `trx` has committed
 */
export async function acceptOneStepJob<Name extends string, Options>(
  trx: Db,
  job: NewJob<Name, Options>,
): Promise<OutboxEntry[]> {
  const [step] = job.jobType.steps;
  if (step !== 'export' && step !== 'replay')
    throw new Error(`a job that begins with the step ${step} needs a position in the ordering queue of its site`);
  const { concurrent, ...columns } = columnsOf(job);
  await trx('job').insert({
    ...columns,
    status: 'SCHEDULED',
    shared: concurrent,
    step,
    dispatch: 1,
    dispatched_at: trx.fn.now(),
  });
  return [{ queue: step, payload: { jobId: job.id, dispatch: 1 } }];
}

/** Assigns a file's job its position once its upload is complete. See acceptInlineJob about the lock. */
export async function scheduleFileJob(trx: Db, jobId: string): Promise<Placed> {
  const [job] = await trx('job')
    .where({ id: jobId, status: 'AWAITING_UPLOAD' })
    .update({ status: 'SCHEDULED', step: 'plan', updated_at: trx.fn.now() })
    .returning(['site_id', 'shared']);
  return job === undefined ? NOT_PLACED : place(trx, jobId, job);
}

function columnsOf<Name extends string, Options>(job: NewJob<Name, Options>) {
  return {
    id: job.id,
    site_id: job.siteId,
    account_id: job.accountId,
    type: job.type,
    kind: job.jobType.kind,
    options: JSON.stringify(job.options),
    channel: job.channel,
    request_id: job.requestId,
    traceparent: job.traceparent ?? null,
    concurrent: job.jobType.isConcurrent(job.options),
  };
}

function bindingsOf<Name extends string, Options>(job: NewJob<Name, Options>) {
  const { id, siteId, accountId, type, channel, requestId } = job;
  const { kind, options, concurrent, traceparent } = columnsOf(job);
  return { id, siteId, accountId, type, kind, options, channel, requestId, traceparent, concurrent };
}

// Assigns jobs their positions in the ordering queue of their site.

/** The outcome of placing a job. */
interface Placed {
  /** False when the job was cancelled, has expired, or was placed by another call meanwhile. */
  readonly placed: boolean;
  /** What to enqueue once committed. */
  readonly outboxEntries: OutboxEntry[];
}

const NOT_PLACED: Placed = { placed: false, outboxEntries: [] };

/** Returns the plan step of a job that was just placed; nothing when the job is held. */
function planEntry(jobId: string, state: OrderState, batchable: boolean): OutboxEntry[] {
  return state === 'h' ? [] : [planStep({ jobId, dispatch: 1 }, batchable)];
}

/** Jobs of a site placed by one call; the next end of a job, or the reconciler, continues. */
const PLACED_AT_ONCE = 20;

/**
 * Assigns positions to the jobs of a site, or of all sites, that a committed transaction has recorded without one. Jobs
 * accepted later come after them.
 * @returns what to enqueue
 */
export async function placeUnplacedJobs(db: Db, siteId: number | null, limit = PLACED_AT_ONCE): Promise<OutboxEntry[]> {
  const jobs = db('job').where({ step: 'plan' }).whereNull('line_no').whereNull('completed_at').limit(limit);
  if (siteId !== null) jobs.where({ site_id: siteId });
  const rows: { id: string }[] = await jobs.select('id');
  const outboxEntries: OutboxEntry[] = [];
  for (const { id } of rows) outboxEntries.push(...(await placeJob(db, id)).outboxEntries);
  return outboxEntries;
}

/**
 * Places a job that was recorded without a position. If two calls do so at once, the second does nothing.
 * @internal exported for tests
 */
export function placeJob(db: Db, jobId: string): Promise<Placed> {
  return db.transaction(async (trx) => {
    const job = await trx('job')
      .where({ id: jobId, step: 'plan' })
      .whereNull('line_no')
      .whereNull('completed_at')
      .forNoKeyUpdate()
      .skipLocked()
      .first('site_id', 'shared');
    return job === undefined ? NOT_PLACED : place(trx, jobId, job);
  });
}

async function place(
  trx: Db,
  jobId: string,
  { site_id: siteId, shared }: { readonly site_id: number; readonly shared: boolean },
): Promise<Placed> {
  const result = await trx.raw(
    `WITH ${PLACED}, recorded AS (
       UPDATE job SET line_no = placed.position, updated_at = now() FROM placed WHERE job.id = :id
     )
     SELECT state FROM placed`,
    { id: jobId, siteId, concurrent: shared, batchable: false },
  );
  return { placed: true, outboxEntries: planEntry(jobId, result.rows[0].state, false) };
}

// Retries: an ended job is repeated by a new one.

interface Retry {
  /** `all`: the rows that the job has not applied. `failed`: those of them that failed, not those that it never read. */
  readonly rows: 'all' | 'failed';
  /** Whether rows are applied, too, whose record was changed after the job had ended. */
  readonly force: boolean;
}

interface RetryRequest extends Retry {
  /** The id of the new job: see newJobId. */
  readonly id: string;
  readonly requestId: string | null;
  /** The W3C trace context of the request that asks for it; null: none. */
  readonly traceparent: string | null;
  /** Only a job of this site is repeated. Undefined: a job of any account, for operators. */
  readonly siteId?: number | undefined;
}

interface Retried {
  readonly accountId: string;
  readonly siteId: number;
  /** The type of both jobs, as clients know it. */
  readonly type: string;
  /** What to enqueue once `trx` has committed. If it is empty, call releaseDue for the site then: see acceptInlineJob. */
  readonly outboxEntries: OutboxEntry[];
}

/**
 * Records a new job that repeats an ended one: the same input, options and channel, at the end of its site's order, with
 * the old job's id as its option `retryOf`. The old job does not change; its file belongs to the new job from now on, so
 * that it is kept as long as that one. A job without rows (an export, a replay) is requested again as it was.
 *
 * It serves jobs of any type and account. Clients pass their site; operators do not. Call it as the last statement of
 * `trx`, because other requests of the site wait for its lock.
 * @param types the table of all job types
 * @throws DomainError not-found JOB_NOT_FOUND; conflict JOB_NOT_ENDED; conflict NOTHING_TO_RETRY when the job has no such
 *   rows; gone INPUT_GONE when its file was never uploaded or is no longer kept
 */
export async function retryJob(trx: Db, types: JobTypes, jobId: string, request: RetryRequest): Promise<Retried> {
  const row = isId(jobId) ? await Job.query(trx).findById(jobId) : undefined;
  if (row === undefined || (request.siteId !== undefined && row.site_id !== request.siteId)) {
    const where = request.siteId === undefined ? '' : ' in this account and stage';
    throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId.slice(0, 60)}${where}`);
  }
  if (row.completed_at === null) {
    const message = `the job is ${row.status}: it can be retried when it has ended; cancel it to end it now`;
    throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
  }
  const job = parseJob(types, row);
  const outboxEntries =
    job.jobType.oneStep !== undefined
      ? await repeatOneStep(trx, job, request)
      : job.input_file_id === null
        ? await repeatRows(trx, job, request)
        : await repeatFile(trx, job, request);
  return { accountId: job.account_id, siteId: job.site_id, type: job.type, outboxEntries };
}

async function repeatOneStep(trx: Db, job: LoadedJob, request: RetryRequest): Promise<OutboxEntry[]> {
  const { id, requestId, traceparent, rows } = request;
  const [step] = job.jobType.steps;
  if (step !== 'export' && step !== 'replay') throw new Error(`the step ${step} is not the only one of its job`);
  if (rows === 'failed') throw nothingToRetry('this job has no rows that can fail: leave out `rows`');
  await trx.raw(
    `INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, traceparent, shared, step,
                      dispatch, dispatched_at)
     SELECT :id, site_id, account_id, type, kind, 'SCHEDULED', options || jsonb_build_object('retryOf', id), channel,
       :requestId, :traceparent, shared, :step, 1, now()
     FROM job WHERE id = :jobId`,
    { id, requestId, traceparent, step, jobId: job.id },
  );
  return [{ queue: step, payload: { jobId: id, dispatch: 1 } }];
}

async function repeatRows(trx: Db, job: LoadedJob, request: RetryRequest): Promise<OutboxEntry[]> {
  const retry = await storedRetry(trx, job, request);
  const letters = retry.only ?? '';
  const result = await trx.raw<{ rows: { lines: string | null; row_count: number }[] }>(
    retry.only === undefined ? ALL_LINES : CHOSEN_LINES,
    { jobId: job.id, letters: [...letters] },
  );
  const [input] = result.rows;
  if (input === undefined || input.lines === null) throw inputGone('the rows of the job are no longer kept');
  const { site_id: siteId, account_id: accountId, type, kind, channel, shared: concurrent } = job;
  return acceptPrepared(trx, {
    ...{
      id: request.id,
      siteId,
      accountId,
      type,
      kind,
      channel,
      concurrent,
      requestId: request.requestId,
      traceparent: request.traceparent,
    },
    options: repeatedOptions(job, retry),
    // It is no hurry, and its rows are compared with what has happened since.
    batchable: false,
    rowCount: input.row_count,
    lines: Buffer.from(input.lines),
  });
}

const ALL_LINES = 'SELECT input AS lines, row_count FROM job_chunk WHERE job_id = :jobId AND idx = 0';

/** A superseded row is not repeated: the row that superseded it is, unless it was applied. */
const CHOSEN_LINES = `
  WITH given AS MATERIALIZED (
    SELECT input, coalesce(outcomes, repeat('${OUTCOME.deferred}', row_count)) AS outcomes
    FROM job_chunk WHERE job_id = :jobId AND idx = 0
  )
  SELECT string_agg(line, chr(10) ORDER BY row_no) AS lines, count(*)::integer AS row_count
  FROM (
    -- Side by side: the nth line and the nth letter.
    SELECT * FROM given, ROWS FROM (string_to_table(input, chr(10)), string_to_table(outcomes, NULL))
      WITH ORDINALITY AS pair (line, letter, row_no)
  ) AS numbered
  WHERE letter = ANY (:letters::text[])`;

async function repeatFile(trx: Db, job: LoadedJob, request: RetryRequest): Promise<OutboxEntry[]> {
  const retry = await storedRetry(trx, job, request);
  // The file of a rejected job would be deleted soon.
  const kept = await trx('file')
    .where({ id: job.input_file_id, status: 'UPLOADED' })
    .whereNotNull('storage_key')
    .update({ job_id: request.id, expires_at: null });
  if (kept === 0) {
    const was =
      job.status === 'EXPIRED' ? 'was never uploaded' : 'is not there: it was never uploaded, or is no longer kept';
    throw inputGone(`the file of the job ${was}; announce it and upload it again`);
  }
  await trx.raw(
    `INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, traceparent, shared, step,
                      input_file_id)
     SELECT :id, site_id, account_id, type, kind, 'SCHEDULED', :options, channel, :requestId, :traceparent, shared, 'plan',
       input_file_id
     FROM job WHERE id = :jobId`,
    {
      id: request.id,
      requestId: request.requestId,
      traceparent: request.traceparent,
      options: repeatedOptions(job, retry),
      jobId: job.id,
    },
  );
  return (await place(trx, request.id, job)).outboxEntries;
}

function repeatedOptions(job: LoadedJob, retry: StoredRetry): string {
  return JSON.stringify({ ...Object(job.options), retryOf: job.id, retry });
}

/** @throws DomainError conflict when the job has no rows to repeat */
async function storedRetry(trx: Db, job: LoadedJob, { rows, force }: Retry): Promise<StoredRetry> {
  const result = await trx.raw<{ rows: { failed: boolean; open: boolean; applied: boolean; ended: string }[] }>(
    `SELECT coalesce(bool_or(strpos(outcomes, '${OUTCOME.failed}') > 0), false) AS failed,
       coalesce(bool_or(outcomes IS NULL OR strpos(outcomes, '${OUTCOME.deferred}') > 0), true) AS open,
       coalesce(bool_or(created_count + updated_count + unchanged_count > 0), false) AS applied,
       (SELECT to_jsonb(completed_at) #>> '{}' FROM job WHERE id = :jobId) AS ended
     FROM job_chunk WHERE job_id = :jobId`,
    { jobId: job.id },
  );
  const [{ failed, open, applied, ended } = { failed: false, open: true, applied: false, ended: '' }] = result.rows;
  // A retry of a retry goes back to the time of the first job, whose rows they are.
  const { retry: earlier }: { readonly retry?: StoredRetry } = Object(job.options);
  const since = force ? {} : { since: earlier?.since ?? ended };
  if (rows === 'failed') {
    if (!failed) throw nothingToRetry('no row of this job failed');
    return { ...since, of: job.id, only: OUTCOME.failed };
  }
  if (job.isDryRun || !applied) return { ...since, ...wholeInput(job, earlier) };
  if (!failed && !open) throw nothingToRetry('the job has applied all its rows; to apply them again, send them again');
  return { ...since, of: job.id, only: OUTCOME.failed + OUTCOME.deferred };
}

/** All rows of a job. Those of a retry of a file are not all rows of the file. */
function wholeInput(job: LoadedJob, earlier: StoredRetry | undefined): StoredRetry {
  if (job.input_file_id === null || earlier?.only === undefined) return {};
  if (job.plan === null) return { of: earlier.of, only: earlier.only };
  return { of: job.id, only: Object.values(OUTCOME).join('') };
}

function nothingToRetry(message: string): DomainError {
  return new DomainError('conflict', 'NOTHING_TO_RETRY', message);
}

function inputGone(message: string): DomainError {
  return new DomainError('gone', 'INPUT_GONE', message);
}
