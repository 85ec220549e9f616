/**
 * Leases shares of rate limits, so that a limit holds for all worker processes together. A process leases the requests
 * of a tenth of a second, and may send them for half a second: if it ends meanwhile, no more than these are lost. What
 * has no rate limit never comes here.
 */
import type { Db } from '../../../../../db/connection.js';
import { createBatcher } from '../../../../platform/concurrency/batcher.js';
import { RecentlyUsed } from '../../../../platform/concurrency/recently-used.js';
import { type AskedRate, leaseRates } from './lease-rates.js';

/** Resolves to 0 if a request may be sent now, otherwise to the milliseconds until one may be. */
export type RateLeases = (definitionId: string, rate: number) => Promise<number>;

interface Lease {
  /** Requests that are leased and not sent. */
  left: number;
  leftUntil: number;
  /** Until then no other process gets more either. */
  noneUntil: number;
  /** Deliveries that wait for the lease that is being asked for. */
  waiting: number;
  asked: Promise<void> | undefined;
}

const SHARE_SECONDS = 0.1;
const LEASED_FOR_MS = 500;
const MAX_ASKED = 200;
/** Beyond so many, the one that was used longest ago is forgotten: its requests are leased again. */
const MOST_LEASES = 10_000;

/** @param now the clock, in milliseconds */
export function createRateLeases(db: Db, now: () => number): RateLeases {
  const leases = new RecentlyUsed<Lease>(MOST_LEASES, 0);
  const ask = createBatcher({
    lingerMs: 0,
    maxItems: MAX_ASKED,
    run: (asked: readonly AskedRate[]) => leaseRates(db, asked),
  });

  function leaseOf(id: string): Lease {
    const known = leases.get(id);
    if (known !== undefined) return known;
    const made = { left: 0, leftUntil: 0, noneUntil: 0, waiting: 0, asked: undefined };
    leases.set(id, made);
    return made;
  }

  async function renew(id: string, rate: number, lease: Lease): Promise<void> {
    // From before the statement: the database may have counted the lease long before the answer arrives.
    const leftUntil = now() + LEASED_FOR_MS;
    const wanted = Math.max(Math.ceil(rate * SHARE_SECONDS), lease.waiting);
    const { granted, waitMs } = await ask({ id, rate, wanted });
    Object.assign(lease, { left: granted, leftUntil, noneUntil: now() + waitMs });
  }

  return async (id, rate) => {
    const lease = leaseOf(id);
    for (;;) {
      const at = now();
      if (lease.left > 0 && at < lease.leftUntil) {
        lease.left--;
        return 0;
      }
      if (at < lease.noneUntil) return Math.ceil(lease.noneUntil - at);
      lease.waiting++;
      lease.asked ??= renew(id, rate, lease).finally(() => (lease.asked = undefined));
      try {
        await lease.asked;
      } finally {
        lease.waiting--;
      }
    }
  };
}
