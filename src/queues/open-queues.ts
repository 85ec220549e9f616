/**
 * The BullMQ queues of a process. A queue that could not be opened is replaced: if the first connection of a BullMQ queue
 * is refused (Postgres refuses connections while it starts or recovers), that queue rejects all calls for ever.
 */
import { type JobsOptions, Queue } from 'bullmq';
import type { QueueConnection } from '../platform/queue-connection.js';

interface OpenQueue {
  readonly queue: Queue;
  /** Its first connection was refused: it has to be replaced. */
  refused: boolean;
}

export class OpenQueues {
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
