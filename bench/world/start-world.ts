/** A whole Longshore on throw-away data, durable as in production: database, one API process, one worker process. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type RunningSystem, startSystem } from '../../src/launcher/system.js';
import { makeOpenFolder } from '../../test/support/worlds/open-folder.js';
import { startTestRedis } from '../../test/support/worlds/test-redis.js';
import { startTestS3, type TestS3 } from '../../test/support/worlds/test-s3.js';
import type { Backend } from '../backend.js';
import { type PeakMemory, watchPeakMemory } from '../measure/peak-memory.js';
import { type ApiClient, openClient } from './api-client.js';
import { Profiler } from './profiler.js';

export interface World {
  readonly system: RunningSystem;
  /** The first account, whose site has the attributes and categories of the shop. */
  readonly client: ApiClient;
  /** A connection for the references, and to look behind the API. */
  readonly db: pg.Client;
  /** For files; removed with everything else. */
  readonly folder: string;
  readonly redisUrl: string | undefined;
  readonly memory: PeakMemory;
  /** Runs `work`, with CPU profiles if they were asked for. */
  profiled<T>(work: () => Promise<T>): Promise<T>;
}

export interface StartOptions {
  readonly backend: Backend;
  /** Record CPU profiles of the worker and the API process during each measured run. */
  readonly profile: boolean;
  /** Told how it goes. */
  readonly say: (line: string) => void;
  /** How many worker processes. Default: 1. */
  readonly workers?: number;
  /** Whether files are in an S3 server, which is started too. Default: they are in a folder. */
  readonly inS3?: boolean;
}

/** A world that is open until it is closed, which leaves nothing behind. */
export interface OpenWorld {
  readonly world: World;
  close(): Promise<void>;
}

/** @throws what kept it from starting, after everything begun was ended again */
export async function openWorld(options: StartOptions): Promise<OpenWorld> {
  const closers: (() => unknown)[] = [];
  const closing = <Closable>(value: Closable, close: (value: Closable) => unknown): Closable => {
    closers.push(() => close(value));
    return value;
  };
  const close = async () => {
    // What was cut short may still hold some of it: that must not keep the rest from being closed.
    for (const closer of closers.reverse()) await Promise.resolve(closer()).catch(() => undefined);
  };
  try {
    const { path } = closing(makeOpenFolder(), (folder) => folder.remove());
    const redis =
      options.backend === 'redis' ? closing(await startTestRedis(), (running) => running.stop()) : undefined;
    const s3 = options.inS3 === true ? closing(await startTestS3(), (running) => running.stop()) : undefined;
    const profiler = options.profile ? new Profiler(options.say) : undefined;
    const system = closing(await start(path, options, redis?.url, s3, profiler), (running) => running.stop());
    const memory = closing(
      watchPeakMemory(() => system.processes),
      (watch) => watch.stop(),
    );
    const db = closing(new pg.Client({ connectionString: system.databaseUrl }), (client) => client.end());
    await db.connect();
    const client = closing(openClient(system.credentials), (open) => open.destroy());
    const folder = join(path, 'files');
    mkdirSync(folder);
    const profiled = <R>(work: () => Promise<R>) => (profiler === undefined ? work() : profiler.during(system, work));
    return { world: { system, client, db, folder, redisUrl: redis?.url, memory, profiled }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function start(
  folder: string,
  { workers }: StartOptions,
  redisUrl: string | undefined,
  s3: TestS3 | undefined,
  profiler: Profiler | undefined,
): Promise<RunningSystem> {
  const stored = s3 === undefined ? {} : { STORAGE_URL: s3.newPlace(), ...s3.credentials };
  return startSystem({
    dataDir: join(folder, 'data'),
    durable: true,
    // A process that ends is no benchmark to go on with.
    restart: false,
    redisUrl,
    workers,
    env: { ...stored, ...profiler?.environment },
    say: (line) => process.stderr.write(`${line}\n`),
  });
}
