/**
 * Batches of deliveries: one queue job makes the first attempts of a batch. The ids of a batch have a common prefix.
 */
import type { OutboxEntry } from '../../../queues/outbox.js';

/** The size of a batch. Each delivery waits for its endpoint separately, but the queue job waits for all of them. */
export const BATCH_DELIVERIES = 50;
/** The length of the common prefix. The last two hex digits of an id number the deliveries of a batch. */
export const BATCH_CHARACTERS = 22;

/**
 * SQL for the id of the nth delivery of those that are created together.
 * @param seed a text from which no other deliveries are created
 * @param nth from 0
 */
export function batchedId(seed: string, nth: string): string {
  return `lpad(to_hex(extract(epoch FROM now())::bigint), 8, '0')
    || left(md5(${seed} || ' ' || ((${nth}) / ${BATCH_DELIVERIES})::text), ${BATCH_CHARACTERS - 8})
    || lpad(to_hex((${nth}) % ${BATCH_DELIVERIES}), 2, '0')`;
}

/** The batch to which a delivery belongs. */
export function batchOf(deliveryId: string): string {
  return deliveryId.slice(0, BATCH_CHARACTERS);
}

/** The outbox entries of the first attempts of these deliveries: one for each batch. */
export function batchEntries(deliveries: readonly { readonly id: string; readonly account: string }[]): OutboxEntry[] {
  const accounts = new Map(deliveries.map(({ id, account }) => [batchOf(id), account]));
  return Array.from(accounts, ([batch, account]) => ({ queue: 'batch', payload: { batch, account } }));
}
