/**
 * Shares the process among accounts, and the share of an account among its tokens, when there are more requests than can
 * be worked on at once. Without it, the requests of one tenant stand before those of all others at the database.
 *
 * One account alone may have many requests in progress. While others send requests too, it may have fewer, and a free
 * place goes to the account that has the fewest in progress. A few requests of every account never wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../domain/kernel/errors.js';

interface ShareLimits {
  /** Requests in progress while one account uses the process alone. */
  readonly alone: number;
  /** Requests in progress while several accounts use it; fewer, down to `least`, while the process is busy. */
  readonly contended: number;
  /** Requests of each account that never wait. */
  readonly least: number;
  /** Requests of one account that wait while others use the process; further ones are refused. */
  readonly waiting: number;
}

/** Connections to the database that one account leaves to the others. */
const CONNECTIONS_LEFT = 2;
const LEAST = 2;

/**
 * Alone, an account may have more requests in progress than there are connections, because those that wait for one are
 * then accepted together. Beside others, it may not: each of their statements would wait behind its own.
 */
export function shareLimits(connections: number): ShareLimits {
  return { alone: 128, contended: Math.max(LEAST, connections - CONNECTIONS_LEFT), least: LEAST, waiting: 2_048 };
}

/** How often the limit of a contended process follows how busy the process is. */
const ADJUST_EVERY_MS = 100;
/** Above this utilization of the event loop, more requests in progress only wait for each other, and others for them. */
const TOO_BUSY = 0.75;
const HAS_TIME = 0.6;

/** A refusal is sent after this time, too: many clients that repeat at once what was refused would occupy the process. */
const RETRY_AFTER_SECONDS = 1;
/** How long the process counts as used by several accounts after requests of two. */
const CONTENDED_FOR_MS = 10_000;

interface Account {
  inProgress: number;
  waiting: number;
  /** Waiting requests by token; the first token is next. */
  readonly queues: Map<string, (() => void)[]>;
}

export interface FairShare {
  /**
   * Begins a request; returns a promise when it has to wait for its turn. The promise rejects with DomainError busy and
   * Retry-After, after this time, when too many requests of the account wait while others send some, too.
   */
  enter(accountId: string, tokenId: string): Promise<void> | undefined;
  /** Ends a request that has entered. */
  leave(accountId: string): void;
}

/**
 * @param now the clock, in milliseconds
 * @param utilization which part of the time since the last call the process was busy
 */
export function createFairShare(
  limits: ShareLimits,
  now: () => number = performance.now.bind(performance),
  utilization: () => number = utilizationSinceLast(),
): FairShare {
  const accounts = new Map<string, Account>();
  let inProgress = 0;
  let lastAccount = '';
  let contendedUntil = 0;
  let contendedLimit = limits.contended;
  let adjustedAt = 0;

  function isContended(): boolean {
    return contendedUntil > 0 && now() < contendedUntil;
  }

  function noticeContention(accountId: string): void {
    if (lastAccount !== accountId && lastAccount !== '') contendedUntil = now() + CONTENDED_FOR_MS;
    lastAccount = accountId;
  }

  function mayBegin(account: Account): boolean {
    return account.inProgress < limits.least || inProgress < (isContended() ? limitNow() : limits.alone);
  }

  /** Halved while the process is busy, and raised step by step while it has time. */
  function limitNow(): number {
    if (now() - adjustedAt < ADJUST_EVERY_MS) return contendedLimit;
    adjustedAt = now();
    const busy = utilization();
    if (busy > TOO_BUSY) contendedLimit = Math.max(limits.least, Math.floor(contendedLimit / 2));
    else if (busy < HAS_TIME) contendedLimit = Math.min(limits.contended, contendedLimit + 1);
    return contendedLimit;
  }

  function begin(account: Account): void {
    inProgress++;
    account.inProgress++;
  }

  function wait(account: Account, tokenId: string): Promise<void> {
    if (account.waiting >= limits.waiting && isContended()) return refuse(account.waiting);
    account.waiting++;
    return new Promise((resolve) => {
      const queue = account.queues.get(tokenId);
      if (queue === undefined) account.queues.set(tokenId, [resolve]);
      else queue.push(resolve);
    });
  }

  async function refuse(waiting: number): Promise<never> {
    await delay(RETRY_AFTER_SECONDS * 1_000);
    throw new DomainError(
      'busy',
      'TOO_MANY_REQUESTS',
      `${waiting} requests of this account wait already, while other accounts send requests; send this one again shortly, and fewer at the same time`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  /** The account with waiting requests that has the fewest in progress. */
  function nextAccount(): Account | undefined {
    let next: Account | undefined;
    for (const account of accounts.values()) {
      if (account.waiting > 0 && (next === undefined || account.inProgress < next.inProgress)) next = account;
    }
    return next;
  }

  function beginAllThatMay(): void {
    for (let next = nextAccount(); next !== undefined && mayBegin(next); next = nextAccount()) beginWaiting(next);
  }

  function beginWaiting(account: Account): void {
    const [entry] = account.queues;
    if (entry === undefined) return;
    const [tokenId, queue] = entry;
    // The token goes behind the others of its account.
    account.queues.delete(tokenId);
    const resolve = queue.shift();
    if (queue.length > 0) account.queues.set(tokenId, queue);
    account.waiting--;
    begin(account);
    resolve?.();
  }

  return {
    enter: (accountId, tokenId) => {
      noticeContention(accountId);
      const account = accounts.get(accountId) ?? { inProgress: 0, waiting: 0, queues: new Map() };
      accounts.set(accountId, account);
      if (account.waiting === 0 && mayBegin(account)) {
        begin(account);
        return undefined;
      }
      const turn = wait(account, tokenId);
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
      if (account.inProgress === 0 && account.waiting === 0) accounts.delete(accountId);
    },
  };
}

function utilizationSinceLast(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
