/** Runs a process: loads its configuration or reports one clear error, then starts the work, and shuts it down. */
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { createLogger, type Logger } from './logger.js';

/** Starts the work of a process and returns a function that ends it. */
type StartProcess = (config: Config, logger: Logger) => Promise<() => Promise<void>>;

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
  let starting: ReturnType<StartProcess> | undefined;
  // Installed before the start: a signal may arrive while the process starts, and what was started has to be ended
  // gracefully.
  endOnSignal(logger, async () => {
    const stop = await starting;
    await stop?.();
  });
  try {
    starting = start(config, logger);
    await starting;
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
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

function endOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(1);
    ending = true;
    logger.info({ signal }, 'ending');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'could not shut down gracefully');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
