/** Commits what a client was told is accepted: the job, and its input or the file that will hold it. */
import type { Db } from '../../../db/connection.js';
import type { JobKind } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import { type JobOptions, takesEffectAsAWhole } from './job-options.js';
import { PLACED } from './site-order.js';
import type { OrderState } from './turns.js';

/** A job about to be accepted. */
export interface NewJob {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly type: string;
  readonly kind: JobKind;
  readonly options: JobOptions;
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

/** A job's id, made before its transaction so that the answer is known when it begins. */
export const newJobId = newId;

/** Only inserts among themselves may run beside each other: their order cannot be told from the outcome. */
function runsConcurrently(kind: JobKind, options: JobOptions): boolean {
  return kind === 'item' && options.mode === 'insert';
}

/**
 * Records a job with its rows and its place in the site's order. The place is given under a lock that others of the
 * site wait for: let it be the transaction's last statement, or a transaction by itself.
 * @returns what to enqueue once `db` has committed; empty when many wait ahead of it: release what is due then, for
 *   they may all have ended meanwhile
 */
export async function acceptInlineJob(db: Db, job: NewJob, input: InlineInput): Promise<Dispatch[]> {
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
    {
      ...job,
      options: JSON.stringify(job.options),
      concurrent: runsConcurrently(job.kind, job.options),
      rowCount: input.rowCount,
      lines: input.lines,
    },
  );
  return planDispatch(job.id, result.rows[0].state);
}

/**
 * Records a job with its rows within a transaction that goes on and may be long. Its place is given afterwards, by
 * placeJob: by who ends a job of the site, or the reconciler.
 */
export async function acceptUnplacedJob(trx: Db, job: NewJob, input: InlineInput): Promise<void> {
  await trx.raw(
    `WITH accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, shared, step, total_count)
       VALUES (:id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId, :concurrent, 'plan',
               :rowCount)
     )
     INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)`,
    {
      ...job,
      options: JSON.stringify(job.options),
      concurrent: runsConcurrently(job.kind, job.options),
      rowCount: input.rowCount,
      lines: input.lines,
    },
  );
}

/** The plan step of a job just placed, unless it is held. */
function planDispatch(jobId: string, state: OrderState): Dispatch[] {
  return state === 'h' ? [] : [{ queue: 'plan', payload: { jobId, dispatch: 1 } }];
}

/** Records a job whose input is still to be uploaded as the file `fileId`. It gets its place in the order when that is done. */
export async function acceptFileJob(trx: Db, job: NewJob, fileId: string): Promise<void> {
  await trx('job').insert({
    id: job.id,
    site_id: job.siteId,
    account_id: job.accountId,
    type: job.type,
    kind: job.kind,
    status: 'AWAITING_UPLOAD',
    options: JSON.stringify(job.options),
    channel: job.channel,
    request_id: job.requestId,
    input_file_id: fileId,
    // One that holds its transaction open through all its chunks has the site to itself.
    shared: runsConcurrently(job.kind, job.options) && !takesEffectAsAWhole(job.options),
  });
}

/** What came of giving a job its place. */
export interface Placed {
  /** False when the job was cancelled or expired meanwhile, or another has placed it. */
  readonly placed: boolean;
  /** What to enqueue once committed. */
  readonly dispatches: Dispatch[];
}

const NOT_PLACED: Placed = { placed: false, dispatches: [] };

/** Gives a file's job its place in the order, now that its upload is complete. See acceptInlineJob about the lock. */
export async function scheduleFileJob(trx: Db, jobId: string): Promise<Placed> {
  const [job] = await trx('job')
    .where({ id: jobId, status: 'AWAITING_UPLOAD' })
    .update({ status: 'SCHEDULED', step: 'plan', updated_at: trx.fn.now() })
    .returning(['site_id', 'shared']);
  return job === undefined ? NOT_PLACED : place(trx, jobId, job);
}

/** Gives a job its place that was recorded without one. Whoever comes second does nothing. */
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

/** Jobs that were recorded without a place: of one site, or of all. */
export async function unplacedJobs(db: Db, siteId: number | null, limit: number): Promise<string[]> {
  const jobs = db('job').where({ step: 'plan' }).whereNull('line_no').whereNull('completed_at').limit(limit);
  if (siteId !== null) jobs.where({ site_id: siteId });
  const rows: { id: string }[] = await jobs.select('id');
  return rows.map(({ id }) => id);
}

async function place(
  trx: Db,
  jobId: string,
  { site_id: siteId, shared }: { readonly site_id: number; readonly shared: boolean },
): Promise<Placed> {
  const result = await trx.raw(
    `WITH ${PLACED}, noted AS (
       UPDATE job SET line_no = placed.position, updated_at = now() FROM placed WHERE job.id = :id
     )
     SELECT state FROM placed`,
    { id: jobId, siteId, concurrent: shared },
  );
  return { placed: true, dispatches: planDispatch(jobId, result.rows[0].state) };
}
