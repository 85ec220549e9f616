/** Runs a whole Longshore on this machine: database, migrations, API and workers, started and stopped together. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { plainEnvironment } from '../config/launcher-config.js';
import type { Listening } from '../platform/listening.js';
import { type Credentials, keepCredentials } from './credentials.js';
import { lockDataDir, openDataDir } from './data-dir.js';
import type { HeldLock } from './data-dir-lock.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { requireFreePort } from './free-port.js';
import { keptSecretsKey } from './kept-secrets-key.js';
import { type LogSink, spawnNode } from './node-process.js';
import type { EmbeddedPostgres } from './postgres/start-server.js';
import { writePrivateJson } from './private-json.js';
import { runRelease } from './run-release.js';
import { SupervisedProcess } from './supervised-process.js';
import { waitUntilReady } from './wait-until-ready.js';

/** Everything ends within 10 s: the processes have 8 s, the database has the rest. */
const STOP_WITHIN_MS = 9_700;
const PROCESS_GRACE_MS = 8_000;
/** The grace period of the processes, shorter so that they hand their work back before they are killed. */
const DRAIN_MS = 6_000;

export interface SystemOptions {
  readonly dataDir: string;
  /** For root only: whether the database may be elsewhere if its user cannot enter `dataDir`. Default: no. */
  readonly mayMove?: boolean | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 (the default): any free port. */
  readonly port?: number | undefined;
  /** How many worker processes, each with all queue groups. Default: 1. */
  readonly workers?: number | undefined;
  /** Undefined: an embedded Postgres. */
  readonly databaseUrl?: string | undefined;
  /** Undefined: the queues are in Postgres. */
  readonly redisUrl?: string | undefined;
  /** Environment variables for the processes. They override those that this module sets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables that the processes inherit. Default: general ones such as PATH, but none of Longshore's own. */
  readonly inherit?: Readonly<Record<string, string>> | undefined;
  /** Whether a process that ends unexpectedly is started again. Default: yes. */
  readonly restart?: boolean | undefined;
  /** Whether the embedded database survives a crash of the machine. Default: yes. */
  readonly durable?: boolean | undefined;
  /** Called with messages for people. */
  readonly say?: ((line: string) => void) | undefined;
  /** Called with the output of the processes, instead of writing it to `$DATA_DIR/logs/`. */
  readonly logSink?: LogSink | undefined;
}

export interface RunningSystem {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly databaseUrl: string;
  /** `web`, `worker` (`worker-1`, … if there are several), `postgres`. pid is undefined while a process is down. */
  readonly processes: readonly { readonly name: string; readonly pid: number | undefined }[];
  /** Sends a signal to one process. @throws when there is none of this name */
  kill(name: string, signal: NodeJS.Signals): void;
  /** Stops everything in order, within 10 s. */
  stop(): Promise<void>;
}

/** Starts a whole system. @throws LaunchError, after everything that was started has been stopped */
export async function startSystem(options: SystemOptions): Promise<RunningSystem> {
  const system = new System(options);
  await system.start();
  return system;
}

export class System implements RunningSystem {
  readonly #options: SystemOptions;
  readonly #abort = new AbortController();
  readonly #nodes: SupervisedProcess[] = [];
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #lock: HeldLock | undefined;
  #postgres: EmbeddedPostgres | undefined;
  #credentials: Credentials | undefined;
  #databaseUrl = '';
  #runtimeFile: string | undefined;
  /** 0 until the API says which one it got. */
  #port: number;

