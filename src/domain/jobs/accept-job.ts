/** Accepts jobs: records the job, and its input or the file that will contain it, before the client gets its answer. */
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import type { AcceptedType } from './model/job-type.js';
import { PLACED, PLACED_TOGETHER } from './order/positions.js';
import type { OrderState } from './order/turns.js';
import { NOT_PLACED, type Placed, place, planEntry } from './place-jobs.js';

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
