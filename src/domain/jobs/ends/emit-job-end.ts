/**
 * Emits the events of a job's end, or of its waiting for an approval, in the same transaction: to
 * subscribers, and to the job's own callback.
 */
import type { Knex } from 'knex';
import { Job, type JobRow, type JobStatus } from '../../../../db/models/job.js';
import { showJob } from '../../job-model/show-job.js';
import { emitEvents, MAX_PAYLOAD_BYTES } from '../../webhooks/emit-events.js';
import type { PayloadOf } from '../../webhooks/model/event-types.js';
import { subscribersOf } from '../../webhooks/subscribers.js';

type ShownJob = ReturnType<typeof showJob>;

const EVENTS = subscribersOf('JOB_COMPLETED', 'JOB_FAILED', 'JOB_AWAITING_APPROVAL', 'EXPORT_READY');
type JobEvent = ReturnType<typeof EVENTS.event>;
type EndPayload = PayloadOf<'JOB_COMPLETED'>;

/** SQL for the statement that ends jobs to return: it decides whether any event has to be emitted. */
export const SUBSCRIBERS = `
  ${EVENTS.isAnySubscribed('job.site_id')} AS has_subscribers,
  job.options ->> 'callbackUrl' AS callback_url`;

/** A row of SUBSCRIBERS. */
export interface Subscribers {
  readonly has_subscribers: boolean;
  readonly callback_url: string | null;
}

/** Emits the events, if the job has subscribers or a callback. @returns the ids of the events */
export async function emitJobEnd(
  trx: Knex.Transaction,
  jobId: string,
  subscribers: Subscribers,
): Promise<readonly string[]> {
  if (!subscribers.has_subscribers && subscribers.callback_url === null) return [];
  const job = await Job.query(trx).findById(jobId).throwIfNotFound();
  const origin = { siteId: job.site_id, accountId: job.account_id, traceparent: job.traceparent };
  const { eventIds } = await emitEvents(trx, origin, eventsOf(job, subscribers.callback_url ?? undefined));
  await trx('job')
    .where({ id: jobId })
    .update({ end_event_ids: [...eventIds] });
  return eventIds;
}

const COMPLETED: readonly JobStatus[] = ['COMPLETED', 'COMPLETED_PARTIALLY'];

function eventsOf(job: JobRow, callbackUrl: string | undefined): JobEvent[] {
  const { channel } = job;
  const shown = showJob(job);
  if (shown.status === 'AWAITING_APPROVAL') {
    const waiting = { ...fitting(shown), status: shown.status, changesUrl: `/jobs/${shown.id}/changes` };
    return [EVENTS.event('JOB_AWAITING_APPROVAL', waiting, { channel, callbackUrl })];
  }
  const payload: EndPayload = { ...fitting(shown), status: endedStatus(shown) };
  const name = COMPLETED.includes(payload.status) ? 'JOB_COMPLETED' : 'JOB_FAILED';
  const ended = EVENTS.event(name, payload, { channel, callbackUrl });
  if (payload.outputFiles.length === 0 || payload.status !== 'COMPLETED') return [ended];
  return [ended, EVENTS.event('EXPORT_READY', payload, { channel })];
}

/**
 * Builds what GET /jobs/{id} shows. Of what is too long for a payload, options are left out if they have more than half of its
 * room, and the lists of errors and warnings are cut off at their ends.
 */
function fitting(shown: ShownJob): ShownJob & { readonly jobId: string } {
  const payload = { jobId: shown.id, ...shown };
  if (bytesOf(payload) <= MAX_PAYLOAD_BYTES) return payload;
  if (bytesOf(shown.options) > MAX_PAYLOAD_BYTES / 2) return fitting({ ...shown, options: {} });
  const errorSummary = shown.errorSummary.slice(0, Math.floor(shown.errorSummary.length / 2));
  const warnings = shown.warnings.slice(0, Math.floor(shown.warnings.length / 2));
  return fitting({ ...shown, errorSummary, warnings });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** @throws Error for a job that has not ended */
function endedStatus({ id, status }: Pick<ShownJob, 'id' | 'status'>): EndPayload['status'] {
  switch (status) {
    case 'AWAITING_UPLOAD':
    case 'AWAITING_PROFILE':
    case 'AWAITING_APPROVAL':
    case 'SCHEDULED':
    case 'IN_PROGRESS':
    case 'CANCELLATION_IN_PROGRESS':
      throw new Error(`job ${id} is ${status}: it has not ended`);
    default:
      return status;
  }
}
