/** The frame of a test run: ends the shared Postgres, and fails a run that leaves something open. */
import { stopTestPostgres } from './worlds/test-database.js';

const LEAK_AFTER_MS = 5_000;
const STOPPED_WITHIN_MS = 60_000;

/** Called by mocha after the last test. */
export async function mochaGlobalTeardown(): Promise<void> {
  // A server that does not stop is a leak too.
  const stops = setTimeout(failOnLeak, STOPPED_WITHIN_MS);
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
      'Close every pool, server, worker and timer in the suite that made it.\n',
  );
  // Mocha sets the code to the number of failed tests as the process exits: ours must come after.
  process.on('exit', () => {
    process.exitCode = 1;
  });
  process.exit(1);
}
