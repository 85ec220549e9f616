/** Puts checked payloads on queues. Enqueueing a payload twice is harmless, because the job id is derived from it. */
import type { Job, JobsOptions } from 'bullmq';
import { Queue } from 'bullmq';
import { within } from '../platform/concurrency/within.js';
import type { JobCounts, QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract, QueueGroup } from './define-queue.js';
import { queues } from './index.js';

// The BullMQ queues of a process. A queue that could not be opened is replaced: if the first connection of a BullMQ
// queue is refused (Postgres refuses connections while it starts or recovers), that queue rejects all calls for ever.

interface OpenQueue {
  readonly queue: Queue;
  /** Its first connection was refused: it has to be replaced. */
  refused: boolean;
}

class OpenQueues {
  readonly #open: Map<string, OpenQueue>;
  #all: readonly Queue[] | undefined;

  constructor(
    names: readonly string[],
    readonly connection: QueueConnection,
    readonly defaultJobOptions: JobsOptions,
    readonly onError: (error: unknown) => void,
    readonly isTraced: boolean,
    /** How many events BullMQ keeps of each queue. Undefined: its default. */
    readonly keptEvents?: number,
  ) {
    this.#open = new Map(names.map((name) => [name, this.#make(name)]));
  }

  /** @throws Error when there is no queue of this name */
  get(name: string): Queue {
    const known = this.#open.get(name);
    if (known === undefined) throw new Error(`queue ${name} is not in src/queues/index.ts`);
    if (!known.refused) return known.queue;
    known.queue.close().catch(() => undefined);
    const made = this.#make(name);
    this.#open.set(name, made);
    this.#all = undefined;
    return made.queue;
  }

  /** All queues; the same array until one is replaced. */
  all(): readonly Queue[] {
    const names = [...this.#open.keys()];
    for (const name of names) this.get(name);
    this.#all ??= names.map((name) => this.get(name));
    return this.#all;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ queue, refused }) => (refused ? undefined : queue.close())));
  }

  #make(name: string): OpenQueue {
    const { connection, prefix, backendFactory, telemetry } = this.connection;
    const streams = this.keptEvents === undefined ? {} : { streams: { events: { maxLen: this.keptEvents } } };
    const traced = telemetry === undefined || !this.isTraced ? {} : { telemetry };
    const options = { connection, prefix, defaultJobOptions: this.defaultJobOptions, ...streams, ...traced };
    const queue = new Queue(name, options, backendFactory);
    queue.on('error', this.onError);
    // Consumers of BullMQ's queues, such as the dashboard, are typed for the Redis backend only.
    const open: OpenQueue = { queue: queue as unknown as Queue, refused: false };
    queue.waitUntilReady().catch(() => {
      open.refused = true;
    });
    return open;
  }
}

/** The queue keeps failed jobs for a day, for the dashboard. How many finished ones it keeps, workers say. */
const KEEP: JobsOptions = { removeOnFail: { age: 86_400, count: 1_000 }, attempts: 1 };

/** A job on a queue, as operators see it. */
export interface QueuedWork {
  readonly queue: string;
  readonly group: QueueGroup;
  /** Its payload, which contains ids only. */
  readonly payload: unknown;
  /** Since when it is due or, if it is running, since when it runs. */
  readonly since: Date;
  /** The id of the process that runs it, as its heartbeat has it; null: not running, or not known. */
  readonly processId: string | null;
}

/** The jobs of a queue that it will still run, or is running. */
interface QueueDepth extends JobCounts {
  readonly group: QueueGroup;
}

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
    depths: () => call(() => depthsOf(open, connection)),
    queues: () => open.all(),
    close: async () => {
      await Promise.all([open.close(), probe.close()]);
    },
  };
}

/** The most jobs that are counted where counting reads each of them. */
const MOST_COUNTED = 5_000;

async function depthsOf(open: OpenQueues, { countJobs }: QueueConnection): Promise<QueueDepth[]> {
  const all = Object.values(queues);
  const groups = new Map(all.map(({ name, group }) => [name, group]));
  const countOne = async (queue: string): Promise<JobCounts> => {
    const counts = await open.get(queue).getJobCounts('waiting', 'prioritized', 'active', 'delayed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    return { queue, waiting: waiting + prioritized, active, delayed };
  };
  const names = [...groups.keys()];
  const counted = await (countJobs === null ? Promise.all(names.map(countOne)) : countJobs(names, MOST_COUNTED));
  return counted.map((counts) => ({ ...counts, group: groups.get(counts.queue) ?? 'bulk' }));
}

async function waitsOf(open: OpenQueues): Promise<ReadonlyMap<QueueGroup, number>> {
  const waits = new Map<QueueGroup, number>();
  const now = Date.now();
  for (const { group, since } of await nextOf(open)) {
    waits.set(group, Math.max(waits.get(group) ?? 0, now - since.getTime()));
  }
  return waits;
}

async function nextOf(open: OpenQueues): Promise<readonly QueuedWork[]> {
  return ofEachQueue(
    open,
    'waiting',
    1,
    (job) =>
      // A snoozed job keeps the time at which it was added; its delay counts from its last start.
      Math.max(job.timestamp, job.processedOn ?? 0) + job.delay,
  );
}

async function runningOf(open: OpenQueues, most: number): Promise<readonly QueuedWork[]> {
  return ofEachQueue(open, 'active', most, (job) => job.processedOn ?? job.timestamp);
}

async function ofEachQueue(
  open: OpenQueues,
  state: 'waiting' | 'active',
  most: number,
  since: (job: Job) => number,
): Promise<readonly QueuedWork[]> {
  const found = await Promise.all(
    Object.values(queues).map(async ({ name, group }) => {
      const jobs: (Job | undefined)[] = await open.get(name).getJobs([state], 0, most - 1, true);
      // One that has ended since the list was read is missing.
      return jobs.flatMap((job) =>
        job === undefined
          ? []
          : [
              {
                queue: name,
                group,
                payload: job.data as unknown,
                since: new Date(since(job)),
                processId: state === 'active' ? (job.processedBy ?? null) : null,
              },
            ],
      );
    }),
  );
  return found.flat();
}
