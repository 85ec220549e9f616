/** Records snoozes together with those of the next milliseconds. */
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import type { Logger } from '../../../../platform/logger.js';
import { recordSnoozes, type SnoozedDelivery } from './record-snoozes.js';
import { LINGER_MS, MAX_RECORDS } from './recorded-together.js';

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
