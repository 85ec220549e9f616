/** A whole system that can be hurt: Postgres, Redis, one web and two worker processes, each behind lines of its own. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { connectDb, type Db } from '../../db/connection.js';
import { migrateDatabase } from '../../db/migrate.js';
import { startEmbeddedPostgres } from '../../src/launcher/embedded-postgres.js';
import type { EmbeddedPostgres } from '../../src/launcher/postgres/start-server.js';
import { type FaultyLine, openFaultyLine } from '../support/faults/faulty-line.js';
import { mountSmallDisk, type SmallDisk } from '../support/faults/small-disk.js';
import { until } from '../support/until.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { startTestRedis, type TestRedis } from '../support/worlds/test-redis.js';
import { Processes } from './processes.js';
import { type ChaosBackend, type Fault, PROCESSES, type ProcessName, type Server, type StoreKind } from './schedule.js';
import { freeze, moveTables, setRedisFull } from './servers.js';
import { SETTINGS } from './settings.js';
import { type ChaosStore, openChaosStore } from './store.js';

const WITHIN_MS = 60_000;
/** Room for hours: the disk is in memory, and occupies only what is on it. */
const DISK_MEBIBYTES = 8_192;
const KIBIBYTE = 1024;
const INJECT_BUG = `--import ${new URL('inject-bug.js', import.meta.url).href}`;

export interface ClusterOptions {
  readonly backend: ChaosBackend;
  /** Default: a folder. */
  readonly store?: StoreKind | undefined;
  /** The name of a bug of inject-bug.ts that the processes have. */
  readonly inject?: string | undefined;
}

