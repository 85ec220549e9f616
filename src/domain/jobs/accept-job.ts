/** Commits what a client was told is accepted: the job, and its input or the file that will hold it. */
import type { Db } from '../../../db/connection.js';
import type { JobKind } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { newId } from '../kernel/identifier.js';
import { type JobOptions, takesEffectAsAWhole } from './job-options.js';

/** A job about to be accepted. */
export interface NewJob {
  readonly id: string;
  readonly siteId: number;
  readonly accountId: string;
  readonly type: string;
  readonly kind: JobKind;
  readonly options: JobOptions;
  readonly channel: number | null;
  readonly requestId: string;
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
function runsShared(kind: JobKind, options: JobOptions): boolean {
  return kind === 'item' && options.mode === 'insert';
}

/**
 * Records a job with its rows, in line and ready to be planned.
 * @returns what to enqueue once `trx` has committed
 */
export async function acceptInlineJob(trx: Db, job: NewJob, input: InlineInput): Promise<Dispatch[]> {
  await trx.raw(
    `WITH accepted AS (
       INSERT INTO job (id, site_id, account_id, type, kind, status, options, channel, request_id, line_no, shared,
                        step, dispatch, dispatched_at, total_count)
       VALUES (:id, :siteId, :accountId, :type, :kind, 'SCHEDULED', :options, :channel, :requestId,
               nextval('job_line_no_seq'), :shared, 'plan', 1, now(), :rowCount)
     )
     INSERT INTO job_chunk (job_id, idx, first_row, row_count, input) VALUES (:id, 0, 1, :rowCount, :lines)`,
    {
      ...job,
      options: JSON.stringify(job.options),
      shared: runsShared(job.kind, job.options),
      rowCount: input.rowCount,
      lines: input.lines,
    },
  );
  return [{ queue: 'plan', payload: { jobId: job.id, dispatch: 1 } }];
}

/** Records a job whose input is still to be uploaded as the file `fileId`. It takes its place in line when that is done. */
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
    shared: runsShared(job.kind, job.options) && !takesEffectAsAWhole(job.options),
  });
}

/**
 * Puts a file's job in line, now that its upload is complete.
 * @returns what to enqueue once `trx` has committed; empty when the job was cancelled or expired meanwhile
 */
export async function scheduleFileJob(trx: Db, jobId: string): Promise<Dispatch[]> {
  const scheduled = await trx('job')
    .where({ id: jobId, status: 'AWAITING_UPLOAD' })
    .update({
      status: 'SCHEDULED',
      line_no: trx.raw("nextval('job_line_no_seq')"),
      step: 'plan',
      dispatch: 1,
      dispatched_at: trx.fn.now(),
      updated_at: trx.fn.now(),
    });
  return scheduled === 1 ? [{ queue: 'plan', payload: { jobId, dispatch: 1 } }] : [];
}
