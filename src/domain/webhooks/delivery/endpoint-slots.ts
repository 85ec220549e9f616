/** Limits the requests to one endpoint at a time, so that an endpoint that hangs delays only its own deliveries. */

interface SlotOptions {
  /** The maximum number of requests in flight to one endpoint. */
  readonly perEndpoint: number;
  /** Deliveries of all endpoints that may be in flight or wait in this process: a slow endpoint must not occupy all. */
  readonly permits: number;
  readonly now: () => number;
}

export type Slot =
  | { readonly kind: 'taken'; readonly release: () => void }
  /** The delivery is to be snoozed for this time. */
  | { readonly kind: 'full'; readonly delayMs: number };

interface Endpoint {
  /** When each request in flight began. */
  readonly inFlight: Set<{ readonly at: number }>;
  readonly waiting: { readonly take: () => void; readonly timer: NodeJS.Timeout }[];
  /** A moving average of the duration of requests. */
  averageMs: number;
  /** When the last snoozed delivery comes back. Each further one comes a little later. */
  backlogUntil: number;
  /** The time until which the delivery that was snoozed last has to wait in any case. */
  backlogFrom: number;
  /** With a rate limit: when the next request may be sent. */
  nextAt: number;
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
/** The requests of one second of a rate may be sent at once. */
const BURST_MS = 1_000;

export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: SlotOptions;
  /** How many endpoints have requests in flight. */
  #active = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** @param rate the maximum number of deliveries per second in this process; null: no limit */
  take(key: string, rate: number | null): Slot | Promise<Slot> {
    const endpoint = this.#endpoint(key);
    if (endpoint.inFlight.size < this.#options.perEndpoint) return this.#allowed(key, endpoint, rate);
    if (!this.#mayWait(endpoint)) return this.#full(endpoint);
    return this.#released(endpoint).then((released) =>
      released ? this.#allowed(key, endpoint, rate) : this.#full(endpoint),
    );
  }

  #allowed(key: string, endpoint: Endpoint, rate: number | null): Slot {
    if (rate === null || this.#allows(endpoint, rate)) return this.#begin(key, endpoint);
    return { kind: 'full', delayMs: this.#backlogDelay(endpoint, endpoint.nextAt - this.#now(), 1_000 / rate) };
  }

  /** The delay of a delivery that has to wait for at least `leastMs`, behind those that are already snoozed. */
  delayOf(key: string, leastMs: number): number {
    const endpoint = this.#endpoint(key);
    return this.#backlogDelay(endpoint, leastMs, MIN_PACE_MS);
  }

  #full(endpoint: Endpoint): Slot {
    return { kind: 'full', delayMs: this.#backlogDelay(endpoint, 0, this.#pace(endpoint)) };
  }

  #begin(key: string, endpoint: Endpoint): Slot {
    const one = { at: this.#now() };
    if (endpoint.inFlight.size === 0) this.#active++;
    endpoint.inFlight.add(one);
    return {
      kind: 'taken',
      release: () => {
        if (!endpoint.inFlight.delete(one)) return;
        if (endpoint.inFlight.size === 0) this.#active--;
        endpoint.averageMs += (this.#now() - one.at - endpoint.averageMs) / 4;
        const next = endpoint.waiting.shift();
        if (next !== undefined) next.take();
        else if (endpoint.inFlight.size === 0 && this.#isIdle(endpoint)) this.#endpoints.delete(key);
      },
    };
  }

  #mayWait(endpoint: Endpoint): boolean {
    const { inFlight, waiting } = endpoint;
    if (inFlight.size + waiting.length >= this.#share()) return false;
    return (waiting.length + 1) * this.#untilNext(endpoint) <= MAX_WAIT_MS;
  }

  /** Resolves to false when no slot was released in time. */
  #released({ waiting }: Endpoint): Promise<boolean> {
    return new Promise((resolve) => {
      const one = {
        take: () => {
          clearTimeout(one.timer);
          resolve(true);
        },
        timer: setTimeout(() => {
          waiting.splice(waiting.indexOf(one), 1);
          resolve(false);
        }, MAX_WAIT_MS),
      };
      waiting.push(one);
    });
  }

  /** The permits that one endpoint may use: twice an equal share among all endpoints that have requests in flight. */
  #share(): number {
    return (2 * this.#options.permits) / Math.max(1, this.#active);
  }

  /** The estimated milliseconds until the next slot is released. */
  #untilNext({ inFlight, averageMs }: Endpoint): number {
    const [oldest] = inFlight;
    return Math.max(averageMs, oldest === undefined ? 0 : this.#now() - oldest.at) / this.#options.perEndpoint;
  }

  #pace(endpoint: Endpoint): number {
    return Math.min(Math.max(this.#untilNext(endpoint), MIN_PACE_MS), MAX_PACE_MS);
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

  #allows(endpoint: Endpoint, rate: number): boolean {
    const now = this.#now();
    const next = Math.max(endpoint.nextAt, now - BURST_MS + 1_000 / rate);
    if (next > now) return false;
    endpoint.nextAt = next + 1_000 / rate;
    return true;
  }

  #isIdle({ backlogUntil, nextAt }: Endpoint): boolean {
    const now = this.#now();
    return backlogUntil < now && nextAt < now - BURST_MS;
  }

  #endpoint(key: string): Endpoint {
    const known = this.#endpoints.get(key);
    if (known !== undefined) return known;
    const made = {
      inFlight: new Set<never>(),
      waiting: [],
      averageMs: FIRST_GUESS_MS,
      backlogUntil: 0,
      backlogFrom: 0,
      nextAt: 0,
    };
    this.#endpoints.set(key, made);
    return made;
  }

  #now(): number {
    return this.#options.now();
  }
}
