/** Accepts jobs: records each, and its input or the file that will contain it, before its client gets an answer. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { AcceptedType } from '../job-model/job-type.js';
import { columnsOf, type Start, singleStep } from './accept/start.js';
import { NOT_PLACED, type Placed, place } from './order/place.js';
import { PLACED, planEntry } from './order/positions.js';
import type { OrderState } from './order/turns.js';
import { SINGLE_STEPS } from './steps/single-steps.js';

/** A job that is about to be accepted. */
export interface NewJob<Name extends string, Options> {
  /** Created before the transaction, so that the answer is known when the transaction begins: see newId. */
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
  /** Who asks for it. Absent: the system itself. */
  readonly actor?: string | null | undefined;
}

/** Rows that came in a request body. */
export type InlineInput = Omit<Extract<Start, { kind: 'rows' }>, 'kind'>;

/** A job as it is recorded. */
interface RecordedJob {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly type: string;
  readonly kind: string;
  readonly options: unknown;
  readonly channel: number | null;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly actor: string | null;
  /** It may run at the same time as other concurrent jobs of its site. */
  readonly concurrent: boolean;
  /** It may be executed together with its neighbours, in one transaction. */
  readonly batchable: boolean;
  readonly start: Start;
}

/** A job with more rows, or more bytes, is executed by itself: a batch is to hold its site for a moment only. */
const BATCHED_ROWS = 100;
const BATCHED_BYTES = 64 * 1024;

/** What is recorded of a new job. */
export function recordedJob<Name extends string, Options>(job: NewJob<Name, Options>, start: Start): RecordedJob {
  const { jobType, traceparent = null, actor = null, ...identity } = job;
  const isAtomic = jobType.isAtomic(job.options);
  const isFile = start.kind === 'upload' || start.kind === 'file';
  const isSmall = start.kind === 'rows' && start.rowCount <= BATCHED_ROWS && start.lines.length <= BATCHED_BYTES;
  return {
    ...identity,
    kind: jobType.kind,
    traceparent,
    actor,
    concurrent: isFile ? isConcurrentFile(jobType, job.options) : jobType.isConcurrent(job.options),
    batchable: isSmall && jobType.mayBeBatched(job.options) && !isAtomic,
    start,
  };
}

/** An atomic job of a file keeps one transaction open through all its chunks, so it runs exclusively. */
function isConcurrentFile<Options>(jobType: AcceptedType<string, Options>, options: Options): boolean {
  return jobType.isConcurrent(options) && !jobType.isAtomic(options);
}

/** Accepts one job: see acceptJobs. @param start absent: the job consists of a single step */
export async function acceptJob<Name extends string, Options>(
  db: Db,
  job: NewJob<Name, Options>,
  start: Start = singleStep(job.jobType),
): Promise<OutboxEntry[]> {
  const [outboxEntries = []] = await acceptJobs(db, [recordedJob(job, start)]);
  return outboxEntries;
}

/**
 * Accepts jobs of any sites with one statement, as if they were accepted one after another in the given order.
 *
 * Positions are assigned under the locks of their sites, which other requests of these sites wait for. Call this as the
 * last statement of a transaction, or outside of one.
 * @param waitMs how long to wait for the lock of each site, while those of others are held; null: as long as it takes
 * @returns what to enqueue of each job once `db` has committed. It is empty for a job that is held, because many wait
 *   ahead of it: call releaseDue in that case, because all of them may have ended meanwhile
 * @throws 55P03 when one of the sites stayed locked
 */
