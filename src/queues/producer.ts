/** Puts checked payloads on queues. Enqueueing a payload twice is harmless, because the job id is derived from it. */
import type { JobsOptions, Queue } from 'bullmq';
import { within } from '../platform/concurrency/within.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract, QueueGroup } from './define-queue.js';
import { queues } from './index.js';
import { OpenQueues } from './open-queues.js';
import { depthsOf, nextOf, type QueueDepth, type QueuedWork, runningOf, waitsOf } from './queued-work.js';
import { returnSteps } from './return-steps.js';

/** The queue keeps failed jobs for a day, for the dashboard. How many finished ones it keeps, workers say. */
const KEEP: JobsOptions = { removeOnFail: { age: 86_400, count: 1_000 }, attempts: 1 };

export interface Producer {
  /** Enqueues one job. @throws when the payload does not match its contract or the queue is unreachable. */
  enqueue<Payload>(contract: QueueContract<Payload>, payload: Payload): Promise<void>;
  /** @param delayMs the jobs may start after so long */
  enqueueMany<Payload>(contract: QueueContract<Payload>, payloads: readonly Payload[], delayMs?: number): Promise<void>;
  /** Whether the queue will still run this job, or is running it. */
  isPending<Payload>(contract: QueueContract<Payload>, payload: Payload): Promise<boolean>;
  /** When the oldest job of a queue was enqueued that is waiting or running; null when there is none. */
  oldestPending<Payload>(contract: QueueContract<Payload>): Promise<Date | null>;
  /** Enqueues a job that no worker picks up, and removes it. @throws when the queue does not accept jobs */
  ping(): Promise<void>;
  /** For each group, how long the job has waited that is next to be started, in ms; groups without one are missing. */
  waits(): Promise<ReadonlyMap<QueueGroup, number>>;
  /** Of each queue, the job that is next to be started; queues without one are missing. */
  nextOfEach(): Promise<readonly QueuedWork[]>;
  /** The jobs that run now, at most so many of each queue. */
  running(mostOfEach: number): Promise<readonly QueuedWork[]>;
  /** Returns the steps that lost processes run to their queues, as suspects. @returns how many */
  returnSteps(processes: ReadonlySet<string>): Promise<number>;
  /** How many jobs of each queue are in which state; on Postgres at most 5,000 are counted. */
  depths(): Promise<readonly QueueDepth[]>;
  /** The BullMQ queues, for the dashboard: the same array until one of them is replaced. */
  queues(): readonly Queue[];
  close(): Promise<void>;
}

/** A queue that does not answer for so long is unreachable: the caller continues, and the reconciler enqueues later. */
const ANSWER_WITHIN_MS = 3_000;
/** A queue that did not answer is not called for so long: otherwise every caller would wait for it. */
const RETRY_AFTER_MS = 5_000;

/**
 * Up to so many jobs are added one by one. On Postgres addBulk creates a temporary table first, which takes 5 to 10 ms
 * and a lock that all other callers wait for; a single add takes a tenth of that.
 */
const FEW = 10;

/** The queue of readiness probes. It has no worker, and a job that an interrupted probe leaves there is never due. */
const PROBE = 'readiness-probe';
const PROBE_DELAY_MS = 365 * 86_400_000;
/** How many events BullMQ keeps of the queue; its default is 10,000. */
const PROBE_EVENTS = 100;
/** Jobs that interrupted probes have left are removed when they are so old: then their probe has ended. */
const PROBE_LEFT_MS = 60_000;
const PROBE_LEFT_MOST = 1_000;

/** States in which BullMQ will still run a job, or is running it. */
const PENDING = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children']);

/**
 * Opens one queue per contract on the shared connection, which the caller closes.
 * @param onError called with each error of a queue, also of those that callers get
 */
export function createProducer(connection: QueueConnection, onError: (error: unknown) => void): Producer {
  const names = Object.values(queues).map(({ name }) => name);
  const open = new OpenQueues(names, connection, KEEP, onError, true);
  const probe = new OpenQueues([PROBE], connection, KEEP, onError, false, PROBE_EVENTS);

  let retryAt = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** @throws at once while the queue is known to be unreachable */
  async function call<T>(operation: () => Promise<T>): Promise<T> {
    if (!connection.isUp() || performance.now() < retryAt) throw new Error('the queue is unreachable');
    const result = operation();
    if (await within(result, ANSWER_WITHIN_MS)) return result;
    retryAt = performance.now() + RETRY_AFTER_MS;
    throw new Error('the queue did not answer in time');
  }

  async function enqueueMany<Payload>(
    contract: QueueContract<Payload>,
    payloads: readonly Payload[],
    delayMs = 0,
  ): Promise<void> {
    const jobs = payloads.map((payload) => {
      const data = contract.payload.parse(payload);
      return {
        name: contract.name,
        data,
        opts: { jobId: contract.jobId(data), ...(delayMs > 0 ? { delay: delayMs } : {}) },
      };
    });
    const queue = open.get(contract.name);
    try {
      if (jobs.length > FEW) await call(() => queue.addBulk(jobs));
      else await call(() => Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts))));
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  return {
    enqueue: (contract, payload) => enqueueMany(contract, [payload]),
    enqueueMany,
    isPending: async (contract, payload) =>
      PENDING.has(await call(() => open.get(contract.name).getJobState(contract.jobId(payload)))),
    oldestPending: async (contract) => {
      const jobs = await call(() => open.get(contract.name).getJobs(['waiting', 'active', 'delayed'], 0, 0, true));
      const times = jobs.flatMap((job) => (job === undefined ? [] : [job.timestamp]));
      return times.length === 0 ? null : new Date(Math.min(...times));
    },
    ping: () =>
      call(async () => {
        const queue = probe.get(PROBE);
        const job = await queue.add(PROBE, {}, { delay: PROBE_DELAY_MS });
        await job.remove();
        if (performance.now() - sweptAt < PROBE_LEFT_MS) return;
        sweptAt = performance.now();
        await queue.clean(PROBE_LEFT_MS, PROBE_LEFT_MOST, 'delayed');
      }),
    waits: () => call(() => waitsOf(open)),
    nextOfEach: () => call(() => nextOf(open)),
    running: (mostOfEach) => call(() => runningOf(open, mostOfEach)),
    returnSteps: (processes) => call(() => returnSteps(open, processes)),
    depths: () => call(() => depthsOf(open, connection)),
    queues: () => open.all(),
    close: async () => {
      await Promise.all([open.close(), probe.close()]);
    },
  };
}
