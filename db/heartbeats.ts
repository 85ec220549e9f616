/** The heartbeats of processes in `process_heartbeat`. All times are those of the database, so clocks may differ. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { arrayText } from './array-text.js';
import type { Db } from './connection.js';

/** How often a process writes its heartbeat. */
const EVERY_MS = 2_000;
/** A process whose last heartbeat is older than this is taken for dead: it has missed three. */
const LOST_AFTER_MS = 6_500;
/** Rows of processes that were killed are kept for so long, for those who look for them. */
const PRUNE_AFTER_HOURS = 24;

/** The heartbeat of one process. */
export class Heartbeat {
  readonly #id = randomUUID();
  readonly #db: Db;
  readonly #groups: readonly string[];
  readonly #version: string;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param groups the groups of work that the process serves, such as `bulk`; `web` for an API process */
  constructor(db: Db, groups: readonly string[], version: string) {
    this.#db = db;
    this.#groups = groups;
    this.#version = version;
  }

  /** Writes the heartbeat once. @throws the error of the database */
  async beat(): Promise<void> {
    await this.#db.raw(
      `INSERT INTO process_heartbeat (id, groups, host, pid, version) VALUES (?, ?::text[], ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      [this.#id, arrayText(this.#groups), hostname(), process.pid, this.#version],
    );
  }

  /** Writes the heartbeat every two seconds until `stop`. @param onError called with each failure */
  start(onError: (error: unknown) => void): void {
    this.#beating = this.beat().catch(onError);
    this.#beating.finally(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(onError), EVERY_MS).unref();
    });
  }

  /** Removes the heartbeat: the process accepts no more work. @throws the error of the database */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
    await this.#db('process_heartbeat').where({ id: this.#id }).delete();
  }
}

/** The groups of work that a living process serves. */
export async function livingGroups(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT DISTINCT unnest(groups) AS name FROM process_heartbeat
     WHERE seen_at > now() - ? * interval '1 millisecond'`,
    [LOST_AFTER_MS],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Deletes the heartbeats of processes that ended long ago without removing theirs. */
export async function pruneHeartbeats(db: Db): Promise<void> {
  await db.raw("DELETE FROM process_heartbeat WHERE seen_at < now() - ? * interval '1 hour'", [PRUNE_AFTER_HOURS]);
}
