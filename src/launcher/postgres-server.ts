/** Ends server processes that a killed launcher left running on a data folder, so that a new server can use it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hasCode, LaunchError } from './launch-error.js';
import { lastLines, openLog } from './log-file.js';
import type { PostgresBinaries } from './postgres-home.js';
import { listProcesses, processIdentity, type RunningProcess, sendSignal } from './process-table.js';
import type { ServerUser } from './server-user.js';
import { SupervisedProcess } from './supervised-process.js';

const ORPHAN_POLL_INTERVAL_MS = 50;
/** The signals, the mildest first, and how long each may take. */
const ESCALATION = [
  { signal: 'SIGINT', withinMs: 10_000 },
  { signal: 'SIGQUIT', withinMs: 5_000 },
  { signal: 'SIGKILL', withinMs: 5_000 },
] as const;

/** The name in the command line of all processes of the cluster in this folder. */
function clusterName(cluster: string): string {
  return `longshore-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
}

/** Ends every server process of this cluster and removes its pid file. The caller must hold the lock of DATA_DIR. */
export async function endOrphans(cluster: string, say: (line: string) => void): Promise<void> {
  const name = clusterName(cluster);
  if (findOrphans(name).length > 0) say('ending a Postgres that an earlier run left behind');
  for (const { signal, withinMs } of ESCALATION) {
    const orphans = findOrphans(name);
    const main = orphans.find(isPostmaster);
    // Without the main process, the others need not end in order.
    signalAll(main === undefined ? orphans : [main], main === undefined ? 'SIGKILL' : signal, cluster);
    if (await allGone(name, withinMs)) break;
  }
  if (findOrphans(name).length > 0) {
    throw new LaunchError(
      `An earlier Postgres still runs on ${cluster} and cannot be ended: end its processes ("${name}") yourself.`,
    );
  }
  // No process of this cluster runs. A pid in this file now belongs to another program, and would prevent the start.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function findOrphans(name: string): RunningProcess[] {
  return listProcesses().filter(({ pid, command }) => {
    const [program = ''] = command.split(' ');
    const isServer = program === 'postgres:' || basename(program) === 'postgres';
    return isServer && command.includes(name) && processIdentity(pid) !== undefined;
  });
}

function isPostmaster({ command }: RunningProcess): boolean {
  return !command.startsWith('postgres:');
}

function signalAll(processes: readonly RunningProcess[], signal: NodeJS.Signals, cluster: string): void {
  for (const { pid } of processes) {
    try {
      sendSignal(pid, signal);
    } catch (error) {
      if (!hasCode(error, 'EPERM')) throw error;
      throw new LaunchError(
        `A Postgres of another user (process ${pid}) runs on ${cluster}: end it, or set DATA_DIR to another folder.`,
      );
    }
  }
}

async function allGone(name: string, withinMs: number): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(ORPHAN_POLL_INTERVAL_MS)) {
    if (findOrphans(name).length === 0) return true;
  }
  return false;
}

// The settings of an embedded Postgres: as durable as in production, with memory for a laptop.

/** The role with which all processes connect. The cluster contains nothing else. */
export const SUPERUSER = 'longshore';

interface ServerSettings {
  readonly cluster: string;
  readonly port: number;
  /** Is part of the command line of every process of this cluster, by which orphans are found. */
  readonly clusterName: string;
  readonly durable: boolean;
}

/** The arguments of `postgres`. Not in a file, so that a new release's settings apply to an old data folder. */
function serverArguments({ cluster, port, clusterName, durable }: ServerSettings): string[] {
  const settings: Record<string, string | number> = {
    cluster_name: clusterName,
    listen_addresses: '127.0.0.1',
    port,
    // There is no socket file, because its path would have to be short and accessible to both users.
    unix_socket_directories: '',
    // A busy worker process uses up to 30 when the queues are here too; four of them and the API used 110.
    max_connections: 300,
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // An embedded server has no replicas.
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // Of passwords that are set later: the one of the cluster is random, and has one (see initdb).
    scram_iterations: 4096,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // No refused statements: it would quote their rows. The processes log them without.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The environment of the server. PG* variables and locales of the caller would change its behaviour. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

// Runs Postgres on an existing cluster: starts it, waits until it answers, supervises and stops it.

const POLL_INTERVAL_MS = 25;
const ANNOUNCE_RECOVERY_AFTER_MS = 3_000;
/** Fast shutdown ends the sessions and writes all data. After an immediate one, Postgres recovers at its next start. */
const FAST = 'SIGINT';
const IMMEDIATE = 'SIGQUIT';

interface PostgresServerOptions {
  readonly cluster: string;
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser;
  readonly password: string;
  readonly port: number;
  readonly durable: boolean;
  readonly restart: boolean;
  readonly logFile: string;
  /** A folder that is removed if this process dies without stopping the server. */
  readonly removeAfterOurDeath?: string | undefined;
  readonly say: (line: string) => void;
}

export class PostgresServer {
  readonly process: SupervisedProcess;
  readonly #options: PostgresServerOptions;
  #guard: DeathGuard | undefined;
  #logStart = 0;

  constructor(options: PostgresServerOptions) {
    this.#options = options;
    this.process = new SupervisedProcess({
      name: 'postgres',
      spawn: () => this.#spawn(),
      say: options.say,
      restart: options.restart,
    });
  }

  /** The URL of a database of this server, including the password. */
  databaseUrl(database: string): string {
    const { password, port } = this.#options;
    return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  }

  /**
   * Resolves when the server answers.
   * @param signal aborts waiting
   * @throws LaunchError with the end of its log, when it ends instead
   */
  async start(signal?: AbortSignal): Promise<void> {
    await this.process.start();
    try {
      await this.#answers(signal);
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  async #answers(signal: AbortSignal | undefined): Promise<void> {
    const startedAt = performance.now();
    let announced = false;
    while (!(await answers(this.databaseUrl('postgres')))) {
      signal?.throwIfAborted();
      if (this.process.endsInARow > 0) {
        throw new LaunchError(`Postgres did not start: ${lastLines(this.#options.logFile, this.#logStart)}`);
      }
      if (!announced && performance.now() - startedAt > ANNOUNCE_RECOVERY_AFTER_MS) {
        this.#options.say('Postgres is recovering, because it was not stopped in order the last time');
        announced = true;
      }
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Stops the server. After `withinMs` it is ended at once, and recovers at its next start. */
  async stop(withinMs: number): Promise<void> {
    const forceStop = setTimeout(() => this.process.kill(IMMEDIATE), withinMs);
    await this.process.stop(withinMs > 0 ? FAST : IMMEDIATE, withinMs + 2_000);
    clearTimeout(forceStop);
    this.#guard?.dismiss();
    this.#guard = undefined;
  }

  async #spawn(): Promise<ChildProcess> {
    const { cluster, binaries, user, port, durable, logFile, removeAfterOurDeath, say } = this.#options;
    this.#guard?.dismiss();
    await endOrphans(cluster, say);
    const log = openLog(logFile);
    this.#logStart = log.startsAt;
    try {
      const args = serverArguments({ cluster, port, durable, clusterName: clusterName(cluster) });
      const child = spawn(binaries.postgres, args, {
        ...user.ids,
        cwd: '/',
        env: serverEnvironment(),
        stdio: ['ignore', log.fd, log.fd],
        // It has its own group, so that Ctrl-C in a terminal ends the workers before their database.
        detached: true,
      });
      if (child.pid !== undefined) this.#guard = guardAgainstOurDeath(child.pid, removeAfterOurDeath);
      return child;
    } finally {
      closeSync(log.fd);
    }
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  // If the server ends while we are connected, the query below fails, so this event need not be handled.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    // The server is not listening yet, is starting up or is shutting down.
    if (hasCode(error, 'ECONNREFUSED', 'ECONNRESET', '57P03', '57P01')) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

// Ends a foreign program when this process dies: a shell waits on a pipe that breaks then, and sends the signal.

const SCRIPT = `
  # The launcher writes nothing: read returns when the launcher has died.
  read -r line
  kill -INT "$1" 2>/dev/null
  [ -n "$2" ] || exit 0
  tries=0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf "$2"
`;

interface DeathGuard {
  /** Call this when the guarded process has ended, because its pid may be given to another process. */
  dismiss(): void;
}

/**
 * Makes sure that a process ends when this process dies.
 * @param folder is removed afterwards
 * @internal exported for tests
 */
export function guardAgainstOurDeath(pid: number, folder = ''): DeathGuard {
  // It is detached, so that a signal to our process group does not kill the guard as well.
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(pid), folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => {
    // The guard was killed by somebody else.
  });
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return {
    dismiss: () => {
      // A signal is used, because this process may end before the guard has read a message.
      guard.kill('SIGKILL');
      guard.stdin.destroy();
    },
  };
}
