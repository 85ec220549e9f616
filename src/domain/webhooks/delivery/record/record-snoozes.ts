/** Records until when deliveries are snoozed. A delivery that waits for its endpoint is not overdue meanwhile. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import type { Logger } from '../../../../platform/logger.js';
import { IS_PENDING } from '../../delivery-rows/delivery-sql.js';
import { LINGER_MS, MAX_RECORDS } from './recorded-together.js';

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

interface SnoozeOptions {
  readonly db: Db;
  readonly logger: Logger;
}

/** A shorter snooze is over before the reconciler would ask for the delivery, and is not worth a write. */
const MIN_RECORDED_MS = 1_000;

/** @returns a function that records one snooze, together with those of the next milliseconds */
export function createSnoozeRecorder({ db, logger }: SnoozeOptions): (snoozed: SnoozedDelivery) => Promise<void> {
  const record = createBatcher({
    lingerMs: LINGER_MS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly SnoozedDelivery[]): Promise<undefined[]> => {
      try {
        await recordSnoozes(db, batch);
      } catch (error) {
        // The queue has the delay. The reconciler will only look these up there once more.
        logger.warn({ err: error, count: batch.length }, 'could not record that deliveries are snoozed');
      }
      return batch.map(() => undefined);
    },
  });
  return async (snoozed) => {
    if (snoozed.delayMs >= MIN_RECORDED_MS) await record(snoozed);
  };
}
