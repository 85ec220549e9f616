/** Counts and replays the deliveries of a definition that belong to a time. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { bindingsOf, endedIn, ignoredIn, type ReplayRange } from './redispatch/range.js';
import { replayInOrder } from './redispatch/replay-in-order.js';
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
