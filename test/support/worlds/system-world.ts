/** A whole system of real processes on a database of its own: accounts that use it, a look behind it, and ways to hurt it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectDb, type Db } from '../../../db/connection.js';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { type RunningSystem, type SystemOptions, startSystem } from '../../../src/launcher/system.js';
import { Shop } from '../http/shop.js';
import { makeOpenFolder } from './open-folder.js';
import { createTestDatabase } from './test-database.js';

/** Locks and polls so short that the work of a killed worker is taken up within a second or two. */
export const SHORT_LOCKS = {
  WORKER_LOCK_MS: '2000',
  WORKER_STALLED_MS: '500',
  RECONCILE_MS: '250',
  RECONCILE_GRACE_MS: '1500',
} as const;

export interface SystemWorld {
  readonly db: Db;
  readonly system: RunningSystem;
  /** Ends the processes and starts others, on the same database. */
  restart(options: SystemWorldOptions): Promise<void>;
  /** Another account, with nothing in it. */
  newShop(): Promise<Shop>;
  /** The pid of a process that runs. @throws when it is down */
  pidOf(name: string): number;
  /** Names of the worker processes. */
  workers(): string[];
  /** What a process has logged so far. */
  logOf(name: string): string;
  stop(): Promise<void>;
}

export interface SystemWorldOptions {
  readonly workers?: number;
  readonly redisUrl?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** To be stopped in `after`. */
export async function startSystemWorld(options: SystemWorldOptions = {}): Promise<SystemWorld> {
  const database = await createTestDatabase();
  const folder = makeOpenFolder();
  const dataDir = join(folder.path, 'data');
  const start = ({ workers = 1, redisUrl, env }: SystemWorldOptions): Promise<RunningSystem> => {
    const system: SystemOptions = { dataDir, databaseUrl: database.url, redisUrl, workers };
    return startSystem({ ...system, env: { ...SHORT_LOCKS, LOG_LEVEL: 'warn', ...env } });
  };
  let system = await start(options);
  const db = connectDb({ url: database.url, poolMax: 4, name: 'longshore-test' });
  return {
    db,
    get system() {
      return system;
    },
    restart: async (next) => {
      await system.stop();
      system = await start(next);
    },
    newShop: async () => {
      const { id } = await createAccount(db, { name: 'test' });
      const { token } = await createToken(db, { accountId: id, name: 'test' });
      const api = { fetch: (path: string, init?: RequestInit) => fetch(`${system.baseUrl}${path}`, init) };
      return new Shop(api, id, token, await resolveSite(db, id, 'production'));
    },
    pidOf: (name) => {
      const pid = system.processes.find((process) => process.name === name)?.pid;
      if (pid === undefined) throw new Error(`the process ${name} is down`);
      return pid;
    },
    workers: () => system.processes.map(({ name }) => name).filter((name) => name.startsWith('worker')),
    logOf: (name) => readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8'),
    stop: async () => {
      await system.stop();
      await db.destroy();
      await database.drop();
      folder.remove();
    },
  };
}
