/**
 * Admits deliveries: the state of the row, the order of its key, the circuit breaker, the slots and the rate of its
 * endpoint together answer one value. Waiting costs no attempt.
 */
import type { Db } from '../../../../db/connection.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';
import { admitDelivery, PROBE_PAUSE_MS } from './admit-delivery.js';
import { NOTHING_FOLLOWS } from './attempt-end.js';
import { destinationOf, endpointOf, rateLimitOf } from './destination-of.js';
import { cancelled } from './finished.js';
import { createProbeClaims, type ProbeClaim, returnProbe } from './health/probe-claims.js';
import type { LoadedDelivery } from './loaded-delivery.js';
import { type FollowingDelivery, type Turn, waitInOrder } from './order/wait-in-order.js';
import { HANDED_BACK, type Outcome, snooze } from './outcome.js';
import { createCollector } from './record/collector.js';
import { LINGER_MS, MAX_RECORDS } from './record/recorded-together.js';
import type { DeliverySlots } from './slots/delivery-slots.js';
import { createRateLeases, type RateLeases } from './slots/rate-leases.js';
import type { ShareOf, Slot } from './slots/slot.js';

/** The delivery may be sent now. */
interface Admitted {
  readonly kind: 'admitted';
  /** Makes room for others. @param outcome that of the attempt; undefined: none could be made */
  leave(outcome: Outcome | undefined): void | Promise<void>;
}

/** Anything but `admitted` is the outcome of the delivery for now. */
export type Answer = Admitted | Outcome;

interface AdmissionOptions {
  readonly db: Db;
  readonly slots: DeliverySlots;
  readonly shareOf: ShareOf;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The pause of a delivery while an earlier event of its key is being fanned out. */
const FAN_OUT_PAUSE_MS = 1_000;

export class Admission {
  readonly #db: Db;
  readonly #slots: DeliverySlots;
  readonly #shareOf: ShareOf;
  readonly #now: () => number;
  readonly #leaseRate: RateLeases;
  readonly #collect: ReturnType<typeof createCollector>;
  readonly #waitInOrder: OrderKeeper;
  readonly #claimProbe: (definitionId: string) => Promise<ProbeClaim>;

  constructor({ db, slots, shareOf, now }: AdmissionOptions) {
    this.#db = db;
    this.#slots = slots;
    this.#shareOf = shareOf;
    this.#now = now;
    this.#leaseRate = createRateLeases(db, () => performance.now());
    this.#collect = createCollector(db);
    this.#waitInOrder = createOrderKeeper(db);
    this.#claimProbe = createProbeClaims(db);
  }

  /**
   * Most often nothing is awaited.
   * @param dispatch the fencing token of the queue job
   */
  admit(delivery: LoadedDelivery, dispatch: number, signal: AbortSignal): Answer | Promise<Answer> {
    if (signal.aborted) return HANDED_BACK;
    const admission = admissionOf(delivery, dispatch, this.#now());
    if (admission.kind === 'stale') return NOTHING_FOLLOWS;
    if (admission.kind === 'cancel') return cancelled(delivery);
    if (admission.kind === 'collect') return this.#collect(delivery).then(() => NOTHING_FOLLOWS);
    const { behind } = delivery;
    if (behind !== null) return this.#waitBehind({ ...delivery, behind });
    if (delivery.isBehindFanOut) return snooze(FAN_OUT_PAUSE_MS);
    if (admission.kind === 'send') return this.#takeSlot(delivery);
    if (admission.kind === 'probe') return this.#probe(delivery, delivery.definitionId ?? '');
    return snooze(this.#slots.delayOf(endpointOf(delivery), admission.untilMs - this.#now()));
  }

  async #waitBehind(delivery: LoadedDelivery & { readonly behind: string }): Promise<Answer> {
    const turn = await this.#waitInOrder(delivery);
    return turn === null ? NOTHING_FOLLOWS : { kind: 'done', following: [turn] };
  }

  #takeSlot(delivery: LoadedDelivery): Answer | Promise<Answer> {
    const slot = this.#slots.take(destinationOf(delivery));
    return 'then' in slot ? slot.then((taken) => this.#takeRate(delivery, taken)) : this.#takeRate(delivery, slot);
  }

  #takeRate(delivery: LoadedDelivery, slot: Slot): Answer | Promise<Answer> {
    if (slot.kind === 'full') return snooze(slot.delayMs);
    const admitted: Admitted = { kind: 'admitted', leave: () => slot.release(true) };
    const rate = rateLimitOf(delivery);
    if (rate === null) return admitted;
    return this.#leaseRate(delivery.definitionId ?? '', rate).then(
      (waitMs) => {
        if (waitMs <= 0) return admitted;
        const delayMs = this.#delayOfRate(delivery, waitMs, rate);
        slot.release(false);
        return snooze(delayMs);
      },
      (error: unknown) => {
        slot.release(false);
        throw error;
      },
    );
  }

  /** Other processes have deliveries that wait for the same rate: together, these come back at the rate. */
  #delayOfRate(delivery: LoadedDelivery, waitMs: number, rate: number): number {
    const endpoint = endpointOf(delivery);
    return this.#slots.delayOf(endpoint, waitMs, 1_000 / Math.max(1, this.#shareOf(rate, endpoint)));
  }

  /** Admits one attempt that is to find out whether the endpoint has recovered. */
  async #probe(delivery: LoadedDelivery, definitionId: string): Promise<Answer> {
    const answer = await this.#takeSlot(delivery);
    return answer.kind === 'admitted' ? this.#claim(answer, definitionId) : answer;
  }

  async #claim(inSlot: Admitted, definitionId: string): Promise<Answer> {
    let claim: ProbeClaim;
    try {
      claim = await this.#claimProbe(definitionId);
    } catch (error) {
      await inSlot.leave(undefined);
      throw error;
    }
    if (claim === 'taken') {
      const delayMs = this.#slots.delayOf(definitionId, PROBE_PAUSE_MS);
      await inSlot.leave(undefined);
      return snooze(delayMs);
    }
    return {
      kind: 'admitted',
      leave: async (outcome) => {
        const isMade = outcome?.kind === 'finished';
        if (claim === 'claimed' && !isMade) await returnProbe(this.#db, definitionId).catch(() => undefined);
        await inSlot.leave(outcome);
      },
    };
  }
}

/** Callbacks are sent even if the definition is disabled: one of them reports this to the owner. */
function admissionOf(delivery: LoadedDelivery, asked: number, now: number): ReturnType<typeof admitDelivery> {
  const { status, dispatch, callbackUrl, definition, health } = delivery;
  const isCallback = callbackUrl !== null && (definition !== null || delivery.definitionId === null);
  const needed = isCallback ? 'not-needed' : (definition?.status ?? null);
  return admitDelivery({ status, dispatch, asked, definition: needed, health }, now);
}

/**
 * Has a delivery with a key wait while an earlier one of its key is pending, whose end makes it due. Waiting is no attempt.
 * Resolves to what to enqueue; null: its fencing token has changed, or it has ended.
 */
type OrderKeeper = (delivery: FollowingDelivery) => Promise<Turn | null>;

function createOrderKeeper(db: Db): OrderKeeper {
  return createBatcher({
    lingerMs: LINGER_MS,
    maxItems: MAX_RECORDS,
    run: async (batch: readonly FollowingDelivery[]) => {
      const waiting = await waitInOrder(db, batch);
      return batch.map(({ id }) => waiting.get(id) ?? null);
    },
  });
}
