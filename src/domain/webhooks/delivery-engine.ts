/** Delivers webhooks: loads deliveries, admits them if their endpoint allows it, sends them and records the results. */
import type { Db } from '../../../db/connection.js';
import type { SharedLimit } from '../../platform/concurrency/shared-limit.js';
import { within } from '../../platform/concurrency/within.js';
import type { Logger } from '../../platform/logger.js';
import type { Metrics } from '../../platform/metrics.js';
import { admissionOf } from './delivery/admission-of.js';
import { PROBE_PAUSE_MS } from './delivery/admit-delivery.js';
import type { AttemptEnd } from './delivery/attempt-end.js';
import { NOTHING_FOLLOWS } from './delivery/attempt-end.js';
import {
  type BatchAttempts,
  type BatchEnd,
  type BatchJob,
  createBatchAttempts,
  type Follow,
} from './delivery/batch-attempts.js';
import type { DeliveryPolicy } from './delivery/delivery-policy.js';
import { destinationOf, endpointOf, rateLimitOf } from './delivery/destination-of.js';
import type { Finished } from './delivery/finished.js';
import { attempted, cancelled, deferred } from './delivery/finished.js';
import { createProbeClaims, type ProbeClaim, returnProbe } from './delivery/health/probe-claims.js';
import type { MadeAttempt } from './delivery/judge-attempt.js';
import type { LoadedDelivery } from './delivery/loaded-delivery.js';
import { createLoader, LOAD_LINGER_MS } from './delivery/loader.js';
import { oneAtATime } from './delivery/one-at-a-time.js';
import { createOrderKeeper, type OrderKeeper } from './delivery/order/order-deliveries.js';
import { isOverloaded } from './delivery/overloaded.js';
import { createAttemptRecorder } from './delivery/record/attempt-recorder.js';
import { createCollector } from './delivery/record/collector.js';
import type { SnoozedDelivery } from './delivery/record/record-snoozes.js';
import { createSnoozeRecorder } from './delivery/record/snooze-recorder.js';
import type { RequestMaker } from './delivery/request/request-maker.js';
import { createRequestMaker } from './delivery/request/request-maker.js';
import type { SendResult } from './delivery/send/send-result.js';
import type { WebhookSender } from './delivery/send/webhook-sender.js';
import { AccountTurns } from './delivery/slots/account-turns.js';
import { DeliverySlots } from './delivery/slots/delivery-slots.js';
import { createRateLeases, type RateLeases } from './delivery/slots/rate-leases.js';
import type { ShareOf, Slot } from './delivery/slots/slot.js';

/** The payload of a queue job that makes one attempt. */
interface AttemptJob {
  readonly deliveryId: string;
  readonly dispatch: number;
}

interface EngineOptions {
  readonly db: Db;
  readonly sender: WebhookSender;
  readonly secretsKeys: readonly string[];
  readonly policy: DeliveryPolicy;
  /** The maximum number of requests in flight to one endpoint, of all worker processes together. */
  readonly perEndpoint: number;
  /** Default: this process is the only one. */
  readonly shareOf?: ShareOf | undefined;
  /** The maximum number of deliveries in flight in this process, including those that wait for their endpoint. */
  readonly inFlight: number;
  /** How many of them one account may have in flight at once from batches, while others use the process. Default: all. */
  readonly ofAccount?: SharedLimit | undefined;
  readonly logger: Logger;
  /** Counts attempts. */
  readonly metrics?: Pick<Metrics, 'deliveryAttempted'> | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}
/** The pause before the next try when one of our own services was out of reach. */
export const OWN_FAULT_PAUSE_MS = 2_000;
/** The pause of a delivery while an earlier event of its key is being fanned out. */
const FAN_OUT_PAUSE_MS = 1_000;

const HANDED_BACK: AttemptEnd = { kind: 'handed-back' };

/** The result of trying a delivery: one to be recorded, or an end that leaves the row unchanged. */
type Tried = Finished | AttemptEnd;

