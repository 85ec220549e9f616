/** Collects deliveries together with those of the next milliseconds. */
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import { type CollectedDelivery, collectDeliveries } from './collect-deliveries.js';
import { LINGER_MS, MAX_RECORDS } from './recorded-together.js';

/** @returns a function that collects one delivery, together with those of the next milliseconds */
export function createCollector(db: Db): (delivery: CollectedDelivery) => Promise<void> {
  return createBatcher({
    lingerMs: LINGER_MS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly CollectedDelivery[]): Promise<undefined[]> => {
      await collectDeliveries(db, batch);
      return batch.map(() => undefined);
    },
  });
}
