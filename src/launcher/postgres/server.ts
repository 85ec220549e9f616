/** Runs Postgres on an existing cluster: starts it, waits until it answers, supervises and stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type DeathGuard, guardAgainstOurDeath } from '../death-guard.js';
import { hasCode, LaunchError } from '../launch-error.js';
import { lastLines, openLog } from '../log-file.js';
import type { ServerUser } from '../server-user.js';
import { SupervisedProcess } from '../supervised-process.js';
import type { PostgresBinaries } from './binaries.js';
import { clusterName, endOrphans } from './orphans.js';
import { SUPERUSER, serverArguments, serverEnvironment } from './server-settings.js';

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
