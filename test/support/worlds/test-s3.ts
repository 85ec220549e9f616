/** An S3 server for tests: that of TEST_STORAGE_URL, or OpenStack Swift with its S3 API, which all suites of a run share. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { reservePort } from './reserved-port.js';
import { testEnvironment } from './test-environment.js';

export interface TestS3 {
  /** Where the server listens. */
  readonly endpoint: string;
  readonly bucket: string;
  /** A value of STORAGE_URL for a place of its own. @param endpoint where it is reached instead, such as a proxy */
  newPlace(endpoint?: string): string;
  /** The variables with the credentials, for processes. This process has them too. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Ours, for what no store does. */
  readonly client: S3Client;
}

/** Debian's own Python, which has Debian's modules. */
const PYTHON = '/usr/bin/python3';
const SWIFT = '/usr/lib/python3/dist-packages/swift/common/middleware/s3api/s3api.py';
const PROGRAM = fileURLToPath(new URL('../../../../test/support/worlds/swift_server.py', import.meta.url));
const KEY = 'test:tester';
const BUCKET = 'longshore-tests';

/** Whether tests on S3 can run here. */
export function s3IsAvailable(): boolean {
  if (testEnvironment().storageUrl !== undefined) return true;
  try {
    accessSync(PYTHON);
    accessSync(SWIFT);
    return true;
  } catch {
    return false;
  }
}

/** Skips a test where no S3 server can run. @throws where REQUIRE_S3 says that one must */
export function skipWithoutS3(test: Mocha.Context): void {
  if (s3IsAvailable()) return;
  if (testEnvironment().requireS3) failWithoutS3();
  test.skip();
}

export function failWithoutS3(): never {
  throw new Error(
    'no S3 server was found: apt-get install swift-proxy swift-account swift-container swift-object, or set TEST_STORAGE_URL',
  );
}

let running: Promise<TestS3 & { stop(): Promise<void> }> | undefined;

/** The server of this run; it is started when it is asked for first. */
export function testS3(): Promise<TestS3> {
  const { storageUrl } = testEnvironment();
  running ??= storageUrl === undefined ? startTestS3() : given(new URL(storageUrl));
  return running;
}

/** Called at the end of the run. */
export async function stopTestS3(): Promise<void> {
  await (await running)?.stop();
  running = undefined;
}

/** A Swift of a test's own, which it may hurt. */
export interface OwnS3 extends TestS3 {
  /** Ends it as a crash would. Its data stay. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with the same data; without effect while it runs. */
  restart(): Promise<void>;
  /** It stands still, and its connections stay open. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** All servers of this process have one secret, because the SDK reads it from the environment. */
function secretOfRun(): string {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  return AWS_ACCESS_KEY_ID === KEY && AWS_SECRET_ACCESS_KEY ? AWS_SECRET_ACCESS_KEY : randomBytes(16).toString('hex');
}

/** @param dataFolder for the bytes of the objects, on a file system with extended attributes; default: a temporary one */
export async function startTestS3(dataFolder?: string): Promise<OwnS3> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-s3-'));
  if (dataFolder !== undefined) symlinkSync(dataFolder, join(folder, 'devices'));
  const port = await reservePort();
  const secret = secretOfRun();
  let server = await launch(folder, port, secret);
  const credentials = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: secret };
  Object.assign(process.env, credentials);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = clientOf(endpoint);
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    endpoint,
    bucket: BUCKET,
    credentials,
    client,
    newPlace: (at = endpoint) => placeIn(new URL(`s3://${BUCKET}`), at),
    kill: () => server.end(),
    restart: async () => {
      if (!server.hasEnded()) return;
      server = await launch(folder, port, secret);
    },
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    stop: async () => {
      client.destroy();
      await server.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Launched {
  signal(signal: NodeJS.Signals): void;
  hasEnded(): boolean;
  end(): Promise<void>;
}

async function launch(folder: string, port: number, secret: string): Promise<Launched> {
  const child = spawn(PYTHON, [PROGRAM, folder, String(port), secret], { stdio: ['ignore', 'pipe', 'pipe'] });
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid, folder);
  await ready(child);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    signal: (signal) => void child.kill(signal),
    hasEnded,
    end: async () => {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      guard?.dismiss();
    },
  };
}

/** A server that outlives us. What tests leave in it is under keys of their own. */
async function given(url: URL): Promise<TestS3 & { stop(): Promise<void> }> {
  const { hostname: bucket } = url;
  const endpoint = url.searchParams.get('endpoint');
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  if (endpoint === null || AWS_ACCESS_KEY_ID === '') {
    throw new Error(
      'TEST_STORAGE_URL: expected s3://bucket/prefix?endpoint=…, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  const client = clientOf(endpoint);
  return {
    endpoint,
    bucket,
    credentials: { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    client,
    newPlace: (at = endpoint) => placeIn(url, at),
    stop: async () => client.destroy(),
  };
}

function clientOf(endpoint: string): S3Client {
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
}

function placeIn({ hostname, pathname, searchParams }: URL, endpoint: string): string {
  const parameters = [...searchParams]
    .filter(([name]) => name !== 'endpoint')
    .map(([name, value]) => `&${name}=${value}`);
  const folder = `${pathname.replace(/\/$/, '')}/${randomBytes(6).toString('hex')}`;
  return `s3://${hostname}${folder}?endpoint=${endpoint}${parameters.join('')}`;
}

async function ready({ stdout, stderr }: ChildProcess): Promise<void> {
  if (stdout === null || stderr === null) throw new Error('the S3 server has no output to read');
  let said = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
  });
  for await (const line of createInterface(stdout)) {
    if (line !== 'READY') continue;
    stdout.resume();
    return;
  }
  throw new Error(`the S3 server did not start:\n${said}`);
}
