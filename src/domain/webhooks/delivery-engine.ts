/** Delivers: loads what is due, admits it when its endpoint's turn has come, sends it, judges the answer and records it. */

import { setMaxListeners } from 'node:events';
import type { Db } from '../../../db/connection.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { createPermits } from '../../platform/concurrency/semaphore.js';
import type { Logger } from '../../platform/logger.js';
import type { Admission } from './delivery/admit-delivery.js';
import { admitDelivery, claimProbe, PROBE_PAUSE_MS, returnProbe } from './delivery/admit-delivery.js';
import type { Following } from './delivery/attempt-recorder.js';
import { createAttemptRecorder } from './delivery/attempt-recorder.js';
import { EndpointSlots } from './delivery/endpoint-slots.js';
import type { Finished } from './delivery/finished.js';
import { attempted, cancelled, deferred } from './delivery/finished.js';
import type { DeliveryPolicy } from './delivery/judge-attempt.js';
import type { LoadedDelivery } from './delivery/load-deliveries.js';
import { loadBatches, loadDeliveries } from './delivery/load-deliveries.js';
import type { RequestMaker } from './delivery/make-request.js';
import { createRequestMaker } from './delivery/make-request.js';
import type { WebhookSender } from './delivery/webhook-sender.js';

/** A job of the queue: one attempt. */
interface AttemptJob {
  readonly deliveryId: string;
  readonly dispatch: number;
}

interface EngineOptions {
  readonly db: Db;
  readonly sender: WebhookSender;
  readonly secretsKeys: readonly string[];
  readonly policy: DeliveryPolicy;
  /** Requests under way to one endpoint. */
  readonly perEndpoint: number;
  /** Of all batches, deliveries that are under way or wait in this process for their endpoint. */
  readonly inFlight: number;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}

const MAX_LOADED = 200;
/** What is taken from the queue within this time is loaded in one statement. */
const LOAD_LINGER_MS = 3;
/** Before a service of our own that was out of reach is asked again. */
export const OWN_FAULT_PAUSE_MS = 2_000;

const NOTHING_FOLLOWS: AttemptEnd = { kind: 'done', following: [] };
const HANDED_BACK: AttemptEnd = { kind: 'handed-back' };

/** What came of a delivery: to be recorded, or an end that leaves its row as it is. */
type Tried = Finished | AttemptEnd;

