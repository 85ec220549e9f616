/** Enqueues fan-outs again that the queue has lost. */
import { type OverdueFanOuts, redispatchFanOut } from '../../../domain/webhooks/overdue-fan-outs.js';
import { send } from '../../after-step.js';
import { lostOf } from './lost-entries.js';
import type { Run } from './run.js';

/** A pass ends after so many reads, although some of the last one were lost: it has other work to do. */
const MOST_READS = 10;

/** Enqueues fan-outs again that the queue has lost; they continue where they stopped. @returns how many */
export async function reconcileFanOuts(services: Run, overdue: OverdueFanOuts): Promise<number> {
  const { db, config, logger } = services;
  let rescued = 0;
  for (let read = 0; read < MOST_READS; read++) {
    const lost = await lostOf(services, await overdue.read(db, config.reconcileGraceMs), (entry) => entry);
    for (const entry of lost) {
      services.progress();
      const again = await redispatchFanOut(db, entry);
      if (again === null) continue;
      rescued++;
      logger.info({ ...entry.payload }, 'the queue had lost a fan-out; enqueued it again');
      services.metrics?.rescued('fan-out', 1);
      await send(services, [again]);
    }
    if (lost.length === 0 || !overdue.hasMore()) break;
  }
  return rescued;
}
