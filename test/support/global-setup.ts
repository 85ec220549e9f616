/** The frame of a test run: starts the shared Postgres, allows tests on S3 their time, ends the servers, and fails a run that leaves something open. */
import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';
import { prepareTestPostgres, stopTestPostgres } from './worlds/test-database.js';
import { testEnvironment } from './worlds/test-environment.js';
import { stopTestS3 } from './worlds/test-s3.js';

const LEAK_AFTER_MS = 5_000;
const STOPPED_WITHIN_MS = 60_000;
/** A request to the S3 server of tests, a program in Python, takes many times as long as a call of a folder. */
const SLOWER_IN_S3 = 3;

/** Files whose suites have worlds. */
const WITH_WORLDS = /\/(?:integration|system|long)\/.*\.test\.js$/;

/** Called by mocha before the first test, without a time limit. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.argv.some((argument) => WITH_WORLDS.test(argument))) await prepareTestPostgres();
}

/** Called by mocha around each test. */
export const mochaHooks = {
  beforeEach(this: Mocha.Context): void {
    const test = this.currentTest;
    if (testEnvironment().storageUrl !== undefined) test?.timeout(SLOWER_IN_S3 * test.timeout());
  },
};

/** Called by mocha after the last test. */
export async function mochaGlobalTeardown(): Promise<void> {
  // A server that does not stop is a leak too.
  const stops = setTimeout(failOnLeak, STOPPED_WITHIN_MS);
  await stopTestS3();
  await stopTestPostgres();
  clearTimeout(stops);
  // It does not keep the process alive itself: if it fires, something else does.
  setTimeout(failOnLeak, LEAK_AFTER_MS).unref();
  // Node tears down what is left, and has been seen to compute for ever over sockets that peers had left half open.
  process.once('beforeExit', () => process.exit());
}

function failOnLeak(): never {
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap');
  process.stderr.write(
    `\nThe tests are done and the process does not end: something was left open. Active: ${open.join(', ')}.\n` +
      `Close every pool, server, worker and timer in the suite that made it.\n${describeHandles().join('\n')}\n`,
  );
  // Mocha sets the code to the number of failed tests as the process exits: ours must come after.
  process.on('exit', () => {
    process.exitCode = 1;
  });
  process.exit(1);
}

/** Where sockets lead and what child processes are: it tells which suite has made them. */
function describeHandles(): string[] {
  // Node has no documented way to reach them.
  const handlesOf: unknown = Reflect.get(process, '_getActiveHandles');
  const handles: unknown = typeof handlesOf === 'function' ? handlesOf.call(process) : [];
  return (Array.isArray(handles) ? handles : []).map((handle: unknown) => {
    if (handle instanceof Socket) {
      const { localPort, remoteAddress, remotePort, readyState, destroyed } = handle;
      const state = `${readyState}${destroyed ? ', destroyed' : ''}${handle.isPaused() ? ', paused' : ''}`;
      return `a socket from port ${localPort} to ${remoteAddress} ${remotePort} (${state})`;
    }
    if (handle instanceof Server) return `a server at ${JSON.stringify(handle.address())}`;
    if (handle instanceof ChildProcess) return `the process ${handle.spawnargs.join(' ')}`;
    return `a ${(handle as object).constructor.name}`;
  });
}
