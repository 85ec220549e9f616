/** The heartbeats of processes in `process_heartbeat`. All times are those of the database, so clocks may differ. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { arrayText } from './array-text.js';
import type { Db } from './connection.js';
import { isRunning, pidNamespace } from './pid-namespace.js';

/** How often a process writes its heartbeat. */
const EVERY_MS = 2_000;
/** A process whose last heartbeat is older than this is taken for dead: it has missed three. */
export const LOST_AFTER_MS = 6_500;
/** Rows of processes that were killed are kept for so long, for those who look for them. */
const PRUNE_AFTER_HOURS = 24;

/** The others know of a process when they have written their next heartbeats. */
const KNOWN_AFTER_MS = EVERY_MS + 500;
/** A process takes less of what is shared before the others take it for dead. */
const MISSING_AFTER_MS = LOST_AFTER_MS - EVERY_MS;

/** What a process has written with its heartbeat. */
interface Beat {
  readonly id: string;
  readonly groups: readonly string[];
  readonly pid: number;
  readonly pidNamespace: string | null;
}

/** The heartbeat of one process, by which living processes share limits. */
export class Heartbeat {
  /** Names the process, also where it writes other things about itself. */
  readonly id = randomUUID();
  readonly #db: Db;
  readonly #groups: readonly string[];
  readonly #version: string;
  readonly #pidNamespace = pidNamespace();
  /** By group of this process: the ids of all living processes that serve it, in order. */
  readonly #members = new Map<string, readonly string[]>();
  /** When it wrote its last heartbeat, and from when on the others know of it. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #knownFrom: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param groups the groups of work that the process serves, such as `bulk`; `web` for an API process */
  constructor(db: Db, groups: readonly string[], version: string) {
    this.#db = db;
    this.#groups = groups;
    this.#version = version;
  }

  /** Writes the heartbeat once, and reads those of others. @throws the error of the database */
  async beat(): Promise<void> {
    const at = performance.now();
    const { rows } = await this.#db.raw<{ rows: Beat[] }>(
      `WITH beat AS (
         INSERT INTO process_heartbeat (id, groups, host, pid, pid_namespace, version) VALUES (?, ?::text[], ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET seen_at = now())
       SELECT id, groups, pid, pid_namespace AS "pidNamespace" FROM process_heartbeat
       WHERE seen_at > now() - ? * interval '1 millisecond'`,
      [this.id, arrayText(this.#groups), hostname(), process.pid, this.#pidNamespace, this.#version, LOST_AFTER_MS],
    );
    const others = rows.filter((beat) => beat.id !== this.id && !this.#hasEnded(beat));
    for (const group of this.#groups) {
      const ids = others.filter(({ groups }) => groups.includes(group)).map(({ id }) => id);
      this.#members.set(group, [...ids, this.id].sort());
    }
    this.#writtenAt = at;
    this.#knownFrom ??= others.length === 0 ? at : performance.now() + KNOWN_AFTER_MS;
  }

  /**
   * Whether a process has ended, although its heartbeat is recent: most often one that was killed on this machine, in whose
   * place this one was started. Of processes elsewhere this is not known.
   */
  #hasEnded({ pid, pidNamespace }: Beat): boolean {
    return pidNamespace !== null && pidNamespace === this.#pidNamespace && !isRunning(pid);
  }

  /** How many living processes serve a group of this one. */
  membersOf(group: string): number {
    return this.#members.get(group)?.length ?? 1;
  }

  /**
   * Returns the share that this process has of a limit for all living processes of a group together, at least 1. Which of
   * them have one more, if it cannot be divided, differs from key to key. A process that the others may not know yet, or
   * no longer, has 1. So the limit is exceeded by at most 1 for each process that begins, and if there are more processes
   * than the limit allows.
   */
  shareOf(group: string, limit: number, key: string): number {
    const members = this.#members.get(group);
    if (members === undefined || this.#knownFrom === undefined) return 1;
    const count = members.length;
    const now = performance.now();
    if (now - this.#writtenAt >= MISSING_AFTER_MS) return 1;
    if (count === 1) return limit;
    if (now < this.#knownFrom) return 1;
    const place = (members.indexOf(this.id) + numberOf(key)) % count;
    return Math.max(1, Math.floor(limit / count) + (place < limit % count ? 1 : 0));
  }

  /**
   * Writes the heartbeat every two seconds until `stop`.
   * @param onError called with each failure
   * @param onBeat called after each success
   */
  start(onError: (error: unknown) => void, onBeat: () => void = () => undefined): void {
    this.#beating = this.beat().then(onBeat).catch(onError);
    this.#beating.finally(() => {
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(onError, onBeat), EVERY_MS).unref();
    });
  }

  /** Removes the heartbeat: the process accepts no more work. @throws the error of the database */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#beating;
    await this.#db('process_heartbeat').where({ id: this.id }).delete();
  }
}

/** A number that is the same for a text in all processes. */
function numberOf(text: string): number {
  let number = 0;
  for (let at = 0; at < text.length; at++) number = (number * 31 + text.charCodeAt(at)) >>> 0;
  return number;
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

/** The living processes that serve a group of work, the oldest first. */
export async function livingProcesses(
  db: Db,
  group: string,
): Promise<readonly { id: string; host: string; pid: number; ageSeconds: number }[]> {
  const { rows } = await db.raw<{ rows: { id: string; host: string; pid: number; ageSeconds: number }[] }>(
    `SELECT id, host, pid, extract(epoch FROM now() - started_at)::integer AS "ageSeconds" FROM process_heartbeat
     WHERE seen_at > now() - ? * interval '1 millisecond' AND ? = ANY (groups) ORDER BY started_at`,
    [LOST_AFTER_MS, group],
  );
  return rows;
}

/** The ids of processes that ended within the last hour without removing their heartbeat: most often they were killed. */
export async function lostProcesses(db: Db): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM process_heartbeat
     WHERE seen_at BETWEEN now() - interval '1 hour' AND now() - ? * interval '1 millisecond'`,
    [LOST_AFTER_MS],
  );
  return rows.map(({ id }) => id);
}

/** A process, as its heartbeat says. */
interface SeenProcess {
  readonly groups: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Whether it has written its heartbeat in time. */
  readonly isLiving: boolean;
}

/** The processes of the last day: those that live, and those that ended without removing their heartbeat. */
export async function seenProcesses(db: Db): Promise<readonly SeenProcess[]> {
  const { rows } = await db.raw<{ rows: SeenProcess[] }>(
    `SELECT array_to_string(groups, ' ') AS groups, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt",
       seen_at > now() - ? * interval '1 millisecond' AS "isLiving"
     FROM process_heartbeat ORDER BY 7 DESC, host, groups, pid`,
    [LOST_AFTER_MS],
  );
  return rows;
}

/** Deletes the heartbeats of processes that ended long ago without removing theirs. */
export async function pruneHeartbeats(db: Db): Promise<void> {
  await db.raw("DELETE FROM process_heartbeat WHERE seen_at < now() - ? * interval '1 hour'", [PRUNE_AFTER_HOURS]);
}
