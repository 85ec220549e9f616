/** Delivers webhooks: loads deliveries, admits them if their endpoint allows it, sends them and records the results. */
import { createKeyedQueue } from '../../platform/concurrency/keyed-queue.js';
import type { SharedLimit } from '../../platform/limits/shared-limit.js';
import { Admission } from './delivery/admission.js';
import { type AttemptEnd, NOTHING_FOLLOWS } from './delivery/attempt-end.js';
import { type AttemptOptions, Attempts } from './delivery/attempts.js';
import {
  type BatchAttempts,
  type BatchEnd,
  type BatchJob,
  createBatchAttempts,
  type Follow,
} from './delivery/batch-attempts.js';
import type { Finished } from './delivery/finished.js';
import type { LoadedDelivery } from './delivery/loaded-delivery.js';
import { createLoader } from './delivery/loader.js';
import { createAttemptRecorder } from './delivery/record/attempt-recorder.js';
import type { SnoozedDelivery } from './delivery/record/record-snoozes.js';
import { createSnoozeRecorder } from './delivery/record/snooze-recorder.js';
import { AccountTurns } from './delivery/slots/account-turns.js';
import { DeliverySlots } from './delivery/slots/delivery-slots.js';
import type { ShareOf, Slot } from './delivery/slots/slot.js';

/** The payload of a queue job that makes one attempt. */
interface AttemptJob {
  readonly deliveryId: string;
  readonly dispatch: number;
}

interface EngineOptions extends AttemptOptions {
  /** The maximum number of requests in flight to one endpoint, of all worker processes together. */
  readonly perEndpoint: number;
  readonly shareOf: ShareOf;
  /** The maximum number of deliveries in flight in this process, including those that wait for their endpoint. */
  readonly inFlight: number;
  /** How many of them one account may have in flight at once from batches, while others use the process. */
  readonly ofAccount: SharedLimit;
}

/** The pause before the next try when one of our own services was out of reach. */
export const OWN_FAULT_PAUSE_MS = 2_000;

export class DeliveryEngine {
  readonly #attempts: Attempts;
  readonly #load: (deliveryId: string) => Promise<LoadedDelivery | undefined>;
  readonly #record: (finished: Finished) => Promise<AttemptEnd>;
  readonly #recordSnooze: (snoozed: SnoozedDelivery) => Promise<void>;
  readonly #turns: AccountTurns;
  readonly #attemptBatch: BatchAttempts;
  /** A second queue job for the same delivery waits for the first one, and then finds that it has nothing to do. */
  readonly #oneAtATime = createKeyedQueue();

  constructor(options: EngineOptions) {
    const { db, perEndpoint, inFlight, ofAccount, shareOf } = options;
    const now = Date.now;
    const slots = new DeliverySlots({ perEndpoint, shareOf, permits: inFlight, now: () => performance.now() });
    const admission = new Admission({ db, slots, shareOf, now });
    this.#attempts = new Attempts(options, { admission, slots, now, ownFaultPauseMs: OWN_FAULT_PAUSE_MS });
    this.#load = createLoader(db);
    this.#record = createAttemptRecorder({ ...options, now });
    this.#recordSnooze = createSnoozeRecorder(options);
    this.#turns = new AccountTurns({ inFlight, ofAccount });
    const parts = { turns: this.#turns, attempts: this.#attempts, record: this.#record };
    this.#attemptBatch = createBatchAttempts({ db, inFlight, ofAccount, ...parts });
  }

  /** Makes the attempt if the endpoint allows it now. @throws errors of our own services, never those of the target */
  attempt(job: AttemptJob, signal: AbortSignal): Promise<AttemptEnd> {
    return this.#oneAtATime(job.deliveryId, () => this.#attempt(job, signal));
  }

  /**
   * Makes the first attempts of a batch. A delivery that has to wait gets an outbox entry of its own.
   * @param follow enqueues what follows from one delivery, as soon as it is recorded
   */
  attemptBatch(batch: BatchJob, signal: AbortSignal, follow: Follow): Promise<BatchEnd> {
    return this.#oneAtATime(batch.batch, () => this.#attemptBatch(batch, signal, follow));
  }

  /**
   * Takes the turn of an account for a fan-out, or says how long it is to be snoozed. While the deliveries of others wait
   * too, it has one at a time.
   */
  turnToFanOut(account: string): Slot | Promise<Slot> {
    return this.#turns.fanOut(account);
  }

  /** Resolves when few deliveries of the account wait in this process, or soon: others have deliveries, too. */
  untilFewWait(account: string): Promise<void> {
    return this.#turns.untilFewWait(account);
  }

  async #attempt({ deliveryId, dispatch }: AttemptJob, signal: AbortSignal): Promise<AttemptEnd> {
    const delivery = await this.#load(deliveryId);
    if (delivery === undefined) return NOTHING_FOLLOWS;
    const outcome = await this.#attempts.make(delivery, dispatch, signal);
    if (outcome.kind === 'finished') return this.#record(outcome);
    if (outcome.kind === 'snooze') await this.#recordSnooze({ id: deliveryId, dispatch, delayMs: outcome.delayMs });
    return outcome;
  }
}
