/** The life of a process: configuration or one clear sentence, then work, then an orderly end. */
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { createLogger, type Logger } from './logger.js';

/** Starts a process' work and answers how to end it. */
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
  const config = configOrExit(environment);
  const logger = createLogger(name, config.logLevel);
  let starting: ReturnType<StartProcess> | undefined;
  // Heard from before the first moment: who reads that the process is ready may end it at once, in the middle of its
  // start, and what was started is ended in order.
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
        logger.error({ err: error }, 'could not end in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
