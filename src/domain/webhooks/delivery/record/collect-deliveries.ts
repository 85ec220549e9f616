/** Collects deliveries that were loaded after their definition was disabled. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';
import { collectedAt, IS_PENDING } from '../../delivery-rows/delivery-sql.js';
import type { SnoozedDelivery } from './record-snoozes.js';

export type CollectedDelivery = Pick<SnoozedDelivery, 'id' | 'dispatch'>;

export async function collectDeliveries(db: Db, batch: readonly CollectedDelivery[]): Promise<void> {
  const ids = arrayText(batch.map(({ id }) => id));
  await db.raw(COLLECT, [ids, arrayText(batch.map(({ dispatch }) => dispatch)), ids]);
}

/** If the definition was enabled meanwhile, the delivery is released with the others. */
const COLLECT = `
  UPDATE delivery SET dispatch = delivery.dispatch + 1, waits_behind = NULL,
    next_attempt_at = ${collectedAt('delivery.created_at')}, dispatched_at = ${collectedAt('delivery.created_at')}
  FROM unnest(?::text[], ?::integer[]) AS given (id, dispatch)
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING} AND delivery.dispatch = given.dispatch`;
