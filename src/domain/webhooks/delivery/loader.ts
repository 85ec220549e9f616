/** Loads deliveries together with those that are asked for in the next milliseconds. */
import type { Db } from '../../../../db/connection.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import { loadDeliveries } from './load-deliveries.js';
import type { LoadedDelivery } from './loaded-delivery.js';

const MAX_LOADED = 200;
/** Deliveries that arrive from the queue within this time are loaded by one statement. */
export const LOAD_LINGER_MS = 3;

/** Creates a loader that combines the requests of a few milliseconds into one statement. */
export function createLoader(db: Db): (deliveryId: string) => Promise<LoadedDelivery | undefined> {
  return createBatcher({
    lingerMs: LOAD_LINGER_MS,
    maxItems: MAX_LOADED,
    run: async (ids: readonly string[]) => {
      const loaded = await loadDeliveries(db, ids);
      return ids.map((id) => loaded.get(id));
    },
  });
}
