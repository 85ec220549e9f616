/** What follows a committed step: due entries are enqueued, and clients that wait for the job's end are notified. */

import { JOB_TYPES } from '../domain/job-types.js';
import { followEnd } from '../domain/jobs/end-job.js';
import type { OutboxEntry } from '../queues/outbox.js';
import { enqueueEntries } from '../queues/outbox.js';
import type { WorkerServices } from './context.js';

export async function send(
  { producer, logger }: WorkerServices,
  outboxEntries: readonly OutboxEntry[],
  delayMs = 0,
): Promise<void> {
  if (outboxEntries.length > 0) await enqueueEntries(producer, outboxEntries, logger, delayMs);
}

/** Announces the end of a job, enqueues deliveries of its events, and releases jobs that were held for it. */
export async function afterEnd(services: WorkerServices, jobId: string): Promise<void> {
  await send(services, await followEnd(services.db, JOB_TYPES, jobId));
}
