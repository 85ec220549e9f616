/** Puts checked payloads on queues. Enqueueing the same payload twice is harmless: the job id is made of it. */
import type { JobsOptions } from 'bullmq';
import { Queue } from 'bullmq';
import { within } from '../platform/concurrency/within.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import type { QueueContract } from './define-queue.js';
import { queues } from './index.js';

// * The BullMQ queues of a process. One that could not be opened is made anew: BullMQ remembers the refusal of a queue's
// first connection for as long as the queue lives (Postgres that starts or recovers refuses every connection), and
// rejects everything that it is asked from then on.

interface OpenQueue {
  readonly queue: Queue;
  /** Its first connection was refused: it will never answer. */
  refused: boolean;
}

class OpenQueues {
  readonly #open: Map<string, OpenQueue>;
  #all: readonly Queue[] | undefined;

  constructor(
    names: readonly string[],
    readonly connection: QueueConnection,
    readonly defaultJobOptions: JobsOptions,
    readonly onError: (error: Error) => void,
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

  /** All of them; the same array until one is made anew. */
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
    const { connection, prefix, backendFactory } = this.connection;
    const queue = new Queue(name, { connection, prefix, defaultJobOptions: this.defaultJobOptions }, backendFactory);
    queue.on('error', this.onError);
    // BullMQ's own consumers of queues, such as the dashboard, are typed for the backend of Redis alone.
    const open: OpenQueue = { queue: queue as unknown as Queue, refused: false };
    queue.waitUntilReady().catch(() => {
      open.refused = true;
    });
    return open;
  }
}

/** History is in our own tables; the queue keeps failed jobs a day for the dashboard, completed ones not at all. */
const KEEP: JobsOptions = { removeOnComplete: true, removeOnFail: { age: 86_400, count: 1_000 }, attempts: 1 };

export interface Producer {
  /** Enqueues one job. @throws when the payload does not fit its contract or the queue is out of reach. */
  enqueue<Payload>(contract: QueueContract<Payload>, payload: Payload): Promise<void>;
  /** @param delayMs wait so long before the jobs may start */
  enqueueMany<Payload>(contract: QueueContract<Payload>, payloads: readonly Payload[], delayMs?: number): Promise<void>;
  /** Whether the queue still has this job and will run it, or is running it. */
  isPending<Payload>(contract: QueueContract<Payload>, payload: Payload): Promise<boolean>;
  /** Enqueues a job that no worker takes, and removes it. @throws when the queue would not take others either */
  ping(): Promise<void>;
  /** The BullMQ queues themselves, for the dashboard: the same array until one of them had to be made anew. */
  queues(): readonly Queue[];
  close(): Promise<void>;
}

/** A queue that does not answer is out of reach: who enqueues goes on, the reconciler enqueues later. */
const ANSWER_WITHIN_MS = 3_000;
/** So that not everyone waits for one that has stopped answering. */
const LEFT_ALONE_MS = 5_000;

/**
 * Up to so many jobs are added one by one. On Postgres addBulk makes a temporary table first: 5 to 10 ms of it, and a
 * lock that all others wait for, where a single add takes a tenth of that.
 */
const FEW = 10;

/** The queue of readiness probes. It has no worker; what a probe that died leaves there is never due. */
const PROBE = 'readiness-probe';
const PROBE_DELAY_MS = 365 * 86_400_000;

/** States in which BullMQ will still run a job, or is running it. */
const PENDING = new Set(['waiting', 'active', 'delayed', 'prioritized', 'waiting-children']);

/** Opens one queue a contract on the shared connection, which stays the caller's to close. */
export function createProducer(connection: QueueConnection, onError: (error: Error) => void): Producer {
  const names = Object.values(queues).map(({ name }) => name);
  const open = new OpenQueues(names, connection, KEEP, onError);
  const probe = new OpenQueues([PROBE], connection, KEEP, onError);

  let askAgainAt = 0;

  /** @throws at once while the queue is known to be out of reach */
  async function ask<T>(question: () => Promise<T>): Promise<T> {
    if (!connection.isUp() || Date.now() < askAgainAt) throw new Error('the queue is out of reach');
    const asked = question();
    if (await within(asked, ANSWER_WITHIN_MS)) return asked;
    askAgainAt = Date.now() + LEFT_ALONE_MS;
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
    if (jobs.length > FEW) await ask(() => queue.addBulk(jobs));
    else await ask(() => Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts))));
  }

  return {
    enqueue: (contract, payload) => enqueueMany(contract, [payload]),
    enqueueMany,
    isPending: async (contract, payload) =>
      PENDING.has(await ask(() => open.get(contract.name).getJobState(contract.jobId(payload)))),
    ping: () =>
      ask(async () => {
        const job = await probe.get(PROBE).add(PROBE, {}, { delay: PROBE_DELAY_MS });
        await job.remove();
      }),
    queues: () => open.all(),
    close: async () => {
      await Promise.all([open.close(), probe.close()]);
    },
  };
}
