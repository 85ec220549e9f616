/** Emits the events of a job's end, in the transaction that ends it: to subscribers, and to the job's own callback. */
import type { Knex } from 'knex';
import { Job, type JobRow, type JobStatus } from '../../../../db/models/job.js';
import { emitEvents, MAX_PAYLOAD_BYTES, type NewEvent } from '../../webhooks/events/emit-event.js';
import { jobHasSubscribers } from '../../webhooks/subscribers.js';
import { type ShownJob, showJob } from '../read-job.js';

const JOB_COMPLETED = 'JOB_COMPLETED';
const JOB_FAILED = 'JOB_FAILED';
const EXPORT_READY = 'EXPORT_READY';

/** SQL, for the statement that ends jobs to return: what decides whether any event is to be emitted. */
export const SUBSCRIBERS = `
  ${jobHasSubscribers([JOB_COMPLETED, JOB_FAILED, EXPORT_READY])} AS has_subscribers,
  job.options ->> 'callbackUrl' AS callback_url`;

/** A row of SUBSCRIBERS. */
export interface Subscribers {
  readonly has_subscribers: boolean;
  readonly callback_url: string | null;
}

/** A job without subscribers costs nothing more. */
export async function emitJobEnd(trx: Knex.Transaction, jobId: string, subscribers: Subscribers): Promise<void> {
  if (!subscribers.has_subscribers && subscribers.callback_url === null) return;
  const job = await Job.query(trx).findById(jobId).throwIfNotFound();
  const origin = { siteId: job.site_id, accountId: job.account_id };
  const { eventIds } = await emitEvents(trx, origin, eventsOf(job, subscribers.callback_url ?? undefined));
  await trx('job')
    .where({ id: jobId })
    .update({ end_event_ids: [...eventIds] });
}

const COMPLETED: readonly JobStatus[] = ['COMPLETED', 'COMPLETED_PARTIALLY'];

function eventsOf(job: JobRow, callbackUrl: string | undefined): NewEvent[] {
  const { channel } = job;
  const payload = payloadOf(showJob(job));
  const event = COMPLETED.includes(job.status) ? JOB_COMPLETED : JOB_FAILED;
  const ended = { source: 'CATALOG', event, payload, channel, callbackUrl };
  if (job.output_file_id === null || job.status !== 'COMPLETED') return [ended];
  return [ended, { source: 'CATALOG', event: EXPORT_READY, payload, channel }];
}

/** What GET /jobs/{id} shows. An error summary that is too long for a payload is cut off at its end. */
function payloadOf(shown: ShownJob): string {
  const payload = JSON.stringify({ jobId: shown.id, ...shown });
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return payload;
  const errorSummary = shown.errorSummary.slice(0, Math.floor(shown.errorSummary.length / 2));
  return payloadOf({ ...shown, errorSummary });
}
