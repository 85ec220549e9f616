/** What of events that are committed the queue should be told: their first attempts, and fan-outs still to be made. */
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/dispatch.js';
import { batchDispatches } from './delivery-batch.js';
import { ANY_DESTINATION, IS_PENDING } from './delivery-sql.js';

export async function firstDispatches(db: Db, eventIds: readonly string[]): Promise<Dispatch[]> {
  const { rows: deliveries } = await db.raw<{ rows: { id: string }[] }>(FIRST_ATTEMPTS, [[...eventIds]]);
  const fanOuts: { id: string; dispatch: number }[] = await db('event')
    .whereIn('id', eventIds)
    .whereNull('fanned_out_at')
    .select('id', 'dispatch');
  return [
    ...batchDispatches(deliveries.map(({ id }) => id)),
    ...fanOuts.map(({ id, dispatch }) => ({ queue: 'fan-out' as const, payload: { eventId: id, dispatch } })),
  ];
}

/** Event by event: OFFSET keeps the look-up from being joined, and then all deliveries from being read. */
const FIRST_ATTEMPTS = `
  SELECT due.id FROM unnest(?::text[]) AS asked (event_id) CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE event_id = asked.event_id COLLATE "C" AND ${ANY_DESTINATION} AND ${IS_PENDING} AND dispatch = 1
    OFFSET 0) AS due
  ORDER BY due.id`;
