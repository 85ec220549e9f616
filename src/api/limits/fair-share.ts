/**
 * Shares the process among accounts, and the share of an account among its tokens, when there are more requests than can
 * be worked on at once. Without it, the requests of one tenant stand before those of all others at the database.
 *
 * One account alone may have many requests in progress. While others send requests too, it may have fewer, and a free
 * place goes to the account that has the fewest in progress. One request of every account never waits.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../domain/kernel/errors.js';
import { Lanes, untilTurn } from '../../platform/limits/lanes.js';
import { type Clock, SharedLimit } from '../../platform/limits/shared-limit.js';

interface ShareLimits {
  /** Requests in progress while one account uses the process alone. */
  readonly alone: number;
  /** Requests in progress while several accounts use it; fewer, down to `least`, while the process is busy. */
  readonly contended: number;
  /** Requests of each account that never wait. */
  readonly least: number;
  /** Requests of one account that wait; further ones are refused. */
  readonly waiting: number;
}

/** Connections to the database that one account leaves to the others. */
const CONNECTIONS_LEFT = 2;
const LEAST = 1;

/**
 * Alone, an account may have more requests in progress than there are connections, because those that wait for one are
 * then accepted together. Beside others, it may not: each of their statements would wait behind its own.
 */
export function shareLimits(connections: number): ShareLimits {
  return { alone: 128, contended: Math.max(LEAST, connections - CONNECTIONS_LEFT), least: LEAST, waiting: 2_048 };
}

/** A refusal is sent after this time, too: many clients that repeat at once what was refused would occupy the process. */
const RETRY_AFTER_SECONDS = 1;

interface Account {
  inProgress: number;
  /** How those that wait begin; each token has a lane. */
  readonly queue: Lanes<() => void>;
}

export interface FairShare {
  /**
   * Begins a request; returns a promise when it has to wait for its turn. The promise rejects with DomainError busy and
   * Retry-After, after this time, when too many requests of the account wait already.
   * @param gone aborted when nobody waits for the answer any more: the promise rejects with its reason
   */
  enter(accountId: string, tokenId: string, gone?: AbortSignal): Promise<void> | undefined;
  /** Ends a request that has entered. */
  leave(accountId: string): void;
}

export function createFairShare(limits: ShareLimits, clock?: Clock): FairShare {
  const accounts = new Map<string, Account>();
  let inProgress = 0;
  const limit = new SharedLimit({ ...limits, ...clock });

  function mayBegin(account: Account): boolean {
    return account.inProgress < limits.least || inProgress < limit.current();
  }

  function begin(account: Account): void {
    inProgress++;
    account.inProgress++;
  }

  function wait(accountId: string, { queue }: Account, tokenId: string, gone?: AbortSignal): Promise<void> {
    if (queue.size >= limits.waiting) return refuse(queue.size, gone);
    return untilTurn<void>(gone, (begins) => {
      const leave = queue.add(tokenId, begins);
      return () => {
        leave();
        forget(accountId);
      };
    });
  }

  /** An account without requests is not kept. */
  function forget(accountId: string): void {
    const account = accounts.get(accountId);
    if (account?.inProgress === 0 && account.queue.size === 0) accounts.delete(accountId);
  }

  async function refuse(waiting: number, gone: AbortSignal | undefined): Promise<never> {
    await delay(RETRY_AFTER_SECONDS * 1_000, undefined, { signal: gone }).catch(() => gone?.throwIfAborted());
    throw new DomainError(
      'busy',
      'TOO_MANY_REQUESTS',
      `${waiting} requests of this account wait already; send this one again shortly, and fewer at the same time`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  /** The account with waiting requests that has the fewest in progress. */
  function nextAccount(): Account | undefined {
    let next: Account | undefined;
    for (const account of accounts.values()) {
      if (account.queue.size > 0 && (next === undefined || account.inProgress < next.inProgress)) next = account;
    }
    return next;
  }

  function beginAllThatMay(): void {
    for (let next = nextAccount(); next !== undefined && mayBegin(next); next = nextAccount()) {
      begin(next);
      next.queue.next()?.();
    }
  }

  return {
    enter: (accountId, tokenId, gone) => {
      limit.contention.notice(accountId);
      const account = accounts.get(accountId) ?? { inProgress: 0, queue: new Lanes() };
      accounts.set(accountId, account);
      if (account.queue.size === 0 && mayBegin(account)) {
        begin(account);
        return undefined;
      }
      const turn = wait(accountId, account, tokenId, gone);
      // The process may have become free for one account since the last request ended.
      beginAllThatMay();
      return turn;
    },
    leave: (accountId) => {
      const account = accounts.get(accountId);
      if (account === undefined) return;
      inProgress--;
      account.inProgress--;
      beginAllThatMay();
      forget(accountId);
    },
  };
}
