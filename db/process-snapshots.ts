/** What processes have measured, in `process_snapshot`: each writes its own every few seconds, and any may read all. */
import type { Db } from './connection.js';
import { LOST_AFTER_MS } from './heartbeats.js';

/** How often a process writes its snapshot. */
const EVERY_MS = 5_000;
/** Its snapshot is removed when it has not been written for so long. */
const PRUNE_AFTER_HOURS = 1;
/** The row of what was measured of the system as a whole. */
const SYSTEM = 'system';

/** What a process has measured. */
interface Snapshot {
  /** As a JSON text. */
  readonly metrics: string;
  /** For computing with. JSON. */
  readonly facts: unknown;
}

interface ProcessSnapshot extends Snapshot {
  /** The id of its heartbeat. */
  readonly id: string;
  readonly groups: readonly string[];
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

interface SystemSnapshot extends Snapshot {
  readonly ageSeconds: number;
}

interface LivingSnapshots {
  readonly processes: readonly ProcessSnapshot[];
  /** Null: no process has led the maintenance yet. */
  readonly system: SystemSnapshot | null;
}

/**
 * Writes the snapshot of a process now, and every five seconds.
 * @param id that of its heartbeat
 * @param onError called with each failure; the next snapshot is written all the same
 * @returns a function that ends it, and resolves when nothing more is written
 */
export function publishSnapshots(
  db: Db,
  id: string,
  take: () => Promise<Snapshot>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    writing = take()
      .then((snapshot) => writeSnapshot(db, id, snapshot))
      .catch(onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(write, EVERY_MS).unref();
      });
  };
  write();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await writing;
  };
}

/** Writes what the leader has measured of the system as a whole. */
export function writeSystemSnapshot(db: Db, snapshot: Snapshot): Promise<void> {
  return writeSnapshot(db, SYSTEM, snapshot);
}

async function writeSnapshot(db: Db, id: string, { metrics, facts }: Snapshot): Promise<void> {
  await db.raw(
    `INSERT INTO process_snapshot (id, metrics, facts) VALUES (?, ?, ?::jsonb)
     ON CONFLICT (id) DO UPDATE SET metrics = excluded.metrics, facts = excluded.facts, written_at = now()`,
    [id, metrics, JSON.stringify(facts)],
  );
}

/** Reads the snapshots of all processes that live, and that of the system. */
export async function readSnapshots(db: Db): Promise<LivingSnapshots> {
  const { rows } = await db.raw<{ rows: (ProcessSnapshot & { age: number })[] }>(
    `SELECT snapshot.id, metrics, facts, groups, host, pid, version,
       extract(epoch FROM now() - written_at)::float8 AS age
     FROM process_snapshot AS snapshot
     LEFT JOIN process_heartbeat AS beat ON beat.id = snapshot.id AND seen_at > now() - :lost * interval '1 millisecond'
     WHERE beat.id IS NOT NULL OR snapshot.id = :system
     ORDER BY started_at, snapshot.id`,
    { lost: LOST_AFTER_MS, system: SYSTEM },
  );
  const found = rows.find(({ id }) => id === SYSTEM);
  return {
    processes: rows.filter(({ id }) => id !== SYSTEM),
    system: found === undefined ? null : { metrics: found.metrics, facts: found.facts, ageSeconds: found.age },
  };
}

/** Reads what was measured of the system as a whole in the last `seconds`, for computing with; null: nothing was. */
export async function readSystemFacts(db: Db, seconds: number): Promise<unknown> {
  const { rows } = await db.raw<{ rows: { facts: unknown }[] }>(
    "SELECT facts FROM process_snapshot WHERE id = ? AND written_at > now() - ? * interval '1 second'",
    [SYSTEM, seconds],
  );
  return rows[0]?.facts ?? null;
}

/** Deletes the snapshots of processes that have ended. */
export async function pruneSnapshotsOfProcesses(db: Db): Promise<void> {
  await db.raw("DELETE FROM process_snapshot WHERE written_at < now() - ? * interval '1 hour'", [PRUNE_AFTER_HOURS]);
}
