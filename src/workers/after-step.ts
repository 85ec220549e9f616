/** What follows a committed step: the queue gets what is due, and those who wait for the job's end are notified. */

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

/** A job has left the order of its site: subscribers get its events, and what was held for it is released. */
export async function afterEnd(services: WorkerServices, jobId: string): Promise<void> {
  await send(services, await followEnd(services.db, JOB_TYPES, jobId));
}
