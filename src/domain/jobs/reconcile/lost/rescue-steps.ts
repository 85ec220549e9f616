/** Enqueues steps and chunks of jobs again that the queue has lost. */
import type { JobOutboxEntry } from '../../../../queues/outbox.js';
import { suspectStep } from '../../suspects.js';
import { noteSeen, planStepOf, redispatchLost } from './lost-steps.js';
import type { QueueOfSteps } from './queue-of-steps.js';

/** Enqueues those of the overdue entries that the queue has lost. @returns how many */
export async function rescueLost(queue: QueueOfSteps, overdue: readonly JobOutboxEntry[]): Promise<number> {
  const { db, logger, metrics } = queue;
  let rescued = 0;
  const seen: JobOutboxEntry[] = [];
  for (const entry of overdue) {
    queue.progress();
    if (await queue.isPending(entry)) {
      seen.push(entry);
      continue;
    }
    if (await mayRunInline(queue, entry)) await suspectStep(db, entry);
    const again = await redispatchLost(db, entry);
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload, queue: entry.queue }, 'the queue had lost an outbox entry; enqueued it again');
    metrics?.rescued('step', 1);
    await queue.send([again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}

/** Whether the plan step of the job is on the queue: it may have ended its worker while it executed this step inline. */
async function mayRunInline({ db, isPending }: QueueOfSteps, entry: JobOutboxEntry): Promise<boolean> {
  const planStep = await planStepOf(db, entry);
  return planStep !== null && (await isPending(planStep));
}
