/** Tells of a job's end, in the transaction that ends it: who listens, and the job's own callback. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Job, JobStatus } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { emitEvents, firstDispatches, type NewEvent } from '../webhooks/emit-events.js';
import type { PayloadOf } from '../webhooks/event-types.js';
import { subscribersOf } from '../webhooks/subscribers.js';

const SUBSCRIBERS = subscribersOf('JOB_COMPLETED', 'JOB_FAILED', 'EXPORT_READY');

/** To be answered by the statement that ends jobs: what decides whether there is anything to tell. */
export const WHO_HEARS = `
  ${SUBSCRIBERS.isAnySubscribed('job.site_id')} AS is_heard, job.options ->> 'callbackUrl' AS callback_url`;

/** A row of WHO_HEARS. */
export interface Hearing {
  readonly is_heard: boolean;
  readonly callback_url: string | null;
}

/** Emits what there is to tell. A job that nobody listens to costs nothing more. */
export async function emitJobEnd(trx: Knex.Transaction, jobId: string, hearing: Hearing): Promise<void> {
  if (!hearing.is_heard && hearing.callback_url === null) return;
  const job: Job = await trx('job').where({ id: jobId }).first();
  const origin = { siteId: job.site_id, accountId: job.account_id };
  const { eventIds } = await emitEvents(trx, origin, eventsOf(job, hearing.callback_url ?? undefined));
  await trx('job')
    .where({ id: jobId })
    .update({ end_event_ids: [...eventIds] });
}

/** What to enqueue now that a job's end is committed. */
export async function endDispatches(db: Db, jobId: string): Promise<Dispatch[]> {
  const job = await db('job').where({ id: jobId }).whereNotNull('end_event_ids').first('end_event_ids');
  return job === undefined ? [] : firstDispatches(db, job.end_event_ids);
}

const COMPLETED: readonly JobStatus[] = ['COMPLETED', 'COMPLETED_PARTIALLY'];

function eventsOf(job: Job, callbackUrl: string | undefined): NewEvent[] {
  const { channel } = job;
  const payload = payloadOf(job);
  const { status } = payload;
  const name = COMPLETED.includes(status) ? 'JOB_COMPLETED' : 'JOB_FAILED';
  const ended = SUBSCRIBERS.event(name, payload, { channel, callbackUrl });
  if (payload.outputFiles.length === 0 || status !== 'COMPLETED') return [ended];
  return [ended, SUBSCRIBERS.event('EXPORT_READY', payload, { channel })];
}

/** As GET /jobs/{id} shows it, but for the summary of its errors. */
function payloadOf(job: Job): PayloadOf<'JOB_COMPLETED'> {
  return {
    jobId: job.id,
    type: job.type,
    status: endedStatus(job),
    statusMessage: job.status_message,
    reason: job.reason,
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
    },
    createdAt: job.created_at.toISOString(),
    startedAt: job.started_at?.toISOString() ?? null,
    completedAt: job.completed_at?.toISOString() ?? null,
  };
}

/** @throws Error for a job that has not ended */
function endedStatus({ id, status }: Job): PayloadOf<'JOB_COMPLETED'>['status'] {
  switch (status) {
    case 'AWAITING_UPLOAD':
    case 'SCHEDULED':
    case 'IN_PROGRESS':
    case 'CANCELLATION_IN_PROGRESS':
      throw new Error(`job ${id} is ${status}: it has not ended`);
    default:
      return status;
  }
}
