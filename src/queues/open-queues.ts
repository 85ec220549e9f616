/**
 * The BullMQ queues of a process. One that could not be opened is made anew: BullMQ remembers the refusal of a queue's
 * first connection for as long as the queue lives (Postgres that starts or recovers refuses every connection), and
 * rejects everything that it is asked from then on.
 */
import { type JobsOptions, Queue } from 'bullmq';
import type { QueueConnection } from '../platform/queue-connection.js';

interface OpenQueue {
  readonly queue: Queue;
  /** Its first connection was refused: it will never answer. */
  refused: boolean;
}

export class OpenQueues {
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
