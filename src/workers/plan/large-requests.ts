/** Large requests: accounts take turns for the few that a process executes at the same time. */
import { createPermits } from '../../platform/limits/permits.js';
import type { WorkerServices } from '../context.js';
import { Snooze } from '../snooze.js';

/**
 * Large requests that run at the same time: one computes while the database stores the rows of the other. More would
 * not be faster, and each needs about 20 MB.
 */
const AT_ONCE = 2;
const largeRequests = createPermits(AT_ONCE);
/**
 * While others use the process, an account has so many of them in it: two keep both cores of a small machine busy, the
 * worker's and the database's. With two, files of others took 11.5 times as long beside jobs of 40 sites, with one 4.7.
 */
const OF_ACCOUNT = 1;
/** The others go back to the queue, and return one after another: about as many in a second as are executed. */
const RETURN_MS = { each: 50, longest: 5_000 };

/** Accounts that have large requests in the process: how many, and when the last of the others returns from the queue. */
type LargeRequests = Map<string, { inside: number; lastReturn: number }>;

const requestsByProcess = new WeakMap<WorkerServices, LargeRequests>();

/** @throws Snooze when the account has too many large requests in the process */
export async function inTurn<T>(services: WorkerServices, account: string, work: () => Promise<T>): Promise<T> {
  const large = requestsByProcess.get(services) ?? new Map();
  requestsByProcess.set(services, large);
  const own = large.get(account) ?? { inside: 0, lastReturn: 0 };
  large.set(account, own);
  if (own.inside >= OF_ACCOUNT && services.contention?.isContended() === true) {
    const now = performance.now();
    own.lastReturn = Math.min(Math.max(own.lastReturn, now) + RETURN_MS.each, now + RETURN_MS.longest);
    throw new Snooze(Math.ceil(own.lastReturn - now));
  }
  own.inside++;
  const permit = await largeRequests.take(account);
  try {
    return await work();
  } finally {
    permit.leave();
    own.inside--;
    if (own.inside === 0) large.delete(account);
  }
}
