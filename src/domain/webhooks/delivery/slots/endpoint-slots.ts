/** Limits the requests under one key at a time, so that an endpoint that hangs delays only its own deliveries. */
import type { Slot, SlotOptions } from './slot.js';

interface Endpoint {
  readonly key: string;
  inFlight: number;
  /** What gives a slot to each delivery that waits for one, the one that has waited longest first. */
  readonly waiting: Set<(slot: Slot) => void>;
  /** A moving average of the duration of requests. */
  averageMs: number;
  /** When a slot was released or taken last. */
  movedAt: number;
  /** When the last snoozed delivery comes back. Each further one comes a little later. */
  backlogUntil: number;
  /** The time until which the delivery that was snoozed last has to wait in any case. */
  backlogFrom: number;
}

/** A delivery waits in this process for a slot that should be free within this time: the queue would take longer. */
const MAX_WAIT_MS = 1_000;
/** Limits of the time between two deliveries of a backlog: a recovered endpoint should get them soon. */
const MIN_PACE_MS = 2;
const MAX_PACE_MS = 250;
const MIN_DELAY_MS = 50;
const MAX_SPREAD_MS = 60_000;
/** More than a delivery waits for a slot, its rate or a probe. */
const MUCH_EARLIER_MS = 5_000;
const FIRST_GUESS_MS = 50;

/** The slots under keys of one kind, such as endpoints. */
export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: SlotOptions;
  readonly #now: () => number;
  /** How many endpoints have requests in flight. */
  #active = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#now = options.now;
  }

  take(key: string): Slot | Promise<Slot> {
    const endpoint = this.#endpoint(key);
    if (endpoint.inFlight < this.#options.mostOf(key)) return this.#begin(endpoint, this.#now());
    return this.#mayWait(endpoint) ? this.#released(endpoint) : this.#full(endpoint);
  }

  /**
   * The delay of a delivery that has to wait for at least `leastMs`, behind those that are already snoozed.
   * @param paceMs the time between two of them
   */
  delayOf(key: string, leastMs: number, paceMs = MIN_PACE_MS): number {
    const endpoint = this.#endpoint(key);
    const now = this.#now();
    const soonest = now + Math.max(leastMs, MIN_DELAY_MS);
    // A breaker or a pause that was to last longer has ended: there is nothing behind which to wait.
    if (endpoint.backlogFrom > soonest + MUCH_EARLIER_MS) endpoint.backlogUntil = soonest;
    endpoint.backlogFrom = soonest;
    endpoint.backlogUntil = Math.min(Math.max(endpoint.backlogUntil, soonest) + paceMs, soonest + MAX_SPREAD_MS);
    return Math.ceil(endpoint.backlogUntil - now);
  }

  #full(endpoint: Endpoint): Slot {
    return { kind: 'full', delayMs: this.delayOf(endpoint.key, 0, this.#pace(endpoint)) };
  }

  #begin(endpoint: Endpoint, at: number): Slot {
    endpoint.movedAt = at;
    if (endpoint.inFlight === 0) this.#active++;
    endpoint.inFlight++;
    let isReleased = false;
    const release = (wasUsed = true) => {
      if (!isReleased) this.#end(endpoint, at, wasUsed);
      isReleased = true;
    };
    return { kind: 'taken', release };
  }

  /** @param at when the slot was taken that is released */
  #end(endpoint: Endpoint, at: number, wasUsed: boolean): void {
    endpoint.inFlight--;
    if (endpoint.inFlight === 0) this.#active--;
    const now = this.#now();
    endpoint.movedAt = now;
    if (wasUsed) endpoint.averageMs += (now - at - endpoint.averageMs) / 4;
    this.#handOn(endpoint, now);
  }

  /** Gives a slot that was released to the next delivery that waits, and more slots if the limit has become larger. */
  #handOn(endpoint: Endpoint, now: number): void {
    const { key, waiting } = endpoint;
    for (const take of waiting) {
      if (endpoint.inFlight >= this.#options.mostOf(key)) return;
      waiting.delete(take);
      take(this.#begin(endpoint, now));
    }
    if (endpoint.inFlight === 0 && endpoint.backlogUntil < now) this.#endpoints.delete(key);
  }

  #mayWait(endpoint: Endpoint): boolean {
    const { inFlight, waiting } = endpoint;
    if (inFlight + waiting.size >= this.#share()) return false;
    // One is likely to be free soon enough.
    const untilNext = this.#takesMs(endpoint) / Math.max(1, this.#options.mostOf(endpoint.key));
    return this.#silence(endpoint) < MAX_WAIT_MS && (waiting.size + 1) * untilNext <= MAX_WAIT_MS;
  }

  /** Resolves to a delay when no slot was released in time. */
  #released(endpoint: Endpoint): Promise<Slot> {
    return new Promise((resolve) => {
      const take = (slot: Slot) => {
        clearTimeout(timer);
        resolve(slot);
      };
      const giveUp = () => {
        if (endpoint.waiting.delete(take)) take(this.#full(endpoint));
      };
      endpoint.waiting.add(take);
      // If this process stood still, answers have arrived that are read after the timers.
      const timer = setTimeout(() => setImmediate(giveUp), MAX_WAIT_MS - this.#silence(endpoint));
    });
  }

  /** The permits that one endpoint may use: twice an equal share among all endpoints that have requests in flight. */
  #share(): number {
    return (2 * this.#options.permits) / Math.max(1, this.#active);
  }

  /** The estimated duration of the requests in flight. */
  #takesMs(endpoint: Endpoint): number {
    return Math.max(endpoint.averageMs, this.#silence(endpoint));
  }

  /**
   * For how long nothing has moved, so that all requests in flight have taken at least that long. They began together,
   * perhaps, and will end together: this is not the time from one end to the next.
   */
  #silence({ movedAt }: Endpoint): number {
    return this.#now() - movedAt;
  }

  /**
   * The time between two deliveries of a backlog, which any process may take. The share of this one says nothing about it:
   * it is 1 for seconds after a process has begun, while the others learn of it.
   */
  #pace(endpoint: Endpoint): number {
    return Math.min(Math.max(this.#takesMs(endpoint) / this.#options.limit, MIN_PACE_MS), MAX_PACE_MS);
  }

  #endpoint(key: string): Endpoint {
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const made: Endpoint = {
      key,
      inFlight: 0,
      waiting: new Set(),
      averageMs: FIRST_GUESS_MS,
      movedAt: this.#now(),
      backlogUntil: 0,
      backlogFrom: 0,
    };
    this.#endpoints.set(key, made);
    return made;
  }
}
