/** Enqueues again what the queue has lost. */
import { noteSeen, redispatchLost } from '../../domain/jobs/reconcile-jobs.js';
import { isDispatchPending, type JobDispatch } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** @param overdue what should have been on the queue for a while @returns how many of them were not */
export async function rescueLost(services: WorkerServices, overdue: readonly JobDispatch[]): Promise<number> {
  const { db, producer, logger } = services;
  let rescued = 0;
  const seen: JobDispatch[] = [];
  for (const dispatch of overdue) {
    if (await isDispatchPending(producer, dispatch)) {
      seen.push(dispatch);
      continue;
    }
    const again = await redispatchLost(db, dispatch);
    if (again === null) continue;
    rescued++;
    logger.info({ ...dispatch.payload, queue: dispatch.queue }, 'the queue had lost a dispatch; enqueued it again');
    await send(services, [again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}
