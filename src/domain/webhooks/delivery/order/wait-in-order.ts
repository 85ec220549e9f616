/** Has deliveries wait for earlier ones of their key. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';
import { withRetries } from '../../../../../db/with-retries.js';
import type { OutboxEntry } from '../../../../queues/outbox.js';
import { IS_PENDING, isCollected } from '../../delivery-rows/delivery-sql.js';
import { type Changed, entryOf } from './changed-delivery.js';

/** A delivery that is not the first pending one of its key. */
export interface FollowingDelivery {
  readonly id: string;
  readonly dispatch: number;
  /** An earlier pending delivery of its key. */
  readonly behind: string;
}

/** A delivery that waits, or whose turn has come, under a new fencing token. */
export interface Turn {
  readonly entry: OutboxEntry;
  readonly delayMs: number;
}
/**
 * A delivery looks for itself after so long, and not before the next attempt of the one that it waits for. Usually the
 * end of that one makes it due much sooner.
 */
const WAIT_MS = 3_600_000;

export async function waitInOrder(db: Db, batch: readonly FollowingDelivery[]): Promise<Map<string, Turn>> {
  const ids = arrayText(batch.map(({ id }) => id));
  const heads = arrayText([...new Set(batch.map(({ behind }) => behind))]);
  const tokens = arrayText(batch.map(({ dispatch }) => dispatch));
  const behind = arrayText(batch.map((one) => one.behind));
  const { rows } = await withRetries(db, (trx) =>
    trx.raw<{ rows: Changed[] }>(WAIT, [heads, WAIT_MS, ids, tokens, behind, ids]),
  );
  return new Map(rows.map(({ delayMs, ...changed }) => [changed.id, { entry: entryOf(changed), delayMs }]));
}

/**
 * The earlier delivery is locked first. If it is just ending, this waits until its end is committed, and the delivery is
 * due at once; otherwise its end waits for this, and then finds the delivery among those that wait. So no end is missed.
 */
const WAIT = `
  WITH head AS MATERIALIZED (
    SELECT locked.id, locked.next_attempt_at FROM unnest(?::text[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id, next_attempt_at FROM delivery WHERE id = named.id COLLATE "C" AND ${IS_PENDING} LIMIT 1 FOR SHARE) AS locked
  ), given AS MATERIALIZED (
    SELECT one.id, one.dispatch, head.id AS behind,
           CASE WHEN head.id IS NULL THEN now()
             ELSE greatest(now() + ?::double precision * interval '1 millisecond',
               CASE WHEN NOT ${isCollected('head')} THEN head.next_attempt_at END) END AS until
    FROM unnest(?::text[], ?::integer[], ?::text[]) AS one (id, dispatch, behind)
    LEFT JOIN head ON head.id = one.behind COLLATE "C"
  )
  UPDATE delivery SET dispatch = delivery.dispatch + 1,
    waits_behind = given.behind, next_attempt_at = given.until, dispatched_at = given.until
  FROM given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING} AND delivery.dispatch = given.dispatch
  RETURNING delivery.id, delivery.lane, delivery.dispatch,
    ceil(extract(epoch FROM given.until - now()) * 1000)::double precision AS "delayMs"`;
