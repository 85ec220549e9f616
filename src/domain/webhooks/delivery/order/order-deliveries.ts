/**
 * Keeps the order of deliveries with a key. A delivery waits while an earlier one of its key is pending, and its end
 * makes the next one due. Waiting is not an attempt. Deliveries without a key never come here.
 */
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import { type FollowingDelivery, type Turn, waitInOrder } from './wait-in-order.js';

const LINGER_MS = 10;
const MAX_RECORDS = 500;

/** Has a delivery wait, and resolves to what to enqueue; null: its fencing token has changed, or it has ended. */
export type OrderKeeper = (delivery: FollowingDelivery) => Promise<Turn | null>;

export function createOrderKeeper(db: Db): OrderKeeper {
  return createBatcher({
    lingerMs: LINGER_MS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly FollowingDelivery[]) => {
      const waiting = await waitInOrder(db, batch);
      return batch.map(({ id }) => waiting.get(id) ?? null);
    },
  });
}
