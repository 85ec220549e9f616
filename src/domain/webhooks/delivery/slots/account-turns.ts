/**
 * Lets accounts take turns for what precedes the sending: for fan-outs, for the places of batches in this process, and for
 * loading them. Nothing is held by deliveries that wait for the slow targets of another account.
 */

import { within } from '../../../../platform/concurrency/within.js';
import { Lanes } from '../../../../platform/limits/lanes.js';
import type { SharedLimit } from '../../../../platform/limits/shared-limit.js';
import { EndpointSlots } from './endpoint-slots.js';
import type { Slot } from './slot.js';

interface TurnOptions {
  /** The maximum number of deliveries in flight in this process, and of batches that it has picked up from the queue. */
  readonly inFlight: number;
  /** What one account may have while others use the process. */
  readonly ofAccount: SharedLimit;
}

/** Loaded batches that wait for permits. Each is of one event, whose payload takes up the memory. */
const MAX_QUEUED_BATCHES = 40;
/** Fan-outs of one account that run at the same time in this process: alone, and beside others. */
const FAN_OUTS_ALONE = 2;
const FAN_OUTS_CONTENDED = 1;
/**
 * So long a fan-out waits for deliveries of its account: they may wait for a target that is slow. Without the wait, and what
 * was removed with it, rows of another tenant took 734 ms instead of 246 beside 300 definitions for such a target.
 */
const PATIENCE_MS = 250;

interface OfAccount {
  readonly name: string;
  /** Its batches and deliveries that are being loaded or wait for permits. */
  batches: number;
  deliveries: number;
  /** Fan-outs that wait until fewer of its deliveries do. */
  readonly fanOuts: Set<{ readonly most: number; readonly go: () => void }>;
}

export class AccountTurns {
  readonly #options: TurnOptions;
  readonly #accounts = new Map<string, OfAccount>();
  readonly #places: EndpointSlots;
  readonly #fanOuts: EndpointSlots;
  /** Batches that wait until they may be loaded, in the lanes of their accounts. */
  readonly #waiting = new Lanes<{ readonly own: OfAccount; readonly begin: (batch: QueuedBatch) => void }>();
  #batches = 0;
  #deliveries = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
    const { inFlight, ofAccount } = options;
    const now = () => performance.now();
    const { contention } = ofAccount;
    const most = (part: number) => Math.max(1, Math.floor(part * inFlight));
    // Some places remain in any case: from there the queue is read on, and what has no place is snoozed.
    const limit = most(3 / 4);
    this.#places = new EndpointSlots({
      ...{ limit, permits: inFlight, now },
      mostOf: () => (contention.isContended() ? most(1 / 4) : limit),
    });
    this.#fanOuts = new EndpointSlots({
      ...{ limit: FAN_OUTS_ALONE, permits: FAN_OUTS_ALONE, now },
      mostOf: () => (contention.isContended() ? FAN_OUTS_CONTENDED : FAN_OUTS_ALONE),
    });
  }

  /** A place for a batch in this process, or how long it is to be snoozed. */
  place(account: string): Slot | Promise<Slot> {
    this.#options.ofAccount.contention.notice(account);
    return this.#places.take(account);
  }

  /** A turn for a fan-out, or how long it is to be snoozed. */
  fanOut(account: string): Slot | Promise<Slot> {
    this.#options.ofAccount.contention.notice(account);
    return this.#fanOuts.take(account);
  }

  /** Resolves when few deliveries of the account wait, or soon. An account that uses the process alone need not wait. */
  async untilFewWait(account: string): Promise<void> {
    const { ofAccount } = this.#options;
    const own = this.#accounts.get(account);
    if (own === undefined || !ofAccount.contention.isContended()) return;
    const most = ofAccount.current();
    if (own.deliveries < most) return;
    const few = new Promise<void>((go) => own.fanOuts.add({ most, go }));
    await within(few, PATIENCE_MS);
  }

  /** Begins to load a batch when it is its turn: deliveries that are loaded too early only take up memory. */
  load(account: string): QueuedBatch | Promise<QueuedBatch> {
    const own = this.#of(account);
    if (this.#mayLoad(own)) return this.#begin(own);
    return new Promise((begin) => this.#waiting.add(account, { own, begin }));
  }

  /** Counts deliveries of a batch in or, if `deliveries` is below 0, out. @internal */
  count(own: OfAccount, deliveries: number, batches: number): void {
    own.deliveries += deliveries;
    own.batches += batches;
    this.#deliveries += deliveries;
    this.#batches += batches;
    for (const fanOut of own.fanOuts) {
      if (own.deliveries < fanOut.most && own.fanOuts.delete(fanOut)) fanOut.go();
    }
    if (own.batches === 0 && this.#waiting.waitingIn(own.name) === 0) this.#accounts.delete(own.name);
    if (this.#waiting.size > 0) this.#beginAllThatMay();
  }

  /** An account that has less than its share never waits for others. */
  #mayLoad(own: OfAccount): boolean {
    if (this.#deliveries < this.#options.inFlight || this.#batches < MAX_QUEUED_BATCHES) return true;
    return own.batches < MAX_QUEUED_BATCHES / this.#accounts.size;
  }

  #begin(own: OfAccount): QueuedBatch {
    return new QueuedBatch(this, own, this.#options.inFlight / MAX_QUEUED_BATCHES);
  }

  #beginAllThatMay(): void {
    const next = () => this.#waiting.next(({ own }) => this.#mayLoad(own));
    for (let one = next(); one !== undefined; one = next()) one.begin(this.#begin(one.own));
  }

  #of(name: string): OfAccount {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const made: OfAccount = { name, batches: 0, deliveries: 0, fanOuts: new Set() };
    this.#accounts.set(name, made);
    return made;
  }
}

/** A batch that is being loaded, or of which deliveries wait for permits. */
export class QueuedBatch {
  #left: number;

  /** @param expected how many deliveries it counts for until it is loaded */
  constructor(
    readonly turns: AccountTurns,
    readonly own: OfAccount,
    expected: number,
  ) {
    this.#left = expected;
    turns.count(own, expected, 1);
  }

  /** Call it once, also when nothing could be loaded. */
  loaded(deliveries: number): void {
    const more = deliveries - this.#left;
    this.#left = deliveries;
    this.turns.count(this.own, more, deliveries === 0 ? -1 : 0);
  }

  /** One of its deliveries waits no more. */
  leave(): void {
    this.#left--;
    this.turns.count(this.own, -1, this.#left === 0 ? -1 : 0);
  }
}
