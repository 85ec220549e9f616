/** The processes that run, and the room that is left: connections, disk, retention. */
import type { Knex } from 'knex';
import { rowsOf } from './reading.js';

/** As in db/heartbeats.ts: a process whose last heartbeat is older is taken for dead. */
const LOST_AFTER_MS = 6_500;
const MOST_PROCESSES = 500;

export interface Process {
  readonly id: string;
  readonly groups: readonly string[];
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** It was killed, or cannot reach the database. */
  readonly lost: boolean;
}

/** The living processes, and those that were lost within the last day. */
export async function processes(trx: Knex): Promise<readonly Process[]> {
  return rowsOf<Process>(
    trx,
    `SELECT id, groups, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt",
       seen_at < now() - :lostAfter * interval '1 millisecond' AS lost
     FROM process_heartbeat ORDER BY lost, groups, started_at LIMIT :most`,
    { lostAfter: LOST_AFTER_MS, most: MOST_PROCESSES },
  );
}

/** How many living processes serve each group; a group without any is missing. */
export function servedGroups(processes: readonly Process[]): ReadonlyMap<string, number> {
  const groups = new Map<string, number>();
  for (const group of processes.flatMap(({ lost, groups }) => (lost ? [] : groups))) {
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return groups;
}

/** The ids of the living processes. */
export function livingIds(processes: readonly Process[]): ReadonlySet<string> {
  return new Set(processes.flatMap(({ id, lost }) => (lost ? [] : [id])));
}

export interface Room {
  /** Of all databases of the server, and how many of them are ours, by the name that each part gives itself. */
  readonly connections: { readonly used: number; readonly allowed: number; readonly ours: readonly ConnectionCount[] };
  readonly databaseBytes: number;
  /** When the oldest job and the oldest event were accepted that are kept. */
  readonly oldestJobAt: Date | null;
  readonly oldestEventAt: Date | null;
}

interface ConnectionCount {
  readonly name: string;
  readonly connections: number;
}

export async function room(trx: Knex): Promise<Room> {
  const [total] = await rowsOf<Omit<Room, 'connections'> & { used: number; allowed: number }>(
    trx,
    `SELECT (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS allowed,
       pg_database_size(current_database()) AS "databaseBytes",
       (SELECT created_at FROM job ORDER BY id LIMIT 1) AS "oldestJobAt",
       (SELECT triggered_at FROM event ORDER BY id LIMIT 1) AS "oldestEventAt"`,
  );
  const ours = await rowsOf<ConnectionCount>(
    trx,
    `SELECT application_name AS name, count(*)::integer AS connections FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND datname = current_database()
     GROUP BY application_name ORDER BY 2 DESC, 1 LIMIT 20`,
  );
  if (total === undefined) throw new Error('Postgres has answered a statement without a table with no row');
  const { used, allowed, ...rest } = total;
  return { ...rest, connections: { used, allowed, ours } };
}