export interface Cluster {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly baseUrl: string;
  readonly redisUrl: string | undefined;
  readonly store: ChaosStore;
  readonly secretsKeys: readonly string[];
  readonly processes: Processes;
  /** Whether the tables have a disk of their own, which can be full. Mounting one needs root. */
  readonly hasDisk: boolean;
  /** Begins a fault. @returns the unfinished files that the processes had open which it killed, by their names in the store */
  begin(fault: Fault): Promise<readonly string[]>;
  /** Ends a fault, and resolves when the part is back; without effect for one that is over. */
  end(fault: Fault): Promise<void>;
  /** Ends all faults, and resolves when every process runs and the API is ready. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws after everything that was started is stopped */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const cluster = new LocalCluster(options);
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

interface Lines {
  readonly postgres: FaultyLine;
  readonly redis: FaultyLine | undefined;
}

class LocalCluster implements Cluster {
  readonly #folder: OpenFolder = makeOpenFolder();
  readonly #lines = new Map<ProcessName, Lines>();
  #postgres: EmbeddedPostgres | undefined;
  #redis: TestRedis | undefined;
  #db: Db | undefined;
  #port = 0;
  #store: ChaosStore | undefined;
  readonly #tables: SmallDisk | undefined = mountSmallDisk(DISK_MEBIBYTES);
  /** What lets the servers go on that are stopped. */
  readonly #thaw = new Map<string, () => void>();
  readonly processes = new Processes({
    logs: join(this.#folder.path, 'logs'),
    environmentOf: (name) => this.#environmentOf(name),
  });

  constructor(readonly options: ClusterOptions) {}

  get db(): Db {
    if (this.#db === undefined) throw new Error('the cluster has not started');
    return this.#db;
  }

  get databaseUrl(): string {
    return this.#postgres?.databaseUrl('longshore') ?? '';
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get redisUrl(): string | undefined {
    return this.#redis?.url;
  }

  get store(): ChaosStore {
    if (this.#store === undefined) throw new Error('the cluster has not started');
    return this.#store;
  }

  get hasDisk(): boolean {
    return this.#tables !== undefined;
  }

  get secretsKeys(): readonly string[] {
    return [SETTINGS.SECRETS_KEY];
  }

  async start(): Promise<void> {
    mkdirSync(join(this.#folder.path, 'logs'));
    this.#store = await openChaosStore(this.options.store ?? 'folder', this.#folder.path);
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#folder.path, 'data') });
    await this.#postgres.createDatabase('longshore');
    if (this.#tables !== undefined) await moveTables(this.#postgres, 'longshore', this.#tables);
    const url = this.#postgres.databaseUrl('longshore');
    await migrateDatabase(url);
    if (this.options.backend === 'redis') this.#redis = await startTestRedis();
    this.#db = connectDb({ url, poolMax: 4, name: 'longshore-chaos' });
    this.#port = await reservePort();
    for (const name of PROCESSES) {
      const redis = this.#redis === undefined ? undefined : await openFaultyLine(this.#redis.url);
      this.#lines.set(name, { postgres: await openFaultyLine(url), redis });
      this.processes.start(name);
    }
    await this.#untilReady();
  }

  async begin(fault: Fault): Promise<readonly string[]> {
    if (isOfStore(fault)) await this.store.begin(fault);
    else if (fault.kind === 'kill' && isProcess(fault.target)) {
      return this.store.filesAmong(this.processes.kill(fault.target));
    } else await this.#break(fault);
    return [];
  }

  async #break(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.#redis?.kill();
      case 'stop':
        return isProcess(fault.target) ? this.processes.freeze(fault.target) : this.#freeze(fault.target);
      case 'restart':
        return this.processes.terminate(fault.target);
      case 'drop':
      case 'delay':
      case 'half-open':
      case 'silent':
        return this.#lineOf(fault.target, fault.server)?.set(fault.kind, 200);
      case 'crash':
        this.#postgres?.process.kill('SIGQUIT');
        return;
      case 'flush':
        return this.#flush();
      case 'full':
        if (fault.target === 'redis') return setRedisFull(this.#redis?.url ?? '', true);
        if ('spareKib' in fault) return this.#tables?.fill(fault.spareKib * KIBIBYTE);
    }
  }

  async end(fault: Fault): Promise<void> {
    if (isOfStore(fault)) return this.store.end(fault);
    switch (fault.kind) {
      case 'kill':
        if (isProcess(fault.target)) return this.processes.startAgain(fault.target);
        return this.#redis?.restart();
      case 'stop':
        return isProcess(fault.target) ? this.processes.thaw(fault.target) : this.#thaw.get(fault.target)?.();
      case 'restart':
        return this.processes.startAgain(fault.target);
      case 'drop':
      case 'delay':
      case 'half-open':
      case 'silent':
        return this.#lineOf(fault.target, fault.server)?.set('pass');
      case 'full':
        if (fault.target === 'redis') return setRedisFull(this.#redis?.url ?? '', false);
        return this.#tables?.free();
      case 'crash':
        // The end of the run waits for it, and says so if it does not come back.
        await until('Postgres has recovered', () => this.#answers(), WITHIN_MS).catch(() => undefined);
        return;
      case 'flush':
        return;
    }
  }

  async heal(): Promise<void> {
    await this.store.heal();
    this.#tables?.free();
    for (const thaw of this.#thaw.values()) thaw();
    if (this.#redis !== undefined) await setRedisFull(this.#redis.url, false);
    for (const { postgres, redis } of this.#lines.values()) {
      postgres.set('pass');
      redis?.set('pass');
    }
    await this.processes.heal();
    await this.#untilReady();
  }

  async stop(): Promise<void> {
    await this.processes.stop();
    for (const { postgres, redis } of this.#lines.values()) {
      await postgres.close();
      await redis?.close();
    }
    for (const thaw of this.#thaw.values()) thaw();
    await this.#db?.destroy();
    await this.#postgres?.stop(0);
    await this.#redis?.stop();
    this.#tables?.remove();
    await this.#store?.stop();
    this.#folder.remove();
  }

  #environmentOf(name: ProcessName): Record<string, string> {
    const { postgres, redis } = this.#lines.get(name) ?? {};
    const { PATH = '', HOME = '', TMPDIR } = process.env;
    const { inject } = this.options;
    return {
      ...{ PATH, HOME, ...SETTINGS, HOST: '127.0.0.1', PORT: String(this.#port), PUBLIC_URL: this.baseUrl },
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      DATABASE_URL: postgres?.url ?? '',
      ...this.store.environmentOf(name),
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      ...(inject === undefined ? {} : { NODE_OPTIONS: INJECT_BUG, LONGSHORE_TEST_FAULT: inject }),
    };
  }

  #lineOf(name: ProcessName, server: Server): FaultyLine | undefined {
    return server === 's3' ? undefined : this.#lines.get(name)?.[server];
  }

  #answers(): Promise<boolean> {
    return this.db.raw('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  #freeze(server: Fault['target']): void {
    const pid = server === 'postgres' ? this.#postgres?.process.pid : this.#redis?.pid();
    if (pid !== undefined) this.#thaw.set(server, freeze(pid));
  }

  async #flush(): Promise<void> {
    if (this.#redis === undefined) return;
    const redis = new Redis(this.#redis.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    // A Redis that is down holds nothing that could be emptied.
    await redis.flushall().catch(() => undefined);
    redis.disconnect();
  }

  async #untilReady(): Promise<void> {
    const isReady = async () => {
      const answer = await fetch(`${this.baseUrl}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      const body = answer?.ok === true ? ((await answer.json()) as { status: string }) : undefined;
      return body?.status === 'ok';
    };
    await until('the API says that it is ready', isReady, WITHIN_MS);
    await until('every process runs', () => this.processes.areRunning, WITHIN_MS);
  }
}

function isProcess(target: Fault['target']): target is ProcessName {
  return (PROCESSES as readonly string[]).includes(target);
}

/** Whether a fault is one of the file store or of the ways to it. */
function isOfStore(fault: Fault): boolean {
  return fault.target === 'store' || fault.target === 's3' || ('server' in fault && fault.server === 's3');
}
