/** Batches of deliveries: those of one event whose first attempts are one job of the queue. Their ids begin alike. */
import type { Dispatch } from '../../queues/dispatch.js';

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

/** What carries the first attempt of a delivery, until it is dispatched by itself. */
export function batchOf(deliveryId: string): Dispatch {
  return { queue: 'batch', payload: { batch: deliveryId.slice(0, BATCH_CHARACTERS) } };
}

/** The batches of deliveries that have just been made, each once. */
export function batchesOf(deliveryIds: readonly string[]): Dispatch[] {
  return [...new Set(deliveryIds.map((id) => id.slice(0, BATCH_CHARACTERS)))].map((batch) => ({
    queue: 'batch',
    payload: { batch },
  }));
}
