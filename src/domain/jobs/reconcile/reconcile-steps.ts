/** Makes the queue consistent with the steps of jobs: those that were lost, that nobody has moved on, and that are held. */

import type { JobTypes } from '../../job-model/job-type.js';
import { advanceJob } from '../chunks/advance-job.js';
import { overdueEntries, stuckJobs } from './lost/lost-steps.js';
import { releaseLost } from './lost/orders.js';
import type { QueueOfSteps } from './lost/queue-of-steps.js';
import { rescueLost } from './lost/rescue-steps.js';

/**
 * Enqueues steps again that were lost, moves jobs on between two steps, and releases what is held for no reason. Plan
 * steps are not among them: see reconcileOrder.
 * @param graceMs how long a step may have been due before the queue is asked for it
 * @returns how many were lost
 */
export async function reconcileSteps(queue: QueueOfSteps, types: JobTypes, graceMs: number): Promise<number> {
  const { db, send, progress } = queue;
  const rescued = await rescueLost(queue, await overdueEntries(db, graceMs));
  for (const jobId of await stuckJobs(db)) {
    progress();
    await send(await advanceJob(db, jobId));
  }
  progress();
  await send(await releaseLost(db, types));
  return rescued;
}
