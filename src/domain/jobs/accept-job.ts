/** Commits what a client was told is accepted: the job, and its input or the file that will hold it. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import { EXPECTED_WEB_ADDRESS, isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../kernel/web-address.js';
import type { AcceptedType } from './job-type.js';
import { NOT_PLACED, type Placed, place, placeUnplaced, planEntry } from './order/place-job.js';
import { PLACED } from './order/site-order.js';

/** A job about to be accepted. */
interface NewJob<Name extends string, Options> {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly jobType: AcceptedType<Name, Options>;
  /** The name by which clients know it. */
  readonly type: Name;
  readonly options: Options;
  readonly channel: number | null;
  /** Null: made by the system itself. */
  readonly requestId: string | null;
}

/** Rows that came in a request body. */
export interface InlineInput {
  /** UTF-8, one JSON text a line, `rowCount` of them. */
  readonly lines: Buffer;
  readonly rowCount: number;
}

/** The address that is called when a job has ended. Where it leads is to be checked as well, now and at each call. */
export const callbackUrlSchema = z
  .string()
  .max(MAX_WEB_ADDRESS_CHARACTERS)
  .refine(isWebAddress, EXPECTED_WEB_ADDRESS)
  .meta({ description: "Called by POST when the job has ended, in whatever way; signed with your account's secret" });

/** A job's id, made before its transaction so that the answer is known when it begins. */
export const newJobId = newId;

/**
 * Records a job with its rows and its place in the site's order. The place is given under a lock that others of the
 * site wait for: let it be the transaction's last statement, or a transaction by itself.
 * @returns what to enqueue once `db` has committed; empty when many wait ahead of it: release what is due then, for
 *   they may all have ended meanwhile
 */
export async function acceptInlineJob<Name extends string, Options>(
  db: Db,
  job: NewJob<Name, Options>,
  input: InlineInput,
): Promise<OutboxEntry[]> {
  const result = await db.raw(
    `WITH ${PLACED}, accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, line_no, shared,
                        step, total_count)
       SELECT :id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId,
              placed.position, :concurrent, 'plan', :rowCount
       FROM placed
     ), filled AS (
       INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)
     )
     SELECT state FROM placed`,
    { ...bindingsOf(job), rowCount: input.rowCount, lines: input.lines },
  );
  return planEntry(job.id, result.rows[0].state);
}

/**
 * Records a job with its rows within a transaction that goes on and may be long. It gets its place afterwards, by
 * placeUnplacedJobs: once that transaction is committed, or at last by the reconciler.
 */
export async function acceptUnplacedJob<Name extends string, Options>(
  trx: Db,
  job: NewJob<Name, Options>,
  input: InlineInput,
): Promise<void> {
  await trx.raw(
    `WITH accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, shared, step, total_count)
       VALUES (:id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId, :concurrent, 'plan',
               :rowCount)
     )
     INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)`,
    { ...bindingsOf(job), rowCount: input.rowCount, lines: input.lines },
  );
}

/** Jobs that get their places at once; the next end of a job, or the reconciler, goes on. */
const PLACED_AT_ONCE = 20;

/**
 * Gives the jobs of a site their places that a transaction, committed by now, has recorded without one: what is
 * accepted from then on comes after them.
 * @returns what to enqueue
 */
export function placeUnplacedJobs(db: Db, siteId: number): Promise<OutboxEntry[]> {
  return placeUnplaced(db, siteId, PLACED_AT_ONCE);
}

/** Records a job whose input is still to be uploaded as the file `fileId`. It gets its place in the order when that is done. */
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
    // One that holds its transaction open through all its chunks has the site to itself.
    shared: concurrent && !job.jobType.isAtomic(job.options),
  });
}

/**
 * Records a job of a single step, which has no place in the order of its site.
 * @returns what to enqueue once `trx` has committed
 */
export async function acceptOneStepJob<Name extends string, Options>(
  trx: Db,
  job: NewJob<Name, Options>,
): Promise<OutboxEntry[]> {
  const [step] = job.jobType.steps;
  if (step !== 'export' && step !== 'replay')
    throw new Error(`a job that begins with ${step} has a place in the order`);
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

/** Gives a file's job its place in the order, now that its upload is complete. See acceptInlineJob about the lock. */
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
    concurrent: job.jobType.isConcurrent(job.options),
  };
}

function bindingsOf<Name extends string, Options>(job: NewJob<Name, Options>) {
  const { id, siteId, accountId, type, channel, requestId } = job;
  const { kind, options, concurrent } = columnsOf(job);
  return { id, siteId, accountId, type, kind, options, channel, requestId, concurrent };
}
