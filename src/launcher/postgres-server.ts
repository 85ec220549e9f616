/** A running Postgres on a prepared cluster: spawned, waited for, supervised, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type DeathGuard, guardAgainstOurDeath } from './death-guard.js';
import { hasCode, LaunchError } from './launch-error.js';
import { lastLines, openLog } from './log-file.js';
import type { PostgresBinaries } from './postgres-home.js';
import { clusterName, endOrphans } from './postgres-orphans.js';
import { SUPERUSER, serverArguments, serverEnvironment } from './postgres-settings.js';
import type { ServerUser } from './server-user.js';
import { SupervisedProcess } from './supervised-process.js';

const POLL_INTERVAL_MS = 25;
const RECOVERY_IS_WORTH_A_WORD_AFTER_MS = 3_000;
/** Fast shutdown: Postgres ends its sessions and writes what it holds. Immediate: it recovers at the next start. */
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
  /** Removed should we die without having stopped the server. */
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

  /** The address of a database of this server, as a URL with the password in it. */
  databaseUrl(database: string): string {
    const { password, port } = this.#options;
    return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  }

  /**
   * Resolves once the server answers.
   * @param signal gives up waiting
   * @throws LaunchError with what it wrote when it ends instead
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
    const startedAt = Date.now();
    let told = false;
    while (!(await answers(this.databaseUrl('postgres')))) {
      signal?.throwIfAborted();
      if (this.process.endsInARow > 0) {
        throw new LaunchError(`Postgres did not start: ${lastLines(this.#options.logFile, this.#logStart)}`);
      }
      if (!told && Date.now() - startedAt > RECOVERY_IS_WORTH_A_WORD_AFTER_MS) {
        this.#options.say('Postgres is recovering what it had in hand when it was last ended');
        told = true;
      }
      await delay(POLL_INTERVAL_MS);
    }
  }

  /** Ends the server: in order when that takes at most `withinMs`, else at once, which costs a recovery at the next start. */
  async stop(withinMs: number): Promise<void> {
    const impatience = setTimeout(() => this.process.kill(IMMEDIATE), withinMs);
    await this.process.stop(withinMs > 0 ? FAST : IMMEDIATE, withinMs + 2_000);
    clearTimeout(impatience);
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
        // A group of its own: Ctrl-C in a terminal must reach the workers before it reaches their database.
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
  // A server that goes away while we are connected says so here; the query below fails then too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    // Not listening yet, starting up or shutting down.
    if (hasCode(error, 'ECONNREFUSED', 'ECONNRESET', '57P03', '57P01')) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
