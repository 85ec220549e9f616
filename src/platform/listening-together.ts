/** One connection to Postgres on which all queues of a process listen. */
import { type PgPool, type PgQueryResult, PostgresConnection } from 'bullmq';
import type pg from 'pg';

type PgListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/**
 * A queue's connection to Postgres that listens on the connection of another one, which all workers of a process share.
 * By itself BullMQ keeps a connection for LISTEN for each worker, and Postgres wakes each of them for every job that is
 * added, whichever queue it is for.
 */
export class ListeningTogether extends PostgresConnection {
  readonly #listener: PostgresConnection;
  readonly #invalidate = () => this.emit('listenerinvalidated');

  constructor(pool: PgPool, listener: PostgresConnection) {
    super(pool);
    this.#listener = listener;
    listener.on('listenerinvalidated', this.#invalidate);
  }

  override async getListenClient(): Promise<PgListenClient> {
    const client = await this.#listener.getListenClient();
    const shared = SharedClient.shared.get(client) ?? new SharedClient(client);
    SharedClient.shared.set(client, shared);
    return shared;
  }

  /** BullMQ names the connection after the one queue that listens on it. This one is shared and keeps its own name. */
  override async setListenClientName(): Promise<void> {
    await this.getListenClient();
  }

  override close(): Promise<void> {
    this.#listener.off('listenerinvalidated', this.#invalidate);
    return super.close();
  }
}

/** Each worker says LISTEN once for each connection; the connection does it for the first of them. */
class SharedClient implements PgListenClient {
  static readonly shared = new WeakMap<PgListenClient, SharedClient>();
  readonly #client: PgListenClient;
  readonly #answers = new Map<string, Promise<PgQueryResult>>();

  constructor(client: PgListenClient) {
    this.#client = client;
    // Each worker that waits for a job adds one for notifications.
    (client as pg.PoolClient).setMaxListeners(0);
  }

  query(text: string, values?: unknown[]): Promise<PgQueryResult> {
    if (values !== undefined) return this.#client.query(text, values);
    const answer = this.#answers.get(text) ?? this.#client.query(text);
    this.#answers.set(text, answer);
    // A connection that answers with an error is worth another try.
    answer.catch(() => this.#answers.delete(text));
    return answer;
  }

  on(event: string, listener: (...values: never[]) => void): this {
    this.#client.on(event as 'end', listener as () => void);
    return this;
  }

  removeListener(...listener: Parameters<PgListenClient['removeListener']>): this {
    this.#client.removeListener(...listener);
    return this;
  }

  removeAllListeners(event?: string): this {
    this.#client.removeAllListeners(event);
    return this;
  }
}
