/** Permits of a process that several owners share, none of which may hold more than a limit. */
import { Lanes, untilTurn } from './lanes.js';

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

interface Permit {
  /** Returns it, once. The lanes get one in turn, and in a lane the caller that has waited longest. */
  leave(): void;
}

/**
 * Limits how much work runs at the same time, for work that begins and ends in different functions.
 * @param mostOfOwner how many permits one owner may have now, at least 1. Default: all
 */
export function createPermits(permits: number, mostOfOwner: () => number = () => permits): Permits {
  const lanes = new Lanes<{ readonly owner: string; readonly begin: (permit: Permit) => void }>();
  /** How many permits each owner holds. */
  const held = new Map<string, number>();
  let free = permits;

  const mayBegin = (owner: string, most: number) => free > 0 && (held.get(owner) ?? 0) < most;

  function begin(owner: string): Permit {
    free--;
    held.set(owner, (held.get(owner) ?? 0) + 1);
    return { leave: () => leave(owner) };
  }

  function leave(owner: string): void {
    free++;
    const left = (held.get(owner) ?? 0) - 1;
    if (left > 0) held.set(owner, left);
    else held.delete(owner);
    if (lanes.size === 0) return;
    const most = mostOfOwner();
    const next = () => lanes.next((one) => mayBegin(one.owner, most));
    for (let one = next(); one !== undefined; one = next()) one.begin(begin(one.owner));
  }

  return {
    take: (lane = '', owner = lane, gone) => {
      if (mayBegin(owner, mostOfOwner())) return begin(owner);
      return untilTurn<Permit>(gone, (begins) => lanes.add(lane, { owner, begin: begins }));
    },
    waitingIn: (lane) => lanes.waitingIn(lane),
  };
}
