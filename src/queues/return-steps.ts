/** Returns the steps of processes that have died to their queues, before the queue itself notices that they stand still. */
import type { Job } from 'bullmq';
import { queues } from './index.js';
import type { OpenQueues } from './open-queues.js';

/** Of each queue. What is beyond it the queue finds by itself, later. */
const MOST_RUNNING = 1_000;

/**
 * Only the steps that their fencing tokens protect, and that are executed in a process of their own because they may have
 * ended the one that is lost. Requests of webhooks are not: their process may have sent them.
 * @param processes the ids of the processes, as their heartbeats have them
 * @returns how many steps
 */
export async function returnSteps(open: OpenQueues, processes: ReadonlySet<string>): Promise<number> {
  let returned = 0;
  for (const { name, payload } of Object.values(queues)) {
    const running: (Job | undefined)[] = await open.get(name).getJobs(['active'], 0, MOST_RUNNING - 1, true);
    for (const job of running) {
      if (job?.processedBy === undefined || !processes.has(job.processedBy)) continue;
      const suspect = payload.safeParse({ ...job.data, suspect: true });
      if (!suspect.success || !isSuspect(suspect.data)) continue;
      await job.updateData(suspect.data);
      await job.moveToWait();
      returned++;
    }
  }
  return returned;
}

function isSuspect(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'suspect' in payload;
}
