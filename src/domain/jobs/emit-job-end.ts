/** Tells of a job's end, in the transaction that ends it: who listens, and the job's own callback. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { Job, JobStatus } from '../../../db/models/job.js';
import type { Dispatch } from '../../queues/outbox.js';
import { emitEvents, type NewEvent } from '../webhooks/events/emit-event.js';
import { firstDispatches } from '../webhooks/events/first-dispatches.js';
import { jobHasSubscribers } from '../webhooks/subscribers.js';

const JOB_COMPLETED = 'JOB_COMPLETED';
const JOB_FAILED = 'JOB_FAILED';
const EXPORT_READY = 'EXPORT_READY';

/** To be answered by the statement that ends jobs: what decides whether there is anything to tell. */
export const WHO_HEARS = `
  ${jobHasSubscribers([JOB_COMPLETED, JOB_FAILED, EXPORT_READY])} AS is_heard, job.options ->> 'callbackUrl' AS callback_url`;

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
  const payload = JSON.stringify(payloadOf(job));
  const event = COMPLETED.includes(job.status) ? JOB_COMPLETED : JOB_FAILED;
  const ended = { source: 'CATALOG', event, payload, channel, callbackUrl };
  if (outputFiles(job).length === 0 || job.status !== 'COMPLETED') return [ended];
  return [ended, { source: 'CATALOG', event: EXPORT_READY, payload, channel }];
}

/** As GET /jobs/{id} shows it, but for the summary of its errors. */
function payloadOf(job: Job): object {
  return {
    jobId: job.id,
    type: job.type,
    status: job.status,
    statusMessage: job.status_message,
    reason: job.reason,
    inputFileId: job.input_file_id,
    outputFiles: outputFiles(job),
    errorFiles: job.error_file_id === null ? [] : [job.error_file_id],
    progressTracker: {
      totalCount: job.total_count,
      processedCount: job.processed_count,
      createdCount: job.created_count,
      updatedCount: job.updated_count,
      unchangedCount: job.unchanged_count,
      errorCount: job.error_count,
    },
    createdAt: job.created_at,
    startedAt: job.started_at,
    completedAt: job.completed_at,
  };
}

function outputFiles(job: Job): string[] {
  return 'output_file_id' in job && typeof job.output_file_id === 'string' ? [job.output_file_id] : [];
}