export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #now: () => number;
  readonly #slots: EndpointSlots;
  readonly #load: (deliveryId: string) => Promise<LoadedDelivery | undefined>;
  readonly #record: (finished: Finished) => Promise<readonly Following[]>;
  readonly #requestOf: RequestMaker;
  readonly #attemptBatch: (batch: string, signal: AbortSignal) => Promise<BatchEnd>;
  readonly #oneAtATime = oneAtATime();

  constructor(options: EngineOptions) {
    const { db, perEndpoint, inFlight, secretsKeys, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#slots = new EndpointSlots({ perEndpoint, permits: inFlight, now });
    this.#load = createLoader(db);
    this.#record = createAttemptRecorder({ ...options, now });
    this.#requestOf = createRequestMaker(db, secretsKeys);
    this.#attemptBatch = createBatchAttempts({
      db,
      inFlight,
      lingerMs: LOAD_LINGER_MS,
      tryOne: (delivery, signal) => this.#try(delivery, delivery.dispatch, signal),
      settle: (delivery, tried) => this.#endInBatch(delivery, tried),
    });
  }

  /** Makes the attempt if its turn has come. @throws what kept us from it, which is no fault of the target's */
  attempt(job: AttemptJob, signal: AbortSignal): Promise<AttemptEnd> {
    return this.#oneAtATime(job.deliveryId, () => this.#attempt(job, signal));
  }

  /** Makes the first attempts of a batch's deliveries. One whose turn has not come is dispatched by itself from then on. */
  attemptBatch(batch: string, signal: AbortSignal): Promise<BatchEnd> {
    return this.#oneAtATime(batch, () => this.#attemptBatch(batch, signal));
  }

  async #attempt({ deliveryId, dispatch }: AttemptJob, signal: AbortSignal): Promise<AttemptEnd> {
    const delivery = await this.#load(deliveryId);
    if (delivery === undefined) return NOTHING_FOLLOWS;
    const tried = await this.#try(delivery, dispatch, signal);
    return 'record' in tried ? this.#recorded(tried) : tried;
  }

  /** Attempted or not, it leaves its batch: the others do not wait for its endpoint. */
  #endInBatch(delivery: LoadedDelivery, tried: Tried): Promise<AttemptEnd> {
    if ('record' in tried) return this.#recorded(tried);
    return tried.kind === 'snooze' ? this.#recorded(deferred(delivery, tried.delayMs)) : Promise.resolve(tried);
  }

  async #recorded(finished: Finished): Promise<AttemptEnd> {
    return { kind: 'done', following: await this.#record(finished) };
  }

  /** @param dispatch the fencing token of the job that asks */
  async #try(delivery: LoadedDelivery, dispatch: number, signal: AbortSignal): Promise<Tried> {
    if (signal.aborted) return HANDED_BACK;
    const admission = admissionOf(delivery, dispatch, this.#now());
    switch (admission.kind) {
      case 'stale':
        return NOTHING_FOLLOWS;
      case 'cancel':
        return cancelled(delivery);
      case 'snooze':
        return snooze(this.#slots.delayOf(endpointOf(delivery), admission.untilMs - this.#now()));
      default:
        return this.#tryInSlot(delivery, admission.kind, signal);
    }
  }

  async #tryInSlot(delivery: LoadedDelivery, kind: 'send' | 'probe', signal: AbortSignal): Promise<Tried> {
    const taken = this.#slots.take(endpointOf(delivery), rateLimitOf(delivery));
    const slot = 'then' in taken ? await taken : taken;
    if (slot.kind === 'full') return snooze(slot.delayMs);
    try {
      return await (kind === 'send' ? this.#send(delivery, signal) : this.#probe(delivery, signal));
    } finally {
      // Free again before the result is written: the endpoint has no part in that.
      slot.release();
    }
  }

  /** One attempt, to find out whether the endpoint is well again. */
  async #probe(delivery: LoadedDelivery, signal: AbortSignal): Promise<Tried> {
    const { db } = this.#options;
    const definitionId = delivery.definitionId ?? '';
    if (!(await claimProbe(db, definitionId))) return snooze(this.#slots.delayOf(definitionId, PROBE_PAUSE_MS));
    let isMade = false;
    try {
      const tried = await this.#send(delivery, signal);
      isMade = 'record' in tried;
      return tried;
    } finally {
      if (!isMade) await returnProbe(db, definitionId).catch(() => undefined);
    }
  }

  async #send(delivery: LoadedDelivery, signal: AbortSignal): Promise<Tried> {
    const { sender, policy, logger, random = Math.random } = this.#options;
    const triggeredAt = new Date(this.#now());
    const made = this.#requestOf(delivery, triggeredAt);
    const result = await sender.send('then' in made ? await made : made, signal);
    if (result.kind !== 'not-sent') {
      return attempted(delivery, result, { triggeredAt, now: this.#now(), random: random() }, policy);
    }
    if (signal.aborted) return HANDED_BACK;
    logger.warn({ delivery: delivery.id, reason: result.message }, 'could not send, through no fault of the target');
    return snooze(OWN_FAULT_PAUSE_MS);
  }
}

/** Loads what is asked for within a few milliseconds in one statement. */
function createLoader(db: Db): (deliveryId: string) => Promise<LoadedDelivery | undefined> {
  return createBatcher({
    lingerMs: LOAD_LINGER_MS,
    maxItems: MAX_LOADED,
    run: async (ids: readonly string[]) => {
      const loaded = await loadDeliveries(db, ids);
      return ids.map((id) => loaded.get(id));
    },
  });
}

/** A callback goes whatever the status of its definition: it tells the owner that the definition was disabled. */
function admissionOf(delivery: LoadedDelivery, asked: number, now: number): Admission {
  const { status, dispatch, callbackUrl, definition, health } = delivery;
  const isCallback = callbackUrl !== null && (definition !== null || delivery.definitionId === null);
  const needed = isCallback ? 'not-needed' : (definition?.status ?? null);
  return admitDelivery({ status, dispatch, asked, definition: needed, health }, now);
}

/** What deliveries to the same endpoint have in common. */
function endpointOf({ id, callbackUrl, definitionId }: LoadedDelivery): string {
  return callbackUrl ?? definitionId ?? id;
}

/** Deliveries a second; null: no limit, as for callbacks. */
function rateLimitOf({ callbackUrl, definition }: LoadedDelivery): number | null {
  return callbackUrl === null ? (definition?.rate_limit ?? null) : null;
}

function snooze(delayMs: number): AttemptEnd {
  return { kind: 'snooze', delayMs };
}

// How an attempt ends.

type AttemptEnd =
  /** It is over, and recorded; this follows. */
  | { readonly kind: 'done'; readonly following: readonly Following[] }
  /** Its turn has not come. No attempt was spent. */
  | { readonly kind: 'snooze'; readonly delayMs: number }
  /** We were told to stop, and nothing is known of it: somebody else is to make it. No attempt was spent. */
  | { readonly kind: 'handed-back' };

// Does one piece of work of a key at a time. Unlike a queue, whoever waits looks again when its turn may have come.

type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** A second job for the same delivery waits for the first, and finds it done. */
function oneAtATime(): OneAtATime {
  const underWay = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    for (let before = underWay.get(key); before !== undefined; before = underWay.get(key)) {
      await before.catch(() => undefined);
    }
    const working = work();
    underWay.set(key, working);
    try {
      return await working;
    } finally {
      underWay.delete(key);
    }
  };
}

// Makes the first attempts of batches: loads few more than can be under way, and lets them go one by one as places get free.

/** What came of the first attempts of a batch. */
interface BatchEnd {
  readonly following: readonly Following[];
  /** What kept the batch from leaving us as a whole; null: nothing. Those that are left are to be attempted again. */
  readonly left: unknown;
}

interface BatchOptions<Tried> {
  readonly db: Db;
  /** Deliveries that are under way or wait at hand for their endpoint. */
  readonly inFlight: number;
  readonly lingerMs: number;
  /** Attempts it, or finds that it cannot be; holds a place meanwhile. */
  readonly tryOne: (delivery: LoadedDelivery, signal: AbortSignal) => Promise<Tried>;
  /** Brings what came of it to its end, which takes no place. */
  readonly settle: (delivery: LoadedDelivery, tried: Tried) => Promise<AttemptEnd>;
}

const MAX_LOADED_BATCHES = 20;

function createBatchAttempts<Tried>(
  options: BatchOptions<Tried>,
): (batch: string, signal: AbortSignal) => Promise<BatchEnd> {
  const { db, inFlight, lingerMs, tryOne, settle } = options;
  const permits = createPermits(inFlight);
  /** Loaded, and still without a place. */
  let queued = 0;
  let onceFewAreQueued: (() => void) | undefined;
  const load = createBatcher({
    lingerMs,
    maxItems: MAX_LOADED_BATCHES,
    run: async (batches: readonly string[]) => {
      // What is loaded before its time only fills the memory.
      if (queued >= inFlight) await new Promise<void>((resolve) => (onceFewAreQueued = resolve));
      return loadBatches(db, batches);
    },
  });

  async function attemptOne(delivery: LoadedDelivery, signal: AbortSignal): Promise<AttemptEnd> {
    queued++;
    const free = permits.take();
    if (free !== undefined) await free;
    if (--queued < inFlight) onceFewAreQueued?.();
    let tried: Tried;
    try {
      tried = await tryOne(delivery, signal);
    } finally {
      permits.leave();
    }
    return settle(delivery, tried);
  }

  return async (batch, signal) => {
    const deliveries = await load(batch);
    // Each request under way listens whether it is still wanted.
    setMaxListeners(0, signal);
    const ends = await Promise.allSettled(deliveries.map((delivery) => attemptOne(delivery, signal)));
    const following: Following[] = [];
    let left: unknown = null;
    for (const end of ends) {
      if (end.status === 'rejected') left ??= end.reason;
      else if (end.value.kind === 'done') following.push(...end.value.following);
      else left ??= new Error('first attempts were handed back');
    }
    return { following, left };
  };
}
