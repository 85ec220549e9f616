/** Counts and replays the deliveries of a definition that belong to a time. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { orderOf } from './delivery-rows/delivery-sql.js';
import { bindingsOf, endedIn, ignoredIn, type ReplayRange } from './redispatch/range.js';
import { BEGIN_ROUND, redeliveries } from './redispatch/round.js';

/** Counts the deliveries that a replay of the range would enqueue. */
export async function countInRange(db: Db, range: ReplayRange): Promise<number> {
  const bindings = await bindingsOf(db, range);
  const count = async (from: string): Promise<number> => {
    const { rows } = await db.raw<{ rows: { total: number }[] }>(`SELECT count(*)::integer AS total ${from}`, bindings);
    return rows[0]?.total ?? 0;
  };
  const ended = await count(`FROM delivery WHERE ${endedIn(range)}`);
  return range.outcomes.includes('IGNORED') ? ended + (await count(ignoredIn(range))) : ended;
}

/**
 * Replays at most `most` deliveries of the range, oldest first; unless the definition wants an order, first those that
 * exist, then those that were never created. What was replayed no longer belongs to the range.
 * @returns what to enqueue
 */
export async function replayRange(trx: Knex.Transaction, range: ReplayRange, most: number): Promise<OutboxEntry[]> {
  const bindings = await bindingsOf(trx, range);
  if (bindings.isOrdered) return replayInOrder(trx, range, { ...bindings, most });
  const { rows } = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `UPDATE delivery SET ${BEGIN_ROUND} FROM (
       SELECT id FROM delivery WHERE ${endedIn(range)} ORDER BY created_at, id LIMIT :most FOR UPDATE) AS due
     WHERE delivery.id = due.id RETURNING delivery.id, delivery.dispatch`,
    { ...bindings, most },
  );
  const left = most - rows.length;
  if (left === 0 || !range.outcomes.includes('IGNORED')) return redeliveries(rows);
  const made = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `INSERT INTO delivery (event_id, definition_id, site_id, lane)
     SELECT event.id, definition.id, event.site_id, 'again' ${ignoredIn(range)}
     ORDER BY event.triggered_at, event.id LIMIT :left
     ON CONFLICT DO NOTHING RETURNING id, dispatch`,
    { ...bindings, left },
  );
  return redeliveries([...rows, ...made.rows]);
}

/** What is replayed later, in another page, must not belong before what this page replays. */
async function replayInOrder(
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
