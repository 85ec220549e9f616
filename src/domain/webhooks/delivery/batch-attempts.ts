/**
 * First attempts of batches: accounts take turns for loading. Few more deliveries are loaded than can be in flight, and
 * each waits for a permit. Each account gets permits for each of its hosts in turn, so that many deliveries to one host
 * wait for each other only.
 */
import type { Db } from '../../../../db/connection.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import { createPermits } from '../../../platform/limits/permits.js';
import { createSemaphore } from '../../../platform/limits/semaphore.js';
import type { SharedLimit } from '../../../platform/limits/shared-limit.js';
import type { AttemptEnd, Following } from './attempt-end.js';
import type { Attempts } from './attempts.js';
import { destinationOf } from './destination-of.js';
import { deferred, type Finished } from './finished.js';
import { loadBatches } from './load-deliveries.js';
import type { LoadedDelivery } from './loaded-delivery.js';
import { LOAD_LINGER_MS } from './loader.js';
import type { Outcome } from './outcome.js';
import type { AccountTurns, QueuedBatch } from './slots/account-turns.js';
import type { Slot } from './slots/slot.js';

/** The payload of a queue job that makes the first attempts of a batch. */
export interface BatchJob {
  readonly batch: string;
  /** Absent: an earlier release enqueued it. */
  readonly account?: string | undefined;
}

/** A retry must not wait for the slowest delivery of its batch. */
export type Follow = (following: readonly Following[]) => Promise<void>;
export type BatchAttempts = (batch: BatchJob, signal: AbortSignal, follow: Follow) => Promise<BatchEnd>;

/** The result of the first attempts of a batch. */
export type BatchEnd =
  /** Its account has too many batches in this process: the batch is to be snoozed. */
  | Extract<Slot, { kind: 'full' }>
  | {
      readonly kind: 'attempted';
      /** The first reason why deliveries are left in the batch, to be attempted again; null: none are left. */
      readonly left: unknown;
    };

interface BatchOptions {
  readonly db: Db;
  /** The maximum number of deliveries in flight, including those that wait in this process for their endpoint. */
  readonly inFlight: number;
  readonly ofAccount: SharedLimit;
  readonly turns: AccountTurns;
  /** Attempts deliveries that hold a permit. */
  readonly attempts: Attempts;
  readonly record: (finished: Finished) => Promise<AttemptEnd>;
}

/**
 * So many deliveries are sent and not recorded, for each permit that there is: the next delivery begins while a result is
 * recorded. What is sent and not recorded is sent again if the process is killed, and the database may be silent for long.
 * With half as many, receivers that answer at once were sent less.
 */
const UNRECORDED_PER_PERMIT = 5;
const MAX_LOADED_BATCHES = 20;

export function createBatchAttempts(options: BatchOptions): BatchAttempts {
  const { db, inFlight, ofAccount, turns, attempts, record } = options;
  const permits = createPermits(inFlight, () => ofAccount.current());
  const load = createBatcher({
    lingerMs: LOAD_LINGER_MS,
    maxItems: MAX_LOADED_BATCHES,
    run: (batches: readonly string[]) => loadBatches(db, batches),
  });

  const untilRecorded = createSemaphore(UNRECORDED_PER_PERMIT * inFlight);
  const recorded = async (delivery: LoadedDelivery, outcome: Outcome): Promise<AttemptEnd> => {
    if (outcome.kind === 'finished') return record(outcome);
    // It leaves its batch, attempted or not: the others must not wait for its endpoint.
    return outcome.kind === 'snooze' ? record(deferred(delivery, outcome.delayMs)) : outcome;
  };

  async function attemptAll(
    deliveries: readonly LoadedDelivery[],
    queued: QueuedBatch,
    signal: AbortSignal,
    follow: Follow,
  ): Promise<BatchEnd> {
    // A batch is of one event.
    const account = deliveries[0]?.event.account_id ?? '';
    const attempt = async (delivery: LoadedDelivery): Promise<AttemptEnd> => {
      const taken = permits.take(destinationOf(delivery).lane, account);
      const permit = 'then' in taken ? await taken : taken;
      queued.leave();
      return untilRecorded(async () => {
        let outcome: Outcome;
        try {
          outcome = await attempts.make(delivery, delivery.dispatch, signal);
        } finally {
          permit.leave();
        }
        return recorded(delivery, outcome);
      });
    };
    const attemptOne = async (delivery: LoadedDelivery): Promise<AttemptEnd> => {
      const end = await attempt(delivery);
      if (end.kind === 'done' && end.following.length > 0) await follow(end.following);
      return end;
    };
    const ends = await Promise.allSettled(deliveries.map(attemptOne));
    let left: unknown = null;
    for (const end of ends) {
      if (end.status === 'rejected') left ??= end.reason;
      else if (end.value.kind !== 'done') left ??= new Error('first attempts were handed back');
    }
    return { kind: 'attempted', left };
  }

  return async ({ batch, account = batch }, signal, follow) => {
    const taken = turns.place(account);
    const place = 'then' in taken ? await taken : taken;
    if (place.kind === 'full') return place;
    try {
      const turn = turns.load(account);
      const queued = 'then' in turn ? await turn : turn;
      let deliveries: readonly LoadedDelivery[] = [];
      try {
        deliveries = await load(batch);
      } finally {
        queued.loaded(deliveries.length);
      }
      return await attemptAll(deliveries, queued, signal, follow);
    } finally {
      place.release();
    }
  };
}
