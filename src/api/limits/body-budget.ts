/**
 * Limits the bytes of request bodies in memory, so that many large requests at once cannot exhaust the process, and
 * shares them among the holders (accounts, or addresses of clients without a token).
 *
 * A lease counts the bytes that have arrived, never those that are only announced. One holder alone may use the whole
 * budget. When it is used up, the holder of most bytes makes room for the others: its largest body that is still
 * arriving is refused. Bodies that have arrived are not taken away; beside them, every holder may use a small reserve.
 */
import { DomainError } from '../../domain/kernel/errors.js';

/** The bytes reserved for one request. */
export interface BodyLease {
  /** Reserves more. @throws DomainError unavailable when neither the budget nor the reserve has room for it */
  grow(bytes: number): void;
  /** The whole body has arrived: it is no longer refused in favour of others. */
  complete(): void;
  /** Releases all bytes; calling it again does nothing. */
  release(): void;
}

export interface BodyBudget {
  /**
   * Opens a lease of 0 bytes.
   * @param holder whose share it is
   * @param onRefused called with the error, at most once, when the arriving body must make room for those of others
   */
  lease(holder: string, onRefused: (error: DomainError) => void): BodyLease;
  readonly usedBytes: () => number;
}

const RETRY_AFTER_SECONDS = 2;

/** The reserve is this part of the budget, beside it; one holder gets bytes of it up to a quarter of the reserve. */
const RESERVE_PART = 8;
const HOLDERS_OF_RESERVE = 4;

interface Holder {
  used: number;
  /** Leases that are open; a holder without one is forgotten. */
  leases: number;
  readonly arriving: Set<Held>;
}

interface Held {
  bytes: number;
  refuse(): void;
}

/** A budget of `maxBytes` for the whole process, and an eighth of it more as the reserve. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const holders = new Map<string, Holder>();
  const reserveBytes = Math.floor(maxBytes / RESERVE_PART);
  const smallShare = Math.floor(reserveBytes / HOLDERS_OF_RESERVE);
  let used = 0;

  function reserve(holder: Holder, bytes: number): void {
    while (used + bytes > maxBytes && !fitsReserve(holder, bytes)) {
      const largest = largestArriving(holder.used + bytes);
      if (largest === undefined) throw spent();
      largest.refuse();
    }
    used += bytes;
    holder.used += bytes;
  }

  function fitsReserve(holder: Holder, bytes: number): boolean {
    return holder.used + bytes <= smallShare && used + bytes <= maxBytes + reserveBytes;
  }

  /** The largest arriving body of the holder that uses most, if that is more than `bytes`. */
  function largestArriving(bytes: number): Held | undefined {
    let most = bytes;
    let found: Held | undefined;
    for (const holder of holders.values()) {
      if (holder.used <= most || holder.arriving.size === 0) continue;
      most = holder.used;
      found = [...holder.arriving].reduce((a, b) => (b.bytes > a.bytes ? b : a));
    }
    return found;
  }

  return {
    usedBytes: () => used,
    lease: (name, onRefused) => {
      const holder = holders.get(name) ?? { used: 0, leases: 0, arriving: new Set<Held>() };
      holders.set(name, holder);
      holder.leases++;
      let open = true;
      const held: Held = {
        bytes: 0,
        refuse: () => {
          release();
          onRefused(spent());
        },
      };
      holder.arriving.add(held);

      function release(): void {
        if (!open) return;
        open = false;
        holder.arriving.delete(held);
        used -= held.bytes;
        holder.used -= held.bytes;
        holder.leases--;
        if (holder.leases === 0) holders.delete(name);
      }

      return {
        grow: (bytes) => {
          if (!open) return;
          reserve(holder, bytes);
          held.bytes += bytes;
        },
        complete: () => holder.arriving.delete(held),
        release,
      };
    },
  };
}

function spent(): DomainError {
  return new DomainError(
    'unavailable',
    'BODY_BUDGET_SPENT',
    'Service Unavailable: too many large requests are being read at this moment; send yours again shortly',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
