/** A whole system that can be hurt: Postgres, Redis, one web and two worker processes, each behind lines of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { connectDb, type Db } from '../../db/connection.js';
import { migrateDatabase } from '../../db/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/launcher/embedded-postgres.js';
import { freePort } from '../../src/launcher/free-port.js';
import { spawnNode } from '../../src/launcher/node-process.js';
import { type FaultyLine, openFaultyLine } from '../support/faults/faulty-line.js';
import { until } from '../support/until.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startTestRedis, type TestRedis } from '../support/worlds/test-redis.js';
import { type ChaosBackend, type Fault, PROCESSES, type ProcessName } from './schedule.js';

/** Locks and schedules so short that a run of a minute sees all of them expire. */
const SETTINGS = {
  SECRETS_KEY: 'a-key-for-chaos-only-of-enough-characters',
  LOG_LEVEL: 'info',
  WORKER_LOCK_MS: '2000',
  WORKER_STALLED_MS: '500',
  RECONCILE_MS: '250',
  RECONCILE_GRACE_MS: '1500',
  // Small files have many chunks.
  WORKER_CHUNK_ROWS: '12',
  SHUTDOWN_GRACE_MS: '6000',
  DATABASE_SILENCE_MS: '2000',
  WEBHOOK_SCHEDULE_SECONDS: '0,0.5,0.5,1,1',
  WEBHOOK_BREAKER_SECONDS: '1',
  WEBHOOK_TIMEOUT_SECONDS: '15',
} as const;

/** Between the unexpected end of a process and its next start. */
const RESTART_MS = 300;
const WITHIN_MS = 60_000;
/** A process that is asked to end does so within its grace period, and some seconds for a busy machine. */
const END_WITHIN_MS = 20_000;
/** Levels of pino: error and fatal. */
const ERROR = /"level":[56]0/;
const ERRORS_OF_A_PROCESS = 4;
const ERROR_CHARACTERS = 400;
const INJECT_BUG = fileURLToPath(new URL('inject-bug.js', import.meta.url));

export interface ClusterOptions {
  readonly backend: ChaosBackend;
  /** The name of a bug of inject-bug.ts that the processes have. */
  readonly inject?: string | undefined;
}

export interface Cluster {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly baseUrl: string;
  readonly redisUrl: string | undefined;
  /** The folder of the file store. */
  readonly store: string;
  readonly secretsKeys: readonly string[];
  /** Begins a fault. */
  begin(fault: Fault): Promise<void>;
  /** Ends a fault; without effect for one that is over. */
  end(fault: Fault): Promise<void>;
  /** Ends all faults, and resolves when every process runs and the API is ready. */
  heal(): Promise<void>;
  /** What the processes have open: a name for each file and socket. Empty where the system does not say. */
  openFiles(): ReadonlyMap<ProcessName, readonly string[]>;
  /** Processes that ended without a fault that ends them: what they wrote last is in their logs. */
  readonly unexpectedEnds: readonly { readonly process: ProcessName; readonly how: string; readonly at: number }[];
  /** What the processes did that no fault excuses, such as not to end when they were asked to. */
  readonly problems: readonly string[];
  /** The last errors in the logs of the processes. */
  lastErrors(): string[];
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
  readonly #children = new Map<ProcessName, ChildProcess>();
  /** Processes that a fault keeps from running. */
  readonly #down = new Set<ProcessName>();
  readonly #stopped = new Set<ProcessName>();
  #postgres: EmbeddedPostgres | undefined;
  #redis: TestRedis | undefined;
  #db: Db | undefined;
  #port = 0;
  #isEnding = false;
  #storeIsAway = false;
  readonly unexpectedEnds: { process: ProcessName; how: string; at: number }[] = [];
  readonly problems: string[] = [];

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