export async function acceptJobs(
  db: Db,
  jobs: readonly RecordedJob[],
  waitMs: number | null = null,
): Promise<OutboxEntry[][]> {
  let firstByte = 1;
  const buffers: Buffer[] = [];
  const given = jobs.map(({ start, ...job }, number) => {
    const rows = 'lines' in start ? { rowCount: start.rowCount, firstByte, byteCount: start.lines.length } : {};
    if ('lines' in start) {
      firstByte += start.lines.length;
      buffers.push(start.lines);
    }
    return { number, ...job, ...columnsOf(start), ...rows };
  });
  // One parameter for the rows of all jobs: an array of texts would have to be escaped here and parsed there.
  const lines = jobs.length === 1 ? ':lines::text' : LINES_OF_ONE;
  const result = await prepared<{ rows: { id: string; state: OrderState }[] }>(
    db,
    `WITH given AS MATERIALIZED (
       SELECT number, id, "siteId" AS site_id, "accountId" AS account_id, type, kind, status, step, options, channel,
         "requestId" AS request_id, traceparent, actor, concurrent, batchable, ordered, "fileId" AS file_id,
         "rowCount" AS row_count, "firstByte" AS first_byte, "byteCount" AS byte_count
       FROM jsonb_to_recordset(:given::jsonb) AS given (number integer, id text, "siteId" integer, "accountId" text,
         type text, kind text, status text, step text, options jsonb, channel integer, "requestId" text, traceparent text,
         actor text, concurrent boolean, batchable boolean, ordered boolean, "fileId" text, "rowCount" integer, "firstByte" integer,
         "byteCount" integer)
     ), ${PLACED}, accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, line_no, shared,
                        step, total_count, traceparent, actor, input_file_id, dispatch, dispatched_at)
       SELECT id, site_id, account_id, type, kind, status, options, channel, request_id, placed.position, concurrent,
              step, row_count, traceparent, actor, file_id, CASE WHEN ${IS_SINGLE_STEP} THEN 1 ELSE 0 END,
              CASE WHEN ${IS_SINGLE_STEP} THEN now() END
       FROM given LEFT JOIN placed ON placed.job_id = given.id
     ), filled AS (
       INSERT INTO job_chunk (job_id, idx, first_row, row_count, input)
       SELECT id, 0, 1, row_count, ${lines} FROM given WHERE row_count IS NOT NULL
     )
     SELECT job_id AS id, state FROM placed`,
    {
      given: JSON.stringify(given),
      lines: buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers),
      waitMs,
    },
  );
  const states = new Map(result.rows.map(({ id, state }) => [id, state]));
  return jobs.map(({ id, batchable, start }) =>
    start.kind === 'single-step'
      ? [{ queue: start.step, payload: { jobId: id, dispatch: 1 } }]
      : planEntry(id, states.get(id) ?? 'h', batchable),
  );
}

const LINES_OF_ONE = `convert_from(substr(:lines::bytea, first_byte, byte_count), 'UTF8')`;
const IS_SINGLE_STEP = `step IN (${SINGLE_STEPS.map((step) => `'${step}'`).join(', ')})`;

/** What the job of a held file says while it waits. */
const HELD = 'waits until POST /files/product/{id}/actions/import says how its file is to be imported';

/**
 * Assigns a file's job its position once its upload is complete. See acceptJobs about the lock. The job of a held file
 * gets none yet: it waits for scheduleHeldJob.
 */
export async function scheduleFileJob(trx: Knex.Transaction, jobId: string): Promise<Placed> {
  const { rows } = await trx.raw<{ rows: { site_id: number; shared: boolean; held: boolean }[] }>(
    `UPDATE job SET status = CASE WHEN held THEN 'AWAITING_PROFILE' ELSE 'SCHEDULED' END,
       step = CASE WHEN held THEN NULL ELSE 'plan' END, status_message = CASE WHEN held THEN :message END,
       updated_at = now()
     FROM (
       SELECT job.id, coalesce(file.hold_hours, 0) > 0 AS held FROM job
       LEFT JOIN file ON file.id = job.input_file_id WHERE job.id = :jobId) AS found
     WHERE job.id = found.id AND job.status = 'AWAITING_UPLOAD'
     RETURNING job.site_id, job.shared, found.held`,
    { jobId, message: HELD },
  );
  const [job] = rows;
  if (job === undefined) return NOT_PLACED;
  return job.held ? { placed: true, outboxEntries: [] } : place(trx, jobId, job);
}

/**
 * Sets the options of the job of a held file, and assigns its position. See acceptJobs about the lock.
 * @returns `placed` is false when the job does not wait for that: it was cancelled, has expired or was scheduled already
 */
export async function scheduleHeldJob<Options>(
  trx: Knex.Transaction,
  jobId: string,
  jobType: AcceptedType<string, Options>,
  options: Options,
): Promise<Placed> {
  const [job] = await trx('job')
    .where({ id: jobId, status: 'AWAITING_PROFILE' })
    .update({
      status: 'SCHEDULED',
      step: 'plan',
      status_message: null,
      options: JSON.stringify(options),
      shared: isConcurrentFile(jobType, options),
      updated_at: trx.fn.now(),
    })
    .returning(['site_id', 'shared']);
  return job === undefined ? NOT_PLACED : place(trx, jobId, job);
}
