/** Makes the deliveries due that wait for those which have ended. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../../queues/outbox.js';
import { IS_PENDING } from '../../delivery-rows/delivery-sql.js';
import { type Changed, entryOf } from './changed-delivery.js';

/**
 * Makes the deliveries due that wait for the given ones, which have ended. It is a statement after the one that recorded
 * their end, in the same transaction: only then does it see everything that waits for them.
 * @returns what to enqueue once `trx` has committed
 */
export async function releaseNext(trx: Knex.Transaction, endedIds: readonly string[]): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw<{ rows: Omit<Changed, 'delayMs'>[] }>(RELEASE, [[...endedIds]]);
  return rows.map(entryOf);
}

/** The first pending delivery of a key is left alone unless it waits: it may be in flight, or wait for its retry. */
const RELEASE = `
  UPDATE delivery SET waits_behind = NULL, next_attempt_at = now(), dispatched_at = now(),
    dispatch = delivery.dispatch + 1
  FROM (
    SELECT DISTINCT next.id FROM unnest(?::text[]) AS named (id)
    CROSS JOIN LATERAL (
      SELECT definition_id, order_key FROM delivery
      WHERE id = named.id COLLATE "C" AND status <> 'PENDING' LIMIT 1) AS ended
    CROSS JOIN LATERAL (
      SELECT id, waits_behind FROM delivery
      WHERE definition_id = ended.definition_id AND order_key = ended.order_key AND order_key IS NOT NULL
        AND status = 'PENDING'
      ORDER BY definition_id, order_key, order_no LIMIT 1) AS next
    WHERE next.waits_behind IS NOT NULL) AS due
  WHERE delivery.id = due.id AND ${IS_PENDING} AND delivery.waits_behind IS NOT NULL
  RETURNING delivery.id, delivery.lane, delivery.dispatch`;
