/** Has fan-outs that the queue has lost go on where they were. */
import { overdueFanOuts, redispatchFanOut } from '../../domain/webhooks/redispatch.js';
import { isDispatchPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** One pass. @returns how many had been lost */
export async function reconcileFanOuts(services: WorkerServices): Promise<number> {
  const { db, producer, config, logger } = services;
  let rescued = 0;
  for (const dispatch of await overdueFanOuts(db, config.reconcileGraceMs)) {
    if (await isDispatchPending(producer, dispatch)) continue;
    const again = await redispatchFanOut(db, dispatch);
    if (again === null) continue;
    rescued++;
    logger.info({ ...dispatch.payload }, 'the queue had lost a fan-out; enqueued it again');
    await send(services, [again]);
  }
  return rescued;
}
