/** Begins the schedule of deliveries again, and enqueues them. */
import type { OutboxEntry } from '../../../queues/outbox.js';

/** The columns that a replay sets in `delivery`. The schedule begins again, while the attempts are still counted on. */
export const BEGIN_ROUND = `status = 'PENDING', lane = 'again', round_start = delivery.attempts, next_attempt_at = now(),
  dispatch = delivery.dispatch + 1, dispatched_at = now(), completed_at = NULL, waits_behind = NULL`;

export function redeliveries(rows: readonly { readonly id: string; readonly dispatch: number }[]): OutboxEntry[] {
  return rows.map(({ id, dispatch }) => ({ queue: 'redeliver', payload: { deliveryId: id, dispatch } }));
}
