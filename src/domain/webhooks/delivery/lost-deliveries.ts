/** Deliveries that should be on the queue and may not be: a crash between commit and enqueue, a flushed Redis. */
import type { Db } from '../../../../db/connection.js';
import type { DeliveryLane } from '../../../../db/models/delivery.js';
import type { Dispatch } from '../../../queues/dispatch.js';
import { batchOf } from '../delivery-batch.js';

/** One that the queue still has, waiting for its endpoint's turn, is not asked for again so soon. */
const SEEN_FOR = "interval '30 seconds'";

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string;
  readonly lane: DeliveryLane;
  readonly dispatch: number;
}

/**
 * At most `most` of those that were due more than `graceMs` ago, and for so long have not been seen on the queue.
 * Exactly those that are PENDING have a next attempt; asked for in this way they are read in order (delivery_due_ix).
 */
export async function overdueDeliveries(db: Db, graceMs: number, most: number): Promise<DueDelivery[]> {
  return db('delivery')
    .whereRaw("next_attempt_at < now() - :graceMs * interval '1 millisecond'", { graceMs })
    .whereRaw("dispatched_at < now() - :graceMs * interval '1 millisecond'", { graceMs })
    .orderBy('next_attempt_at')
    .limit(most)
    .select('id', 'lane', 'dispatch');
}

/** Notes that the queue has them after all. Waits for nobody. */
export async function noteDeliveriesSeen(db: Db, seen: readonly DueDelivery[]): Promise<void> {
  if (seen.length === 0) return;
  await db.raw(
    `UPDATE delivery SET dispatched_at = now() + ${SEEN_FOR} FROM (${FREE}) AS free WHERE delivery.id = free.id`,
    [given(seen)],
  );
}

/** Dispatches anew what the queue has lost. What somebody is recording at this moment is left alone. @returns what to enqueue */
export async function redispatchDeliveries(db: Db, lost: readonly DueDelivery[]): Promise<Dispatch[]> {
  if (lost.length === 0) return [];
  const { rows } = await db.raw<{ rows: DueDelivery[] }>(
    `UPDATE delivery SET dispatch = delivery.dispatch + 1, dispatched_at = now()
     FROM (${FREE}) AS free WHERE delivery.id = free.id
     RETURNING delivery.id, delivery.lane, delivery.dispatch`,
    [given(lost)],
  );
  return rows.map(dispatchOf);
}

/** What carries it: its batch, until it was dispatched by itself. */
export function dispatchOf({ id, lane, dispatch }: DueDelivery): Dispatch {
  if (dispatch === 1) return { queue: 'batch', payload: { batch: batchOf(id) } };
  return { queue: lane === 'first' ? 'deliver' : 'redeliver', payload: { deliveryId: id, dispatch } };
}

function given(deliveries: readonly DueDelivery[]): string {
  return JSON.stringify(deliveries);
}

/** Those of the given that still stand under this dispatch, and that nobody holds: each looked up by its id. */
const FREE = `
  SELECT held.id FROM jsonb_to_recordset(?::jsonb) AS given (id text, dispatch integer)
  CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE id = given.id COLLATE "C" AND dispatch = given.dispatch AND status = 'PENDING'
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS held`;
