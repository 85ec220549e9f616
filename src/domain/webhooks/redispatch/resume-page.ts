/** Makes waiting deliveries of a definition due, a page at a time. */
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { redeliveries } from './round.js';

/** The maximum number of deliveries that one statement of a resumption makes due, and how many statements there are. */
export const RESUME_PAGE = 1_000;

/**
 * Deliveries that are due or in flight are left alone, and so are locked rows, which are being recorded. Those that wait
 * for another one of their key become due when it ends.
 */
export async function resumePage(db: Db, webhookId: string, which: string): Promise<OutboxEntry[]> {
  const { rows } = await db.raw<{ rows: { id: string; dispatch: number }[] }>(
    `WITH resumed AS (
       UPDATE delivery SET next_attempt_at = now(), dispatched_at = now(), dispatch = delivery.dispatch + 1, lane = 'again'
       FROM (
         SELECT id FROM delivery
         WHERE definition_id = ? AND status = 'PENDING' AND callback_url IS NULL AND ${which} AND waits_behind IS NULL
         ORDER BY definition_id, next_attempt_at, id LIMIT ${RESUME_PAGE} FOR NO KEY UPDATE SKIP LOCKED) AS waiting
       WHERE delivery.id = waiting.id
       RETURNING delivery.id, delivery.dispatch, delivery.created_at)
     SELECT id, dispatch FROM resumed ORDER BY created_at, id`,
    [webhookId],
  );
  return redeliveries(rows);
}
