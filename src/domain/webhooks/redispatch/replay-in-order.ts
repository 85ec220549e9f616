/** Replays deliveries to a definition that wants events in their order. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { orderOf } from '../delivery-rows/delivery-sql.js';
import { endedIn, ignoredIn, type ReplayRange } from './range.js';
import { BEGIN_ROUND, redeliveries } from './round.js';

/** What is replayed later, in another page, must not belong before what this page replays. */
export async function replayInOrder(
  trx: Knex.Transaction,
  range: ReplayRange,
  bindings: Record<string, Knex.Value>,
): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `WITH ended AS MATERIALIZED (
       SELECT id, event_id, created_at AS at, order_no FROM delivery WHERE ${endedIn(range)}
       ORDER BY created_at, order_no, id LIMIT :most
     ), missing AS MATERIALIZED (
       SELECT NULL::text AS id, event.id AS event_id, event.triggered_at AS at, event.order_no ${ignoredIn(range)}
         AND :withMissing::boolean
       ORDER BY event.triggered_at, event.order_no, event.id LIMIT :most
     ), picked AS MATERIALIZED (
       SELECT * FROM ended UNION ALL SELECT * FROM missing ORDER BY at, order_no, event_id LIMIT :most
     ), again AS (
       UPDATE delivery SET ${BEGIN_ROUND} FROM picked WHERE delivery.id = picked.id AND delivery.status <> 'PENDING'
       RETURNING delivery.id, delivery.dispatch
     ), made AS (
       INSERT INTO delivery (event_id, definition_id, site_id, lane, order_key, order_no)
       SELECT event.id, definition.id, event.site_id, 'again', ${orderOf('definition', 'event')}
       FROM picked JOIN event ON event.id = picked.event_id
       JOIN webhook_definition AS definition ON definition.id = :webhookId
       WHERE picked.id IS NULL
       ON CONFLICT DO NOTHING RETURNING id, dispatch
     )
     SELECT * FROM again UNION ALL SELECT * FROM made`,
    { ...bindings, withMissing: range.outcomes.includes('IGNORED') },
  );
  return redeliveries(rows);
}
