/** Waits for the end of jobs, with one LISTEN connection for each process, opened when the first client waits. */
import { setMaxListeners } from 'node:events';
import pg from 'pg';
import type { Db } from '../../db/connection.js';
import { KEEP_ALIVE_MS } from '../../db/connection.js';
import type { ConnectionWatch } from '../../db/connection-watch.js';
import { JOB_ENDED_CHANNEL } from '../domain/jobs/model/job-end.js';
import { createBatcher } from '../platform/concurrency/batcher.js';
import type { Logger } from '../platform/logger.js';
import { logOutage } from '../platform/outage-log.js';
import { ACQUIRE_MS } from './acquire-limit.js';

/**
 * How many clients of one account wait at once in a process. Each costs a query when it begins, so that many more would
 * keep the database from all others; further ones are answered as if their time were over.
 */
const MAX_WAITING = 500;

/** How often the awaited jobs are polled, because a notification may be lost with its connection. */
const POLL_INTERVAL_MS = 1_000;

export interface JobEnds {
  /**
   * Resolves with true when the job has ended or waits for an approval, even before the call, and with false when the client waits no longer, or
   * at once when too many clients of its account wait already.
   */
  wait(jobId: string, client: WaitingClient): Promise<boolean>;
  /** Expects the end of a job that is about to be recorded. Call `wait` or `forget` of the result. */
  expect(jobId: string): ExpectedEnd;
  close(): Promise<void>;
}

/** Who waits for the end of a job, and for how long. */
export interface WaitingClient {
  readonly accountId: string;
  readonly ms: number;
  /** Aborted when the answer must not, or need not, wait any longer. */
  readonly signal: AbortSignal;
}

interface ExpectedEnd {
  /** Resolves with what is known of the end; with null when the client waits no longer. */
  wait(client: WaitingClient): Promise<EndNotice | null>;
  forget(): void;
}

/** What the notification of a job's end says. */
export interface EndNotice {
  /** One letter of OUTCOME for each row, if all rows were applied; null: read the job. */
  readonly outcomes: string | null;
}

const UNKNOWN_END: EndNotice = { outcomes: null };

export function createJobEnds(db: Db, databaseUrl: string, watch: ConnectionWatch, logger: Logger): JobEnds {
  const waiting = new Map<string, Set<(notice: EndNotice) => void>>();
  /** How many clients of each account wait. */
  const clients = new Map<string, number>();
  let listener: Promise<pg.Client> | undefined;
  let isListening = false;
  let timer: NodeJS.Timeout | undefined;

  function ended(jobId: string, notice = UNKNOWN_END): void {
    for (const listener of waiting.get(jobId) ?? []) listener(notice);
  }

  function leave(accountId: string): void {
    const left = (clients.get(accountId) ?? 1) - 1;
    if (left === 0) clients.delete(accountId);
    else clients.set(accountId, left);
  }

  async function listen(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'longshore-job-ends',
      connectionTimeoutMillis: ACQUIRE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('notification', ({ payload = '' }) => {
      const [jobId = '', outcomes = null] = payload.split(' ');
      ended(jobId, { outcomes });
    });
    client.on('error', (error) => {
      logOutage(logger, 'database', error, 'lost the connection that is notified of ended jobs; polling them instead');
      listener = undefined;
      isListening = false;
    });
    await client.connect();
    await watch.add(client);
    await client.query(`LISTEN ${JOB_ENDED_CHANNEL}`);
    isListening = true;
    return client;
  }

  async function endedOf(ids: readonly string[]): Promise<Set<string>> {
    const rows: { id: string }[] = await db('job')
      .whereIn('id', [...new Set(ids)])
      .where((job) => job.whereNotNull('completed_at').orWhere({ status: 'AWAITING_APPROVAL' }))
      .select('id');
    return new Set(rows.map(({ id }) => id));
  }

  async function pollJobs(): Promise<void> {
    if (waiting.size === 0) return;
    for (const id of await endedOf([...waiting.keys()])) ended(id);
  }

  function schedulePoll(): void {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      pollJobs()
        .catch((error: unknown) =>
          logOutage(logger, 'database', error, 'could not poll the jobs that clients wait for'),
        )
        .finally(schedulePoll);
    }, POLL_INTERVAL_MS);
  }

  async function ensureListening(): Promise<void> {
    listener ??= listen();
    const attempt = listener;
    await attempt.catch((error: unknown) => {
      if (listener === attempt) listener = undefined;
      logOutage(logger, 'database', error, 'cannot listen for ended jobs; polling them instead');
    });
  }

  /** @param missable whether the job may have ended before the notifications of ends were received */
  function expectEnd(jobId: string, missable: boolean): ExpectedEnd {
    const { promise, resolve } = deferred();
    const others = waiting.get(jobId) ?? new Set();
    waiting.set(jobId, others.add(resolve));
    const listening = ensureListening();
    const forget = () => {
      others.delete(resolve);
      // Called twice, it must not forget those who began to wait in between.
      if (others.size === 0 && waiting.get(jobId) === others) waiting.delete(jobId);
    };
    return {
      forget,
      wait: async ({ accountId, ms, signal }) => {
        const stopWaiting = () => resolve(null);
        const ofAccount = clients.get(accountId) ?? 0;
        if (ms <= 0 || signal.aborted || ofAccount >= MAX_WAITING) {
          forget();
          return null;
        }
        clients.set(accountId, ofAccount + 1);
        // Any number of clients may wait on this signal, but Node warns of a leak at more than ten listeners.
        setMaxListeners(0, signal);
        const deadline = setTimeout(stopWaiting, ms);
        signal.addEventListener('abort', stopWaiting, { once: true });
        try {
          schedulePoll();
          // Listen first and query afterwards: then an end in between is not missed.
          await Promise.race([listening, promise]);
          if (missable && (await hasEnded(jobId))) return UNKNOWN_END;
          return await promise;
        } finally {
          leave(accountId);
          clearTimeout(deadline);
          signal.removeEventListener('abort', stopWaiting);
          forget();
        }
      },
    };
  }

  /** One statement for all clients that begin to wait while it runs. */
  const hasEnded = createBatcher<string, boolean>({
    lingerMs: 0,
    maxItems: MAX_WAITING,
    run: async (ids) => {
      const ended = await endedOf(ids);
      return ids.map((id) => ended.has(id));
    },
  });

  return {
    wait: async (jobId, client) =>
      client.ms > 0 && !client.signal.aborted && (await expectEnd(jobId, true).wait(client)) !== null,
    expect: (jobId) => expectEnd(jobId, !isListening),
    close: async () => {
      clearTimeout(timer);
      for (const listeners of waiting.values()) for (const listener of listeners) listener(UNKNOWN_END);
      await (await listener?.catch(() => undefined))?.end();
    },
  };
}

function deferred(): { promise: Promise<EndNotice | null>; resolve: (value: EndNotice | null) => void } {
  let resolve: (value: EndNotice | null) => void = () => undefined;
  const promise = new Promise<EndNotice | null>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
