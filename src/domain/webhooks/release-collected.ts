/** Releases deliveries that were collected while their definition was disabled. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { isCollected } from './delivery-rows/delivery-sql.js';
import { RESUME_PAGE, resumePage } from './redispatch/resume-page.js';

/** Definitions of which one pass releases deliveries, and after how many deliveries it ends. */
const MAX_RELEASING = 100;
const ENOUGH_RELEASED = 20_000;

/**
 * Makes deliveries due that a definition collected before it was enabled again, oldest first. They are in the queue of
 * retries, so that they do not delay new events.
 * @returns what to enqueue; what is left is released by releaseAllCollected
 */
export function releaseCollected(db: Db, webhookId: string): Promise<OutboxEntry[]> {
  return resumePage(db, webhookId, isCollected('delivery'));
}

/** Does the same for all definitions that were enabled again, page by page, so that none waits for the backlog of another. */
export async function releaseAllCollected(db: Db): Promise<OutboxEntry[]> {
  const outboxEntries: OutboxEntry[] = [];
  const { rows } = await db.raw<{ rows: { id: string }[] }>(RELEASING);
  for (let left = rows; left.length > 0 && outboxEntries.length < ENOUGH_RELEASED; ) {
    const more: typeof rows = [];
    for (const definition of left) {
      const released = await releaseCollected(db, definition.id);
      outboxEntries.push(...released);
      if (released.length === RESUME_PAGE) more.push(definition);
    }
    left = more;
  }
  return outboxEntries;
}

/** Whether a `definition` has deliveries that it collected: the last ones in the order of delivery_endpoint_ix. */
const HAS_COLLECTED = `coalesce((
  SELECT true FROM delivery
  WHERE delivery.definition_id = definition.id AND delivery.status = 'PENDING' AND delivery.callback_url IS NULL
    AND ${isCollected('delivery')}
  ORDER BY delivery.definition_id, delivery.next_attempt_at, delivery.id LIMIT 1), false)`;

/** A range, which Postgres takes for few rows without statistics: so it uses the index. */
const RELEASING = `
  SELECT id FROM webhook_definition AS definition
  WHERE releases_until > '-infinity' AND releases_until < 'infinity' AND status = 'ACTIVE' AND ${HAS_COLLECTED}
  ORDER BY id LIMIT ${MAX_RELEASING}`;

/** Ends the collecting of definitions whose time is over, and the search for what they have collected. */
export async function endCollecting(db: Db): Promise<void> {
  await db.raw(
    `UPDATE webhook_definition SET collects_until = NULL
     WHERE collects_until > '-infinity' AND collects_until <= now()`,
  );
  await db.raw(
    `UPDATE webhook_definition AS definition SET releases_until = NULL
     WHERE releases_until > '-infinity' AND releases_until <= now() AND NOT ${HAS_COLLECTED}`,
  );
}
