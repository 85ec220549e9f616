/** Runs a process: loads its configuration or reports one clear error, then starts the work, and shuts it down. */
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { within } from './concurrency/within.js';
import { createLogger, type Logger, logUncaught } from './logger.js';
import { storeCallsReturn } from './store-calls.js';
import { startTracing, stopTracing } from './tracing.js';
import { VERSION } from './version.js';
import { guardEventLoop } from './watchdog.js';

/** How long a process that ends waits for calls of the file store. */
const STORE_RETURNS_MS = 1_000;
/** The same after a second signal. */
const STORE_RETURNS_AT_ONCE_MS = 100;

/**
 * Starts the work of a process and returns a function that ends it.
 * @param stopping aborted by the first signal: a start that waits for something rejects then
 * @param end ends the process as a signal does, with the exit code 1
 */
type StartProcess = (
  config: Config,
  logger: Logger,
  stopping: AbortSignal,
  end: () => void,
) => Promise<() => Promise<void>>;

/**
 * Runs a process until SIGTERM or SIGINT; a second signal ends it at once.
 * @param environment the environment variables
 */
export async function runProcess(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  start: StartProcess,
): Promise<void> {
  // Files of the service are for its own user.
  process.umask(0o077);
  const config = configOrExit(environment);
  const logger = createLogger(name, config.logLevel);
  logUncaught(logger, () => void exit(logger, 1, STORE_RETURNS_AT_ONCE_MS));
  guardEventLoop(name, config.watchdogMs, logger);
  if (config.isTraced) await startTracing(name, VERSION);
  const stopping = new AbortController();
  let starting: ReturnType<StartProcess> | undefined;
  // Installed before the start: a signal may arrive while the process starts, and what was started has to be ended
  // gracefully.
  const end = endOnSignal(logger, async () => {
    stopping.abort();
    const stop = await starting?.catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
    await stop?.();
  });
  try {
    starting = start(config, logger, stopping.signal, end);
    await starting;
  } catch (error) {
    if (stopping.signal.aborted) return;
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    await exit(logger, 1);
  }
}

function configOrExit(environment: Readonly<Record<string, string | undefined>>): Config {
  try {
    return loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** @returns ends the process without a signal */
function endOnSignal(logger: Logger, stop: () => Promise<void>): () => void {
  let ending = false;
  const end = (signal: NodeJS.Signals | null): void => {
    if (ending) {
      void exit(logger, 1, STORE_RETURNS_AT_ONCE_MS);
      return;
    }
    ending = true;
    logger.info(signal === null ? {} : { signal }, 'ending');
    stop().then(
      () => exit(logger, signal === null ? 1 : 0),
      (error: unknown) => {
        // What was not handed back is found by others, so no person has to act.
        logger.warn({ err: error }, 'could not shut down gracefully');
        return exit(logger, 1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return () => {
    if (!ending) end(null);
  };
}

/** Node waits for the threads of its pool when it exits: one that a hanging file store has blocked does not come back. */
async function exit(logger: Logger, code: number, patienceMs = STORE_RETURNS_MS): Promise<void> {
  await within(stopTracing(), patienceMs);
  if (!(await storeCallsReturn(patienceMs))) {
    logger.warn('the file store does not answer; ending without its calls');
    process.kill(process.pid, 'SIGKILL');
  }
  process.exit(code);
}
