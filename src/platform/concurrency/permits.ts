/** Permits of a process that several owners share, none of which may hold more than a limit for long. */

export interface Permits {
  /**
   * Takes a permit; returns a promise of one when none is free, or when the owner has as many as it may have.
   * @param lane those of one lane wait for each other
   * @param owner whose lane it is: an owner may have many. Default: nobody else's
   * @param gone when it is aborted, the caller waits no longer, and the promise rejects with its reason
   */
  take(lane?: string, owner?: string, gone?: AbortSignal): Permit | Promise<Permit>;
  /** How many callers of a lane wait. */
  waitingIn(lane: string): number;
}

export interface Permit {
  /** Returns it, once. The lanes get one in turn, and in a lane the caller that has waited longest. */
  leave(): void;
}

/**
 * A permit that is held for so long does not count for its owner any more: such work waits for something, and does not
 * occupy the process.
 */
const LONG_MS = 250;

interface Owner {
  readonly name: string;
  /** All that it holds, also for long. */
  held: number;
  /** What counts, in the order in which it was taken. */
  readonly recent: Set<Held>;
}

interface Held extends Permit {
  readonly at: number;
}

/**
 * Limits how much work runs at the same time, for work that begins and ends in different functions.
 * @param mostOfOwner how many permits one owner may have now, at least 1, besides those that it holds for long. Default: all
 */
export function createPermits(permits: number, mostOfOwner: () => number = () => permits): Permits {
  /** In the order in which they get the next permits. */
  const lanes = new Map<string, { readonly owner: string; readonly waiting: Set<(permit: Permit) => void> }>();
  const owners = new Map<string, Owner>();
  let free = permits;
  let timer: NodeJS.Timeout | undefined;

  function mayBegin(name: string, most: number): boolean {
    if (most >= permits) return true;
    const owner = owners.get(name);
    if (owner === undefined || owner.recent.size < most) return true;
    const longSince = performance.now() - LONG_MS;
    for (const held of owner.recent) {
      if (held.at > longSince) break;
      owner.recent.delete(held);
    }
    return owner.recent.size < most;
  }

  function begin(name: string, most: number): Permit {
    free--;
    // Where there is no limit now, there is nothing to count.
    if (most >= permits) return WITHOUT_OWNER;
    const owner = owners.get(name) ?? { name, held: 0, recent: new Set() };
    if (owner.held === 0) owners.set(name, owner);
    owner.held++;
    const held = { at: performance.now(), leave: () => leave(owner, held) };
    owner.recent.add(held);
    return held;
  }

  const WITHOUT_OWNER: Permit = {
    leave: () => {
      free++;
      beginAllThatMay();
    },
  };

  function leave(owner: Owner, held: Held): void {
    free++;
    owner.recent.delete(held);
    owner.held--;
    if (owner.held === 0) owners.delete(owner.name);
    beginAllThatMay();
  }

  function beginAllThatMay(): void {
    if (lanes.size === 0) return;
    const most = mostOfOwner();
    while (free > 0 && beginNext(most));
    awaitLongOnes();
  }

  /** Nobody may leave for long. */
  function awaitLongOnes(): void {
    if (timer !== undefined || free === 0 || lanes.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      beginAllThatMay();
    }, LONG_MS).unref();
  }

  /** @returns whether a caller that waits has got a permit */
  function beginNext(most: number): boolean {
    for (const [name, lane] of lanes) {
      if (!mayBegin(lane.owner, most)) continue;
      const [next] = lane.waiting;
      if (next !== undefined) lane.waiting.delete(next);
      // The only lane stays where it is.
      if (lanes.size > 1 || lane.waiting.size === 0) {
        lanes.delete(name);
        if (lane.waiting.size > 0) lanes.set(name, lane);
      }
      next?.(begin(lane.owner, most));
      return true;
    }
    return false;
  }

  return {
    take: (name = '', owner = name, gone) => {
      const most = mostOfOwner();
      if (free > 0 && mayBegin(owner, most)) return begin(owner, most);
      if (gone?.aborted === true) return Promise.reject(gone.reason);
      return new Promise((resolve, reject) => {
        const lane = lanes.get(name) ?? { owner, waiting: new Set() };
        lanes.set(name, lane);
        const begins = (permit: Permit) => {
          gone?.removeEventListener('abort', leaves);
          resolve(permit);
        };
        const leaves = () => {
          lane.waiting.delete(begins);
          if (lane.waiting.size === 0 && lanes.get(name) === lane) lanes.delete(name);
          reject(gone?.reason);
        };
        lane.waiting.add(begins);
        gone?.addEventListener('abort', leaves, { once: true });
        awaitLongOnes();
      });
    },
    waitingIn: (name) => lanes.get(name)?.waiting.size ?? 0,
  };
}
