/** Looks at feeds that are looked at every so often. What others must not wait for stands in no queue: Postgres says what is due. */
import { withRetries } from '../../db/with-retries.js';
import { type ClaimedLook, claimLook, isAnyLookDue, LOOK_MS } from '../domain/feeds/claim-look.js';
import { feedEnvironment } from '../domain/feeds/feed-environment.js';
import { type LookedFor, lookForNew } from '../domain/feeds/look-for-new.js';
import { type Failing, failingOf } from '../domain/feeds/model/feed-failure.js';
import { noteLook } from '../domain/feeds/note-look.js';
import { logOutage } from '../platform/outage-log.js';
import { RemoteFailure } from '../platform/remote/remote-folder.js';
import type { OutboxEntry } from '../queues/outbox.js';
import { send } from './after-step.js';
import type { WorkerServices } from './context.js';

/** Looks of a process at the same time. They hold no place of a run, and no connection while a server is waited for. */
const LOOKS = 8;

/** Until it is stopped. */
export function lookAtFeeds(services: WorkerServices): { stop(): Promise<void> } {
  const { db, config, logger } = services;
  const environment = feedEnvironment(config, services.resolveName);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> = Promise.resolve();

  async function startDue(): Promise<void> {
    if (!(await isAnyLookDue(db))) return;
    while (running.size < LOOKS && !stopping.signal.aborted) {
      let outboxEntries: OutboxEntry[] = [];
      const claimed = await withRetries(db, (trx) => {
        outboxEntries = [];
        return claimLook(trx, outboxEntries);
      });
      await send(services, outboxEntries);
      if (claimed === null) return;
      if (claimed === 'paused') continue;
      const look: Promise<void> = lookAt(claimed)
        .catch((error: unknown) => logOutage(logger, 'feeds', error, 'a feed could not be looked at'))
        .finally(() => running.delete(look));
      running.add(look);
    }
  }

  async function lookAt(feed: ClaimedLook): Promise<void> {
    const timeout = AbortSignal.timeout(LOOK_MS);
    const signal = AbortSignal.any([timeout, stopping.signal]);
    let outcome: LookedFor | Failing;
    try {
      outcome = await lookForNew(db, environment, feed, signal);
    } catch (error) {
      if (stopping.signal.aborted) return giveBack(feed);
      if (error instanceof RemoteFailure) outcome = failingOf(error);
      else if (timeout.aborted) outcome = tookTooLong();
      else throw error;
    }
    await send(services, await withRetries(db, (trx) => noteLook(trx, feed, outcome)));
  }

  /** Another process may look at once. */
  async function giveBack({ id, look }: ClaimedLook): Promise<void> {
    await db('feed').where({ id, look }).update({ look_until: null });
  }

  function start(): void {
    pass = startDue()
      .catch((error: unknown) =>
        logOutage(logger, 'feeds', error, 'it could not be seen which feeds are to be looked at'),
      )
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(start, config.reconcileMs);
      });
  }

  start();
  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await pass;
      await Promise.all(running);
    },
  };
}

function tookTooLong(): Failing {
  const message = `looking at the files took longer than ${LOOK_MS / 1000} seconds: have fewer files lie there, or choose a schedule with cron`;
  return { code: 'TIMED_OUT', message };
}
