/** Enqueues steps and chunks of jobs again that the queue has lost. */
import { noteSeen, planStepOf, redispatchLost } from '../../../domain/jobs/reconcile/lost-steps.js';
import { suspectStep } from '../../../domain/jobs/suspects.js';
import { isEntryPending, type JobOutboxEntry } from '../../../queues/outbox.js';
import { send } from '../../after-step.js';
import type { Run } from './run.js';

/** Enqueues those of the overdue entries that the queue has lost. @returns how many */
export async function rescueLost(services: Run, overdue: readonly JobOutboxEntry[]): Promise<number> {
  const { db, producer, logger } = services;
  let rescued = 0;
  const seen: JobOutboxEntry[] = [];
  for (const entry of overdue) {
    services.progress();
    if (await isEntryPending(producer, entry)) {
      seen.push(entry);
      continue;
    }
    if (await mayRunInline(services, entry)) await suspectStep(db, entry);
    const again = await redispatchLost(db, entry);
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload, queue: entry.queue }, 'the queue had lost an outbox entry; enqueued it again');
    services.metrics?.rescued('step', 1);
    await send(services, [again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}

/** Whether the plan step of the job is on the queue: it may have ended its worker while it executed this step inline. */
async function mayRunInline({ db, producer }: Run, entry: JobOutboxEntry): Promise<boolean> {
  const planStep = await planStepOf(db, entry);
  return planStep !== null && (await isEntryPending(producer, planStep));
}
