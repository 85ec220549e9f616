/** A private Redis without persistence, which a test may kill and bring back. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { findProgram } from './find-program.js';
import { reservePort } from './reserved-port.js';
import { testEnvironment } from './test-environment.js';

export interface TestRedis {
  readonly url: string;
  /** Ends it as a crash would, with all its data. @throws on one that was given by TEST_REDIS_URL */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  restart(): Promise<void>;
  /** Undefined while it does not run, or when it was given by TEST_REDIS_URL. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

/** Whether tests on Redis can run here. */
export function redisIsAvailable(): boolean {
  return testEnvironment().redisUrl !== undefined || findProgram('redis-server') !== undefined;
}

/** Skips a test where no Redis can run. @throws where REQUIRE_REDIS says that one must */
export function skipWithoutRedis(test: Mocha.Context): void {
  if (redisIsAvailable()) return;
  if (testEnvironment().requireRedis) failWithoutRedis();
  test.skip();
}

export function failWithoutRedis(): never {
  throw new Error('REQUIRE_REDIS=1 and no redis-server was found: install one, or set TEST_REDIS_URL');
}

/** Starts a Redis with settings of its own, which no test shares. @throws when no redis-server is found */
export function launchRedis(settings: Readonly<Record<string, string | number>>, folder: string): Promise<Launched> {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error('no redis-server was found: install one');
  return launch(program, settings, folder);
}

/** Starts a Sentinel, which keeps what it learns in the file with its settings. @throws when no redis-server is found */
export function launchSentinel(file: string): Promise<Launched> {
  const program = findProgram('redis-server');
  if (program === undefined) throw new Error('no redis-server was found: install one');
  return launched(program, [file, '--sentinel'], 'Sentinel ID is');
}

/** Starts a Redis of its own; where no redis-server is found, it is the one of TEST_REDIS_URL. @throws when there is neither */
export async function startTestRedis(): Promise<TestRedis> {
  const program = findProgram('redis-server');
  const { redisUrl } = testEnvironment();
  if (program === undefined && redisUrl !== undefined) return sharedRedis(redisUrl);
  if (program === undefined) throw new Error('no redis-server was found: install one, or set TEST_REDIS_URL');
  const folder = mkdtempSync(join(tmpdir(), 'longshore-redis-'));
  const port = await reservePort();
  let running = await launch(program, { port }, folder);
  return {
    url: `redis://127.0.0.1:${port}`,
    kill: () => running.end('SIGKILL'),
    restart: async () => {
      await running.end('SIGKILL');
      running = await launch(program, { port }, folder);
    },
    pid: () => running.pid(),
    stop: async () => {
      await running.end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Launched {
  /** Undefined when it has ended. */
  pid(): number | undefined;
  end(signal: NodeJS.Signals): Promise<void>;
}

function launch(program: string, own: Readonly<Record<string, string | number>>, folder: string): Promise<Launched> {
  const settings = {
    bind: '127.0.0.1',
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    dir: folder,
    ...own,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return launched(program, args, 'Ready to accept connections');
}

async function launched(program: string, args: readonly string[], readyLine: string): Promise<Launched> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid);
  await readyToAccept(child, readyLine);
  return {
    pid: () => (child.exitCode === null && child.signalCode === null ? child.pid : undefined),
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      guard?.dismiss();
    },
  };
}

async function readyToAccept(child: ChildProcess, readyLine: string): Promise<void> {
  if (child.stdout === null) throw new Error('redis-server has no output to read');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.includes(readyLine)) {
      // Whatever it says from now on must not fill the pipe.
      child.stdout.resume();
      return;
    }
  }
  throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
}

function sharedRedis(url: string): TestRedis {
  const refuse = async () => {
    throw new Error('the Redis of TEST_REDIS_URL is not ours to kill: install a redis-server to run this test');
  };
  return { url, kill: refuse, restart: refuse, pid: () => undefined, stop: async () => undefined };
}
