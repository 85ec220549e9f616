/** The outbox entry of a delivery that got another fencing token. */
import type { DeliveryLane } from '../../../../../db/models/delivery.js';
import type { OutboxEntry } from '../../../../queues/outbox.js';

export interface Changed {
  readonly id: string;
  readonly lane: DeliveryLane;
  readonly dispatch: number;
  readonly delayMs: number;
}

export function entryOf({ id, lane, dispatch }: Omit<Changed, 'delayMs'>): OutboxEntry {
  return { queue: lane === 'first' ? 'deliver' : 'redeliver', payload: { deliveryId: id, dispatch } };
}
