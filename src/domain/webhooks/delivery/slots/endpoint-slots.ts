/** Limits the requests under one key at a time, so that an endpoint that hangs delays only its own deliveries. */
import type { Slot, SlotOptions } from './slot.js';

interface Waiting {
  readonly take: (slot: Slot) => void;
  /** When its wait ends without a slot, on the clock of performance.now(). */
  readonly until: number;
}

interface Endpoint {
  readonly key: string;
  inFlight: number;
  /** The slots that are taken, as a list in the order in which they were taken: each is released in constant time. */
  oldest: TakenSlot | undefined;
  newest: TakenSlot | undefined;
  /** Deliveries that wait for a slot, the one that has waited longest first. */
  waiting: Waiting[];
  /** Ends waits that have taken too long: one timer for all of them, which is set for the first to end. */
  timer: NodeJS.Timeout | undefined;
  timedFor: number;
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

class TakenSlot {
  readonly kind = 'taken';
  before: TakenSlot | undefined;
  after: TakenSlot | undefined;
  #isReleased = false;

  constructor(
    readonly slots: EndpointSlots,
    readonly endpoint: Endpoint,
    /** When it was taken. */
    readonly at: number,
  ) {}

  release(wasUsed = true): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.slots.end(this, wasUsed);
  }
}

/** The slots under keys of one kind, such as endpoints. */
export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: SlotOptions;
  /** How many endpoints have requests in flight. */
  #active = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
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
    return this.#backlogDelay(this.#endpoint(key), leastMs, paceMs);
  }

  #full(endpoint: Endpoint): Slot {
    return { kind: 'full', delayMs: this.#backlogDelay(endpoint, 0, this.#pace(endpoint)) };
  }

  #begin(endpoint: Endpoint, at: number): TakenSlot {
    const slot = new TakenSlot(this, endpoint, at);
    endpoint.movedAt = at;
    if (endpoint.inFlight === 0) this.#active++;
    endpoint.inFlight++;
    slot.before = endpoint.newest;
    if (endpoint.newest === undefined) endpoint.oldest = slot;
    else endpoint.newest.after = slot;
    endpoint.newest = slot;
    return slot;
  }

  /** Called by a slot that is released, once. */
  end({ endpoint, at, before, after }: TakenSlot, wasUsed: boolean): void {
    if (before === undefined) endpoint.oldest = after;
    else before.after = after;
    if (after === undefined) endpoint.newest = before;
    else after.before = before;
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
    while (waiting.length > 0 && endpoint.inFlight < this.#options.mostOf(key)) {
      waiting.shift()?.take(this.#begin(endpoint, now));
    }
    if (endpoint.inFlight === 0 && waiting.length === 0 && endpoint.backlogUntil < now) {
      this.#endpoints.delete(key);
    }
  }

  #mayWait(endpoint: Endpoint): boolean {
    const { inFlight, waiting } = endpoint;
    if (inFlight + waiting.length >= this.#share()) return false;
    // One is likely to be free soon enough.
    return this.#silence(endpoint) < MAX_WAIT_MS && (waiting.length + 1) * this.#untilNext(endpoint) <= MAX_WAIT_MS;
  }

  /** Resolves to a delay when no slot was released in time. */
  #released(endpoint: Endpoint): Promise<Slot> {
    const until = performance.now() + MAX_WAIT_MS - this.#silence(endpoint);
    return new Promise((take) => {
      endpoint.waiting.push({ take, until });
      if (endpoint.timer === undefined || until < endpoint.timedFor) this.#endWaits(endpoint, until);
    });
  }

  #endWaits(endpoint: Endpoint, at: number): void {
    clearTimeout(endpoint.timer);
    endpoint.timedFor = at;
    // If this process stood still, answers have arrived that are read after the timers.
    endpoint.timer = setTimeout(() => setImmediate(() => this.#giveUp(endpoint)), at - performance.now());
  }

  #giveUp(endpoint: Endpoint): void {
    endpoint.timer = undefined;
    const now = performance.now();
    const overdue = endpoint.waiting.filter(({ until }) => until <= now);
    if (overdue.length > 0) endpoint.waiting = endpoint.waiting.filter(({ until }) => until > now);
    for (const { take } of overdue) take(this.#full(endpoint));
    if (endpoint.waiting.length === 0) return;
    this.#endWaits(endpoint, Math.min(...endpoint.waiting.map(({ until }) => until)));
  }

  /** The permits that one endpoint may use: twice an equal share among all endpoints that have requests in flight. */
  #share(): number {
    return (2 * this.#options.permits) / Math.max(1, this.#active);
  }

  /** The estimated milliseconds until the next slot is released. */
  #untilNext(endpoint: Endpoint): number {
    return this.#takesMs(endpoint) / Math.max(1, this.#options.mostOf(endpoint.key));
  }

  /** The estimated duration of the requests in flight. */
  #takesMs(endpoint: Endpoint): number {
    const { oldest, averageMs } = endpoint;
    if (this.#options.isMixed === true) return Math.max(averageMs, this.#silence(endpoint));
    return Math.max(averageMs, oldest === undefined ? 0 : this.#now() - oldest.at);
  }

  /**
   * For how long nothing has moved under a key of several targets, so that all requests in flight have taken at least
   * that long. They began together, perhaps, and will end together: this is not the time from one end to the next.
   */
  #silence({ movedAt }: Endpoint): number {
    return this.#options.isMixed === true ? this.#now() - movedAt : 0;
  }

  /**
   * The time between two deliveries of a backlog, which any process may take. The share of this one says nothing about it:
   * it is 1 for seconds after a process has begun, while the others learn of it.
   */
  #pace(endpoint: Endpoint): number {
    return Math.min(Math.max(this.#takesMs(endpoint) / this.#options.limit, MIN_PACE_MS), MAX_PACE_MS);
  }

  #backlogDelay(endpoint: Endpoint, leastMs: number, paceMs: number): number {
    const now = this.#now();
    const soonest = now + Math.max(leastMs, MIN_DELAY_MS);
    // A breaker or a pause that was to last longer has ended: there is nothing behind which to wait.
    if (endpoint.backlogFrom > soonest + MUCH_EARLIER_MS) endpoint.backlogUntil = soonest;
    endpoint.backlogFrom = soonest;
    endpoint.backlogUntil = Math.min(Math.max(endpoint.backlogUntil, soonest) + paceMs, soonest + MAX_SPREAD_MS);
    return Math.ceil(endpoint.backlogUntil - now);
  }

  #endpoint(key: string): Endpoint {
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const made: Endpoint = {
      key,
      inFlight: 0,
      oldest: undefined,
      newest: undefined,
      waiting: [],
      timer: undefined,
      timedFor: 0,
      averageMs: FIRST_GUESS_MS,
      movedAt: this.#now(),
      backlogUntil: 0,
      backlogFrom: 0,
    };
    this.#endpoints.set(key, made);
    return made;
  }

  #now(): number {
    return this.#options.now();
  }
}