export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #now: () => number;
  readonly #slots: DeliverySlots;
  readonly #leaseRate: RateLeases;
  readonly #load: (deliveryId: string) => Promise<LoadedDelivery | undefined>;
  readonly #record: (finished: Finished) => Promise<AttemptEnd>;
  readonly #recordSnooze: (snoozed: SnoozedDelivery) => Promise<void>;
  readonly #collect: (delivery: { readonly id: string; readonly dispatch: number }) => Promise<void>;
  readonly #waitInOrder: OrderKeeper;
  readonly #requestOf: RequestMaker;
  readonly #turns: AccountTurns;
  readonly #attemptBatch: BatchAttempts;
  readonly #claimProbe: (definitionId: string) => Promise<ProbeClaim>;
  /** The probes of this process that have not ended, or have just succeeded, by the definition. */
  readonly #probes = new Map<string, RunningProbe>();
  readonly #oneAtATime = oneAtATime();

  constructor(options: EngineOptions) {
    const { db, perEndpoint, inFlight, ofAccount, secretsKeys, shareOf = allOf, now = Date.now } = options;
    this.#options = options;
    const elapsed = () => performance.now();
    this.#now = now;
    this.#slots = new DeliverySlots({ perEndpoint, shareOf, permits: inFlight, now: elapsed });
    this.#leaseRate = createRateLeases({ db, now: elapsed });
    this.#load = createLoader(db);
    this.#record = createAttemptRecorder({ ...options, now });
    this.#recordSnooze = createSnoozeRecorder(options);
    this.#collect = createCollector(db);
    this.#waitInOrder = createOrderKeeper(db);
    this.#requestOf = createRequestMaker(db, secretsKeys);
    this.#claimProbe = createProbeClaims(db);
    this.#turns = new AccountTurns({ inFlight, ofAccount });
    this.#attemptBatch = createBatchAttempts({
      db,
      inFlight,
      ofAccount,
      turns: this.#turns,
      lingerMs: LOAD_LINGER_MS,
      laneOf: (delivery) => destinationOf(delivery).lane,
      deferralOf: (lane, ahead) => {
        const delayMs = this.#slots.delayBehind(lane, ahead);
        return delayMs === null ? null : snooze(delayMs);
      },
      tryOne: (delivery, signal) => this.#try(delivery, delivery.dispatch, signal),
      finish: (delivery, tried) => this.#endInBatch(delivery, tried),
    });
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
    const tried = await this.#try(delivery, dispatch, signal);
    if ('record' in tried) return this.#record(tried);
    if (tried.kind === 'snooze') await this.#recordSnooze({ id: deliveryId, dispatch, delayMs: tried.delayMs });
    return tried;
  }

  /** Removes the delivery from its batch, attempted or not: the others must not wait for its endpoint. */
  #endInBatch(delivery: LoadedDelivery, tried: Tried): Promise<AttemptEnd> {
    if ('record' in tried) return this.#record(tried);
    return tried.kind === 'snooze' ? this.#record(deferred(delivery, tried.delayMs)) : Promise.resolve(tried);
  }

  /** @param dispatch the fencing token of the queue job */
  #try(delivery: LoadedDelivery, dispatch: number, signal: AbortSignal): Tried | Promise<Tried> {
    if (signal.aborted) return HANDED_BACK;
    const admission = admissionOf(delivery, dispatch, this.#now());
    if (admission.kind === 'stale') return NOTHING_FOLLOWS;
    if (admission.kind === 'cancel') return cancelled(delivery);
    if (admission.kind === 'collect') return this.#collect(delivery).then(() => NOTHING_FOLLOWS);
    const { behind } = delivery;
    if (behind !== null) return this.#waitBehind({ ...delivery, behind });
    if (delivery.isBehindFanOut) return snooze(FAN_OUT_PAUSE_MS);
    if (admission.kind === 'send') return this.#tryInSlot(delivery, 'send', signal);
    // Another delivery was probing when this one was loaded, which may be long ago.
    if (admission.kind === 'probe' || admission.isProbed) return this.#tryProbe(delivery, signal);
    return snooze(this.#slots.delayOf(endpointOf(delivery), admission.untilMs - this.#now()));
  }

  /** Makes the probe known to the other deliveries of the endpoint in this process. */
  #tryProbe(delivery: LoadedDelivery, signal: AbortSignal): Tried | Promise<Tried> {
    const definitionId = delivery.definitionId ?? '';
    const known = this.#probes.get(definitionId);
    if (known !== undefined) return this.#afterProbe(known, delivery, signal);
    const tried = this.#tryInSlot(delivery, 'probe', signal);
    const succeeded = tried.then(
      (end) => 'record' in end && end.verdict?.outcome === 'delivered',
      () => false,
    );
    const probe = { succeeded, waiting: 0 };
    this.#probes.set(definitionId, probe);
    const forget = () => {
      if (this.#probes.get(definitionId) === probe) this.#probes.delete(definitionId);
    };
    // For a while deliveries are loaded, or were, that do not know of a success, which is still to be recorded.
    void succeeded.then((isWell) => {
      if (isWell) setTimeout(forget, PROBE_PAUSE_MS).unref();
      else forget();
    });
    return tried;
  }

  /**
   * Waits for a probe that this process makes or has just made, and then sends or snoozes the delivery. An endpoint that
   * answers is not to be kept waiting for deliveries that come back from the queue one by one.
   */
  async #afterProbe(probe: RunningProbe, delivery: LoadedDelivery, signal: AbortSignal): Promise<Tried> {
    if (probe.waiting < this.#options.perEndpoint) {
      probe.waiting++;
      const hasEnded = await within(probe.succeeded, PROBE_PAUSE_MS);
      probe.waiting--;
      if (signal.aborted) return HANDED_BACK;
      if (hasEnded && (await probe.succeeded)) return this.#tryInSlot(delivery, 'send', signal);
    }
    return snooze(this.#slots.delayOf(endpointOf(delivery), PROBE_PAUSE_MS));
  }

  async #waitBehind(delivery: LoadedDelivery & { readonly behind: string }): Promise<AttemptEnd> {
    const turn = await this.#waitInOrder(delivery);
    return turn === null ? NOTHING_FOLLOWS : { kind: 'done', following: [turn] };
  }

  async #tryInSlot(delivery: LoadedDelivery, kind: 'send' | 'probe', signal: AbortSignal): Promise<Tried> {
    const taken = this.#slots.take(destinationOf(delivery));
    const slot = 'then' in taken ? await taken : taken;
    if (slot.kind === 'full') return snooze(slot.delayMs);
    let wasUsed = false;
    try {
      const rate = rateLimitOf(delivery);
      const waitMs = rate === null ? 0 : await this.#leaseRate(delivery.definitionId ?? '', rate);
      if (rate !== null && waitMs > 0) return snooze(this.#delayOfRate(delivery, waitMs, rate));
      wasUsed = true;
      if (kind === 'probe') return await this.#probe(delivery, signal);
      const triggeredAt = new Date(this.#now());
      return this.#resultOf(delivery, await this.#send(delivery, triggeredAt, signal), triggeredAt, signal);
    } finally {
      // The slot is released before the result is written, because writing does not need the endpoint.
      slot.release(wasUsed);
    }
  }

  /** Other processes have deliveries that wait for the same rate: together, these come back at the rate. */
  #delayOfRate(delivery: LoadedDelivery, waitMs: number, rate: number): number {
    const { shareOf = allOf } = this.#options;
    const endpoint = endpointOf(delivery);
    return this.#slots.delayOf(endpoint, waitMs, 1_000 / Math.max(1, shareOf(rate, endpoint)));
  }

  /** Makes one attempt to find out whether the endpoint has recovered. */
  async #probe(delivery: LoadedDelivery, signal: AbortSignal): Promise<Tried> {
    const { db } = this.#options;
    const definitionId = delivery.definitionId ?? '';
    const claim = await this.#claimProbe(definitionId);
    if (claim === 'taken') return snooze(this.#slots.delayOf(definitionId, PROBE_PAUSE_MS));
    let isMade = claim === 'closed';
    try {
      const triggeredAt = new Date(this.#now());
      const tried = this.#resultOf(delivery, await this.#send(delivery, triggeredAt, signal), triggeredAt, signal);
      isMade ||= 'record' in tried;
      return tried;
    } finally {
      if (!isMade) await returnProbe(db, definitionId).catch(() => undefined);
    }
  }

  /** Not `async`: most requests can be made at once, and each delivery would need one promise more. */
  #send(delivery: LoadedDelivery, triggeredAt: Date, signal: AbortSignal): Promise<SendResult> {
    const { sender } = this.#options;
    const made = this.#requestOf(delivery, triggeredAt);
    return 'then' in made ? made.then((request) => sender.send(request, signal)) : sender.send(made, signal);
  }

  #resultOf(delivery: LoadedDelivery, result: SendResult, triggeredAt: Date, signal: AbortSignal): Tried {
    const { policy, logger, random = Math.random } = this.#options;
    if (result.kind !== 'not-sent') {
      this.#slots.noteEnd(destinationOf(delivery).host, isOverloaded(result));
      const finished = attempted(delivery, result, { triggeredAt, now: this.#now(), random: random() }, policy);
      this.#count(finished, result, triggeredAt);
      return finished;
    }
    if (signal.aborted) return HANDED_BACK;
    logger.warn(
      { delivery: delivery.id, reason: result.message },
      'could not send a webhook because of an error in this service; it will be tried again',
    );
    return snooze(OWN_FAULT_PAUSE_MS);
  }

  #count({ delivery, record, verdict }: Finished, { durationMs }: MadeAttempt, triggeredAt: Date): void {
    const outcome = record.status === 'DEAD' ? 'dead' : (verdict?.outcome ?? 'none');
    const lagMs = delivery.attempts === 0 ? triggeredAt.getTime() - delivery.event.triggered_at.getTime() : null;
    this.#options.metrics?.deliveryAttempted(outcome, durationMs / 1000, lagMs === null ? null : lagMs / 1000);
  }
}

/** A probe on its way. */
interface RunningProbe {
  readonly succeeded: Promise<boolean>;
  /** Deliveries that wait in this process for its result. */
  waiting: number;
}

function allOf(limit: number): number {
  return limit;
}

function snooze(delayMs: number): AttemptEnd {
  return { kind: 'snooze', delayMs };
}
