/** What of events that are committed the queue should be told: their first attempts, and fan-outs still to be made. */
import type { Db } from '../../../../db/connection.js';
import type { Dispatch } from '../../../queues/outbox.js';
import { batchDispatches } from '../delivery/delivery-batch.js';

export async function firstDispatches(db: Db, eventIds: readonly string[]): Promise<Dispatch[]> {
  const deliveries: { id: string }[] = await db('delivery')
    .whereIn('event_id', eventIds)
    .where({ status: 'PENDING', dispatch: 1 })
    .orderBy('id')
    .select('id');
  const fanOuts: { id: string; dispatch: number }[] = await db('event')
    .whereIn('id', eventIds)
    .whereNull('fanned_out_at')
    .select('id', 'dispatch');
  return [
    ...batchDispatches(deliveries.map(({ id }) => id)),
    ...fanOuts.map(({ id, dispatch }) => ({ queue: 'fan-out' as const, payload: { eventId: id, dispatch } })),
  ];
}
