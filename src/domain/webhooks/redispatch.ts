/** Enqueues deliveries again that the queue has lost. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { batchOf } from './delivery-rows/delivery-batch.js';
import type { DueDelivery } from './delivery-rows/due-delivery.js';

/**
 * Gives deliveries that the queue has lost a new fencing token. They are due anew, and so not overdue for a while. Rows
 * that are locked are skipped.
 * @returns what to enqueue
 */
export async function redispatchDeliveries(db: Db, lost: readonly DueDelivery[]): Promise<OutboxEntry[]> {
  if (lost.length === 0) return [];
  const { rows } = await db.raw<{ rows: DueDelivery[] }>(
    `UPDATE delivery SET dispatch = delivery.dispatch + 1, next_attempt_at = now(), dispatched_at = now()
     FROM (${FREE}) AS free WHERE delivery.id = free.id
     RETURNING delivery.id, delivery.lane, delivery.dispatch`,
    [given(lost)],
  );
  return rows.map(entryOf);
}

/** The outbox entry of a delivery: that of its batch, until the delivery has one of its own. */
export function entryOf({ id, lane, dispatch }: DueDelivery): OutboxEntry {
  if (dispatch === 1) return { queue: 'batch', payload: { batch: batchOf(id) } };
  return { queue: lane === 'first' ? 'deliver' : 'redeliver', payload: { deliveryId: id, dispatch } };
}

function given(deliveries: readonly DueDelivery[]): string {
  return JSON.stringify(deliveries);
}

/** The given deliveries whose fencing tokens are unchanged and whose rows are not locked. Each is looked up by its id. */
const FREE = `
  SELECT unlocked.id FROM jsonb_to_recordset(?::jsonb) AS given (id text, dispatch integer)
  CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE id = given.id COLLATE "C" AND dispatch = given.dispatch AND status = 'PENDING'
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS unlocked`;
