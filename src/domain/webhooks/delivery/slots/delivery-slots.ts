/**
 * Limits the requests to one endpoint at a time, those of one account to one host, and those of all accounts to a host
 * that fails: many endpoints may be on one host, of one account or of many.
 */
import { RecentlyUsed } from '../../../../platform/concurrency/recently-used.js';
import { EndpointSlots } from './endpoint-slots.js';
import type { ShareOf, Slot, SlotOptions } from './slot.js';

/** The limits for a host, in multiples of that for an endpoint. */
const ENDPOINTS_A_HOST = 10;
/** A host fails after so many requests in a row without an answer, or with one of an overloaded server. */
const FAILURES_IN_A_ROW = 10;
/** Failing hosts that are remembered. */
const MAX_FAILING = 10_000;

interface DeliverySlotOptions extends Pick<SlotOptions, 'permits' | 'now'> {
  /** The maximum number of requests in flight to one endpoint, of all worker processes together. */
  readonly perEndpoint: number;
  readonly shareOf: ShareOf;
}

/** Where a delivery goes, and whose it is. */
export class Destination {
  /** The key of what the account has at the host. */
  readonly lane: string;

  constructor(
    readonly endpoint: string,
    account: string,
    readonly host: string,
  ) {
    this.lane = `${account} ${host}`;
  }
}

/** The slots that a delivery needs: of its endpoint, of its account at the host, and of the host if that is failing. */
export class DeliverySlots {
  readonly #endpoints: EndpointSlots;
  readonly #hostsOfAccounts: EndpointSlots;
  /** Of hosts that fail, from then on: what was sent to them before is not counted, and ends by its time-out. */
  readonly #failingHosts: EndpointSlots;
  /** By host: how many requests in a row have failed. */
  readonly #failures = new RecentlyUsed<number>(MAX_FAILING, 0);

  constructor({ perEndpoint, shareOf, ...options }: DeliverySlotOptions) {
    const perHost = ENDPOINTS_A_HOST * perEndpoint;
    this.#endpoints = new EndpointSlots({
      ...options,
      limit: perEndpoint,
      mostOf: (key) => shareOf(perEndpoint, key),
    });
    const ofHosts = { ...options, limit: perHost };
    this.#hostsOfAccounts = new EndpointSlots({ ...ofHosts, mostOf: (key) => shareOf(perHost, key) });
    this.#failingHosts = new EndpointSlots({
      ...ofHosts,
      mostOf: (host) => (this.#isFailing(host) ? shareOf(perHost, host) : Number.POSITIVE_INFINITY),
    });
  }

  /** Most often all slots are free, and nothing is awaited. */
  take(destination: Destination): Slot | Promise<Slot> {
    const { endpoint, lane, host } = destination;
    const ofAccount = and(this.#endpoints.take(endpoint), this.#hostsOfAccounts, lane);
    // Whether the host fails is known when there is a slot of the account, which may be awaited.
    const mayFail = 'then' in ofAccount || this.#isFailing(host);
    return mayFail ? and(ofAccount, this.#failingHosts, host) : ofAccount;
  }

  #isFailing(host: string): boolean {
    return (this.#failures.get(host) ?? 0) >= FAILURES_IN_A_ROW;
  }

  /** Like EndpointSlots.delayOf, for an endpoint. */
  delayOf(endpoint: string, leastMs: number, paceMs?: number): number {
    return this.#endpoints.delayOf(endpoint, leastMs, paceMs);
  }

  /** Notes how a request to a host ended. */
  noteEnd(host: string, failed: boolean): void {
    if (failed) this.#failures.set(host, (this.#failures.get(host) ?? 0) + 1);
    else this.#failures.delete(host);
  }
}

/** Takes a slot under a key besides the first one, which is given back if the other is not free. */
function and(first: Slot | Promise<Slot>, others: EndpointSlots, key: string): Slot | Promise<Slot> {
  if ('then' in first) return first.then((slot) => and(slot, others, key));
  if (first.kind === 'full') return first;
  const other = others.take(key);
  return 'then' in other ? other.then((slot) => both(first, slot)) : both(first, other);
}

function both(first: Extract<Slot, { kind: 'taken' }>, other: Slot): Slot {
  if (other.kind === 'full') {
    first.release(false);
    return other;
  }
  const release = (wasUsed?: boolean) => {
    other.release(wasUsed);
    first.release(wasUsed);
  };
  return { kind: 'taken', release };
}
