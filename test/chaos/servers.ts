/** Faults of the servers beside the processes: what stops them for a while, and what fills them up. */
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/launcher/postgres/start-server.js';
import type { SmallDisk } from '../support/faults/small-disk.js';
import { childrenOf } from './processes.js';

/** Stops a server and all of its processes, as when its host is suspended. @returns lets them go on */
export function freeze(pid: number): () => void {
  // The main process first: it starts no other one between the look and the signal.
  send(pid, 'SIGSTOP');
  const all = [...childrenOf(pid), pid];
  for (const one of all) send(one, 'SIGSTOP');
  return () => {
    for (const one of all) send(one, 'SIGCONT');
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Less than an empty Redis uses. */
const NO_MEMORY = '1mb';
const ALL_MEMORY = '0';

/** Lets Redis refuse everything that needs memory, or not any more. */
export async function setRedisFull(url: string, isFull: boolean): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => undefined);
  // One that is down has all its memory when it comes back.
  await redis.config('SET', 'maxmemory', isFull ? NO_MEMORY : ALL_MEMORY).catch(() => undefined);
  redis.disconnect();
}

/**
 * Puts the tables of a new database on a disk of their own. Its log stays where it is: if that could not be written,
 * Postgres would stop at once, which is another fault.
 */
export async function moveTables(postgres: EmbeddedPostgres, database: string, disk: SmallDisk): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.databaseUrl('postgres') });
  await client.connect();
  try {
    const { rows } = await client.query<{ data: string }>(`SELECT current_setting('data_directory') AS data`);
    const { uid, gid } = statSync(rows[0]?.data ?? '');
    const folder = join(disk.path, 'tables');
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, uid, gid);
    chmodSync(disk.path, 0o711);
    await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
    await client.query(`ALTER DATABASE ${database} SET TABLESPACE small`);
  } finally {
    await client.end();
  }
}