  constructor(options: SystemOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  get credentials(): Credentials {
    if (this.#credentials === undefined) throw new Error('the system has not started');
    return this.#credentials;
  }

  get baseUrl(): string {
    return this.credentials.baseUrl;
  }

  get databaseUrl(): string {
    return this.#databaseUrl;
  }

  get processes(): { name: string; pid: number | undefined }[] {
    return this.#all().map(({ name, pid }) => ({ name, pid }));
  }

  /** Resolves when the API is ready. @throws LaunchError, or the reason of the abort when stopped meanwhile */
  async start(): Promise<void> {
    this.#starting = this.#start();
    try {
      await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  kill(name: string, signal: NodeJS.Signals): void {
    const found = this.#all().find((process) => process.name === name);
    if (found === undefined) throw new Error(`there is no process "${name}"`);
    found.kill(signal);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Kills the processes without waiting. The database is stopped in order by its guard when this process has ended. */
  killNow(): void {
    for (const node of this.#nodes) node.kill('SIGKILL');
  }

  async #start(): Promise<void> {
    const { host = '127.0.0.1', say = () => undefined, restart = true } = this.#options;
    const dataDir = openDataDir(this.#options.dataDir);
    this.#lock = lockDataDir(dataDir, 'launcher.lock');
    if (this.#port !== 0) await requireFreePort(host, this.#port);
    this.#databaseUrl = this.#options.databaseUrl ?? (await this.#startPostgres(dataDir));
    // `npm run admin` reads the URL of the database from this file while the system runs.
    this.#runtimeFile = join(dataDir, 'runtime.json');
    writePrivateJson(this.#runtimeFile, { databaseUrl: this.#databaseUrl, pid: process.pid });
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    const environment = () => this.#environment(dataDir, host);
    const { logSink } = this.#options;
    await runRelease({
      environment: environment(),
      logFile: join(logs, 'release.log'),
      logSink,
      signal: this.#abort.signal,
    });
    for (const { name, program } of this.#plan()) {
      const logFile = join(logs, `${name}.log`);
      const spawn = () => {
        const child = spawnNode({ name, program, environment: environment(), logFile, logSink });
        // It is started again on the port that it got, since its address is known by then.
        child.on('message', ({ port }: Listening) => {
          this.#port = port;
        });
        return child;
      };
      this.#abort.signal.throwIfAborted();
      const node = new SupervisedProcess({ name, spawn, say, restart });
      this.#nodes.push(node);
      await node.start();
    }
    await waitUntilReady(() => this.#address(host), this.#nodes, { logs, signal: this.#abort.signal });
    const baseUrl = this.#address(host) ?? '';
    this.#credentials = await keepCredentials(this.#databaseUrl, dataDir, baseUrl);
    writePrivateJson(this.#runtimeFile, { databaseUrl: this.#databaseUrl, baseUrl, pid: process.pid });
  }

  /** Undefined until the port is known. */
  #address(host: string): string | undefined {
    return this.#port === 0 ? undefined : `http://${reachableHost(host)}:${this.#port}`;
  }

  async #startPostgres(dataDir: string): Promise<string> {
    const { mayMove, durable, restart, say } = this.#options;
    const { signal } = this.#abort;
    this.#postgres = await startEmbeddedPostgres({ dataDir, mayMove, durable, restart, say, signal });
    await this.#postgres.createDatabase('longshore');
    return this.#postgres.databaseUrl('longshore');
  }

  #environment(dataDir: string, host: string): Record<string, string> {
    const address = this.#address(host);
    const inherited = this.#options.inherit ?? plainEnvironment();
    const { redisUrl, env } = this.#options;
    return {
      // Without it, the API names the address at which it listens.
      ...(address === undefined ? {} : { PUBLIC_URL: address }),
      SHUTDOWN_GRACE_MS: String(DRAIN_MS),
      SECRETS_KEY: inherited.SECRETS_KEY ?? keptSecretsKey(dataDir),
      ...inherited,
      ...{ DATABASE_URL: this.#databaseUrl, DATA_DIR: dataDir, HOST: host, PORT: String(this.#port) },
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      ...env,
    };
  }

  #plan(): { name: string; program: 'web' | 'worker' }[] {
    const { workers = 1 } = this.#options;
    const names = Array.from({ length: workers }, (_, index) => (workers === 1 ? 'worker' : `worker-${index + 1}`));
    return [{ name: 'web', program: 'web' }, ...names.map((name) => ({ name, program: 'worker' as const }))];
  }

  #all(): SupervisedProcess[] {
    return [...this.#nodes, ...(this.#postgres === undefined ? [] : [this.#postgres.process])];
  }

  async #stop(): Promise<void> {
    const endsBy = performance.now() + STOP_WITHIN_MS;
    this.#abort.abort(new Error('stopped while starting'));
    await Promise.all(this.#nodes.map((node) => node.stop('SIGTERM', PROCESS_GRACE_MS)));
    // A start in progress has noticed the abort; its caller handles the error.
    await this.#starting?.catch(() => undefined);
    await this.#postgres?.stop(Math.max(endsBy - performance.now(), 500));
    if (this.#runtimeFile !== undefined) rmSync(this.#runtimeFile, { force: true });
    this.#lock?.release();
  }
}

/** The host name with which this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