  get store(): string {
    return join(this.#folder.path, 'files');
  }

  get secretsKeys(): readonly string[] {
    return [SETTINGS.SECRETS_KEY];
  }

  async start(): Promise<void> {
    mkdirSync(this.store);
    mkdirSync(join(this.#folder.path, 'logs'));
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#folder.path, 'data') });
    await this.#postgres.createDatabase('longshore');
    const url = this.#postgres.databaseUrl('longshore');
    await migrateDatabase(url);
    if (this.options.backend === 'redis') this.#redis = await startTestRedis();
    this.#db = connectDb({ url, poolMax: 4, name: 'longshore-chaos' });
    this.#port = await freePort();
    for (const name of PROCESSES) {
      const redis = this.#redis === undefined ? undefined : await openFaultyLine(this.#redis.url);
      this.#lines.set(name, { postgres: await openFaultyLine(url), redis });
      this.#spawn(name);
    }
    await this.#untilReady();
  }

  async begin(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        if (fault.target === 'redis') return this.#redis?.kill();
        this.#down.add(fault.target);
        this.#signal(fault.target, 'SIGKILL');
        return;
      case 'stop':
        this.#stopped.add(fault.target);
        this.#signal(fault.target, 'SIGSTOP');
        return;
      case 'restart':
        this.#down.add(fault.target);
        this.#signal(fault.target, 'SIGTERM');
        return;
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
      case 'away':
        return this.#hideStore();
    }
  }

  async end(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        if (fault.target === 'redis') return this.#redis?.restart();
        return this.#startAgain(fault.target);
      case 'stop':
        this.#stopped.delete(fault.target);
        this.#signal(fault.target, 'SIGCONT');
        return;
      case 'restart':
        return this.#startAgain(fault.target);
      case 'drop':
      case 'delay':
      case 'half-open':
      case 'silent':
        return this.#lineOf(fault.target, fault.server)?.set('pass');
      case 'away':
        return this.#showStore();
      case 'crash':
      case 'flush':
        return;
    }
  }

  async heal(): Promise<void> {
    this.#showStore();
    for (const { postgres, redis } of this.#lines.values()) {
      postgres.set('pass');
      redis?.set('pass');
    }
    for (const name of this.#stopped) this.#signal(name, 'SIGCONT');
    this.#stopped.clear();
    for (const name of [...this.#down]) await this.#startAgain(name);
    await this.#untilReady();
  }

  openFiles(): ReadonlyMap<ProcessName, readonly string[]> {
    return new Map([...this.#children].map(([name, { pid }]) => [name, filesOf(pid)]));
  }

  lastErrors(): string[] {
    return PROCESSES.flatMap((name) => {
      const lines = readFileSync(this.#logOf(name), 'utf8').split('\n');
      const errors = lines.filter((line) => ERROR.test(line)).slice(-ERRORS_OF_A_PROCESS);
      return errors.map((line) => `${name}: ${line.slice(0, ERROR_CHARACTERS)}`);
    });
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    for (const [name, child] of this.#children) {
      if (!isAlive(child)) continue;
      const ended = once(child, 'exit');
      this.#signal(name, 'SIGKILL');
      await ended;
    }
    for (const { postgres, redis } of this.#lines.values()) {
      await postgres.close();
      await redis?.close();
    }
    await this.#db?.destroy();
    await this.#postgres?.stop(0);
    await this.#redis?.stop();
    this.#folder.remove();
  }

  #spawn(name: ProcessName): void {
    const { postgres, redis } = this.#lines.get(name) ?? {};
    const { PATH = '', HOME = '', TMPDIR } = process.env;
    const child = spawnNode({
      name,
      program: name === 'web' ? 'web' : 'worker',
      environment: {
        ...{ PATH, HOME, ...SETTINGS, HOST: '127.0.0.1', PORT: String(this.#port), PUBLIC_URL: this.baseUrl },
        ...(TMPDIR === undefined ? {} : { TMPDIR }),
        DATABASE_URL: postgres?.url ?? '',
        STORAGE_URL: pathToFileURL(this.store).href,
        ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
        ...this.#injected(),
      },
      logFile: this.#logOf(name),
    });
    this.#children.set(name, child);
    child.once('exit', (code, signal) => this.#ended(name, signal ?? `code ${code}`));
  }

  #logOf(name: ProcessName): string {
    return join(this.#folder.path, 'logs', `${name}.log`);
  }

  #injected(): Record<string, string> {
    const { inject } = this.options;
    if (inject === undefined) return {};
    return { NODE_OPTIONS: `--import ${pathToFileURL(INJECT_BUG).href}`, LONGSHORE_TEST_FAULT: inject };
  }

  #ended(name: ProcessName, how: string): void {
    if (this.#isEnding || this.#down.has(name)) return;
    this.unexpectedEnds.push({ process: name, how, at: Date.now() });
    setTimeout(() => {
      const child = this.#children.get(name);
      if (!this.#isEnding && !this.#down.has(name) && child !== undefined && !isAlive(child)) this.#spawn(name);
    }, RESTART_MS).unref();
  }

  /** Starts a process that a fault has ended, when it has ended. */
  async #startAgain(name: ProcessName): Promise<void> {
    if (!this.#down.has(name)) return;
    const child = this.#children.get(name);
    if (child !== undefined && isAlive(child)) await this.#untilEnded(name, child);
    // Another fault may have started it meanwhile.
    if (this.#isEnding || !this.#down.delete(name)) return;
    this.#spawn(name);
  }

  async #untilEnded(name: ProcessName, child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    const lastResort = setTimeout(() => {
      this.problems.push(`${name} did not end within ${END_WITHIN_MS / 1000} s of SIGTERM`);
      child.kill('SIGKILL');
    }, END_WITHIN_MS);
    await ended;
    clearTimeout(lastResort);
  }

  #signal(name: ProcessName, signal: NodeJS.Signals): void {
    this.#children.get(name)?.kill(signal);
  }

  #lineOf(name: ProcessName, server: 'postgres' | 'redis'): FaultyLine | undefined {
    return this.#lines.get(name)?.[server];
  }

  async #flush(): Promise<void> {
    if (this.#redis === undefined) return;
    const redis = new Redis(this.#redis.url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    // A Redis that is down holds nothing that could be emptied.
    await redis.flushall().catch(() => undefined);
    redis.disconnect();
  }

  /** A file in the place of the folder: nothing in it can be read, and nothing be written. */
  #hideStore(): void {
    if (this.#storeIsAway) return;
    this.#storeIsAway = true;
    renameSync(this.store, `${this.store}.away`);
    writeFileSync(this.store, '');
  }

  #showStore(): void {
    if (!this.#storeIsAway) return;
    this.#storeIsAway = false;
    rmSync(this.store, { force: true });
    renameSync(`${this.store}.away`, this.store);
  }

  async #untilReady(): Promise<void> {
    const isReady = async () => {
      const answer = await fetch(`${this.baseUrl}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      const body = answer?.ok === true ? ((await answer.json()) as { status: string }) : undefined;
      return body?.status === 'ok';
    };
    await until('the API says that it is ready', isReady, WITHIN_MS);
    const running = () => [...this.#children.values()].every(isAlive);
    await until('every process runs', running, WITHIN_MS);
  }
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

function filesOf(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => {
      try {
        return [readlinkSync(join(folder, fd))];
      } catch {
        // Closed between the list and this look.
        return [];
      }
    });
  } catch {
    return [];
  }
}
