/** How many requests go to one endpoint at a time, so that one that hangs holds up its own deliveries and no others. */

interface SlotOptions {
  /** Requests under way to one endpoint. */
  readonly perEndpoint: number;
  /** For deliveries that are under way or wait at hand, of all endpoints: one that is slow is not to take them all. */
  readonly permits: number;
  readonly now: () => number;
}

export type Slot =
  | { readonly kind: 'taken'; readonly release: () => void }
  /** To come back then. */
  | { readonly kind: 'full'; readonly delayMs: number };

interface Endpoint {
  /** When each request under way began. */
  readonly begun: Set<{ readonly at: number }>;
  readonly waiting: { readonly take: () => void; readonly timer: NodeJS.Timeout }[];
  /** How long requests take, lately. */
  averageMs: number;
  /** When the last of those put off comes back: each further one a little later. */
  backlogUntil: number;
  /** With a rate: when the next may go. */
  nextAt: number;
}

/** A slot that is likely to be free so soon is waited for at hand: the queue is a longer way. */
const WAIT_AT_HAND_MS = 1_000;
/** A backlog comes back one by one; not so slowly that it takes long once the endpoint is well again. */
const MIN_PACE_MS = 2;
const MAX_PACE_MS = 250;
const MIN_DELAY_MS = 50;
const MAX_SPREAD_MS = 60_000;
const FIRST_GUESS_MS = 50;
/** A second's worth of a rate may go at once. */
const BURST_MS = 1_000;

export class EndpointSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #options: SlotOptions;
  /** Endpoints with requests under way. */
  #called = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** @param rate deliveries a second at most, of this process; null: any number */
  take(key: string, rate: number | null): Slot | Promise<Slot> {
    const endpoint = this.#endpoint(key);
    if (endpoint.begun.size < this.#options.perEndpoint) return this.#allowed(key, endpoint, rate);
    if (!this.#mayWait(endpoint)) return this.#full(endpoint);
    return this.#released(endpoint).then((released) =>
      released ? this.#allowed(key, endpoint, rate) : this.#full(endpoint),
    );
  }

  #allowed(key: string, endpoint: Endpoint, rate: number | null): Slot {
    if (rate === null || this.#allows(endpoint, rate)) return this.#begin(key, endpoint);
    return { kind: 'full', delayMs: this.#backlogDelay(endpoint, endpoint.nextAt - this.#now(), 1_000 / rate) };
  }

  /** For a delivery that has to wait until `leastMs` are over: behind those that wait already. */
  delayOf(key: string, leastMs: number): number {
    const endpoint = this.#endpoint(key);
    return this.#backlogDelay(endpoint, leastMs, MIN_PACE_MS);
  }

  #full(endpoint: Endpoint): Slot {
    return { kind: 'full', delayMs: this.#backlogDelay(endpoint, 0, this.#pace(endpoint)) };
  }

  #begin(key: string, endpoint: Endpoint): Slot {
    const one = { at: this.#now() };
    if (endpoint.begun.size === 0) this.#called++;
    endpoint.begun.add(one);
    return {
      kind: 'taken',
      release: () => {
        if (!endpoint.begun.delete(one)) return;
        if (endpoint.begun.size === 0) this.#called--;
        endpoint.averageMs += (this.#now() - one.at - endpoint.averageMs) / 4;
        const next = endpoint.waiting.shift();
        if (next !== undefined) next.take();
        else if (endpoint.begun.size === 0 && this.#isIdle(endpoint)) this.#endpoints.delete(key);
      },
    };
  }

  #mayWait(endpoint: Endpoint): boolean {
    const { begun, waiting } = endpoint;
    if (begun.size + waiting.length >= this.#share()) return false;
    return (waiting.length + 1) * this.#untilNext(endpoint) <= WAIT_AT_HAND_MS;
  }

  /** False: nobody released one in time. */
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
        }, WAIT_AT_HAND_MS),
      };
      waiting.push(one);
    });
  }

  /** Of the places at hand, twice what is an endpoint's when all that are called at this moment get as many. */
  #share(): number {
    return (2 * this.#options.permits) / Math.max(1, this.#called);
  }

  /** Milliseconds from one free slot to the next, as far as can be told. */
  #untilNext({ begun, averageMs }: Endpoint): number {
    const [oldest] = begun;
    return Math.max(averageMs, oldest === undefined ? 0 : this.#now() - oldest.at) / this.#options.perEndpoint;
  }

  #pace(endpoint: Endpoint): number {
    return Math.min(Math.max(this.#untilNext(endpoint), MIN_PACE_MS), MAX_PACE_MS);
  }

  #backlogDelay(endpoint: Endpoint, leastMs: number, paceMs: number): number {
    const now = this.#now();
    const soonest = now + Math.max(leastMs, MIN_DELAY_MS);
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
    const made = { begun: new Set<never>(), waiting: [], averageMs: FIRST_GUESS_MS, backlogUntil: 0, nextAt: 0 };
    this.#endpoints.set(key, made);
    return made;
  }

  #now(): number {
    return this.#options.now();
  }
}
