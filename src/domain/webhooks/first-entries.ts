/** Reads what to enqueue for events that are committed. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { batchEntries } from './delivery-rows/delivery-batch.js';
import { ANY_DESTINATION, FIRST_DISPATCH, IS_PENDING } from './delivery-rows/delivery-sql.js';
import { type DueFanOut, fanOutEntry } from './events/fan-out-entry.js';

/** Returns what to enqueue for committed events: their first attempts, and fan-outs that are not finished. */
export async function firstEntries(db: Db, eventIds: readonly string[]): Promise<OutboxEntry[]> {
  const { rows: deliveries } = await db.raw<{ rows: { id: string; account: string }[] }>(FIRST_ATTEMPTS, [
    [...eventIds],
  ]);
  const fanOuts: DueFanOut[] = await db('event')
    .whereIn('id', eventIds)
    .whereNull('fanned_out_at')
    .select('id', 'account_id', 'dispatch', 'fan_out_deaths');
  return [...batchEntries(deliveries), ...fanOuts.map(fanOutEntry)];
}

/** OFFSET makes Postgres look up each event separately: with a join, it might read all deliveries. */
const FIRST_ATTEMPTS = `
  SELECT due.id, event.account_id AS account
  FROM unnest(?::text[]) AS asked (event_id) CROSS JOIN LATERAL (
    SELECT id, account_id FROM event WHERE id = asked.event_id COLLATE "C" OFFSET 0) AS event CROSS JOIN LATERAL (
    SELECT id FROM delivery
    WHERE event_id = event.id AND ${ANY_DESTINATION} AND ${IS_PENDING} AND dispatch = ${FIRST_DISPATCH}
    OFFSET 0) AS due
  ORDER BY due.id`;
