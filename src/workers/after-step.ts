/** What follows a committed step: the queue is told what is due, and whoever waits for the job's end. */

import { announceEnd } from '../domain/jobs/job-ended.js';
import { takeUpNext } from '../domain/jobs/take-up-next.js';
import { firstDispatches } from '../domain/webhooks/emit-events.js';
import type { Dispatch } from '../queues/outbox.js';
import { sendDispatches } from '../queues/outbox.js';
import type { WorkerServices } from './context.js';

export async function send(
  { producer, logger }: WorkerServices,
  dispatches: readonly Dispatch[],
  delayMs = 0,
): Promise<void> {
  if (dispatches.length > 0) await sendDispatches(producer, dispatches, logger, delayMs);
}

/** A job has left the line: those who wait for it or listen are told, and the next of its site are taken up. */
export async function afterEnd(services: WorkerServices, jobId: string): Promise<void> {
  const { db } = services;
  await announceEnd(db, jobId);
  const job = await db('job').where({ id: jobId }).first('site_id', 'kind', 'line_no', 'end_event_ids');
  if (job === undefined) return;
  await send(services, await takeUpNext(db, job));
  if (job.end_event_ids !== null) await send(services, await firstDispatches(db, job.end_event_ids));
}
