/** Records until when deliveries are snoozed. A delivery that waits for its endpoint is not overdue meanwhile. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';
import { IS_PENDING } from '../../delivery-rows/delivery-sql.js';

/** A delivery whose queue job is delayed, and keeps its fencing token. */
export interface SnoozedDelivery {
  readonly id: string;
  readonly dispatch: number;
  readonly delayMs: number;
}

export async function recordSnoozes(db: Db, batch: readonly SnoozedDelivery[]): Promise<void> {
  const ids = arrayText(batch.map(({ id }) => id));
  const tokens = arrayText(batch.map(({ dispatch }) => dispatch));
  await db.raw(SNOOZE, [ids, tokens, arrayText(batch.map(({ delayMs }) => delayMs)), ids]);
}

const SNOOZE = `
  UPDATE delivery SET next_attempt_at = given.until, dispatched_at = given.until
  FROM (
    SELECT id, dispatch, now() + delay_ms * interval '1 millisecond' AS until
    FROM unnest(?::text[], ?::integer[], ?::double precision[]) AS one (id, dispatch, delay_ms)) AS given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING} AND delivery.dispatch = given.dispatch`;
