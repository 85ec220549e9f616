/** Batches of deliveries: those of one event whose first attempts are one job of the queue. Their ids begin alike. */
import type { OutboxEntry } from '../../../queues/outbox.js';

/** Of a batch: each of them waits for its endpoint by itself, the job for all of them. */
export const BATCH_DELIVERIES = 50;
/** Of a delivery's id; the last two hex digits tell the deliveries of a batch from each other. */
export const BATCH_CHARACTERS = 22;

/**
 * SQL: the id of the delivery that is the nth of those made together.
 * @param seed a text, which nobody else makes deliveries with
 * @param nth from 0
 */
export function batchedId(seed: string, nth: string): string {
  return `lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0')
    || left(md5(${seed} || ' ' || ((${nth}) / ${BATCH_DELIVERIES})::text), ${BATCH_CHARACTERS - 8})
    || lpad(to_hex((${nth}) % ${BATCH_DELIVERIES}), 2, '0')`;
}

/** The batch that a delivery is of. */
export function batchOf(deliveryId: string): string {
  return deliveryId.slice(0, BATCH_CHARACTERS);
}

/** What carries the first attempts of these deliveries, until they are dispatched by themselves: each batch once. */
export function batchEntries(deliveryIds: readonly string[]): OutboxEntry[] {
  return [...new Set(deliveryIds.map(batchOf))].map((batch) => ({ queue: 'batch', payload: { batch } }));
}
