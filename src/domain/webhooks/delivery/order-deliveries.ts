/**
 * Keeps the order of deliveries with a key. A delivery waits while an earlier one of its key is pending, and its end
 * makes the next one due. Waiting is not an attempt. Deliveries without a key never come here.
 */
import { arrayText } from '../../../../db/array-text.js';
import type { Db } from '../../../../db/connection.js';
import type { DeliveryLane } from '../../../../db/models/delivery.js';
import { withRetries } from '../../../../db/with-retries.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { IS_PENDING, isCollected } from '../delivery-rows/delivery-sql.js';

/** A delivery that is not the first pending one of its key. */
interface FollowingDelivery {
  readonly id: string;
  readonly dispatch: number;
  /** An earlier pending delivery of its key. */
  readonly behind: string;
}

/** A delivery that waits, or whose turn has come, under a new fencing token. */
interface Turn {
  readonly entry: OutboxEntry;
  readonly delayMs: number;
}

const LINGER_MS = 10;
const MAX_RECORDS = 500;
/**
 * A delivery looks for itself after so long, and not before the next attempt of the one that it waits for. Usually the
 * end of that one makes it due much sooner.
 */
const WAIT_MS = 3_600_000;

/** Has a delivery wait, and resolves to what to enqueue; null: its fencing token has changed, or it has ended. */
export type OrderKeeper = (delivery: FollowingDelivery) => Promise<Turn | null>;

export function createOrderKeeper(db: Db): OrderKeeper {
  return createBatcher({
    lingerMs: LINGER_MS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly FollowingDelivery[]) => {
      const waiting = await waitInOrder(db, batch);
      return batch.map(({ id }) => waiting.get(id) ?? null);
    },
  });
}

interface Changed {
  readonly id: string;
  readonly lane: DeliveryLane;
  readonly dispatch: number;
  readonly delayMs: number;
}

/** @internal exported for tests */
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

/**
 * Makes the deliveries due that wait for the given ones, which have ended. It is a statement after the one that recorded
 * their end, in the same transaction: only then does it see everything that waits for them.
 * @returns what to enqueue once `trx` has committed
 */
export async function releaseNext(trx: Db, endedIds: readonly string[]): Promise<OutboxEntry[]> {
  const { rows } = await trx.raw<{ rows: Omit<Changed, 'delayMs'>[] }>(RELEASE, [[...endedIds]]);
  return rows.map(entryOf);
}

function entryOf({ id, lane, dispatch }: Omit<Changed, 'delayMs'>): OutboxEntry {
  return { queue: lane === 'first' ? 'deliver' : 'redeliver', payload: { deliveryId: id, dispatch } };
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
