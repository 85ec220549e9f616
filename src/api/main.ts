/** The API process: configuration, services, server, and an orderly end. */
import { ConfigError, loadConfig } from '../config/config.js';
import { createLogger } from '../platform/logger.js';
import { createApp } from './app.js';
import { ListenError, type RunningServer, startServer } from './server.js';
import { openServices } from './services.js';

/** Whoever stops us waits 30 s at most before it kills. */
const MAX_GRACE_MS = 25_000;

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger('api', config.logLevel);
  const stopping = new AbortController();
  let server: RunningServer | undefined;
  const { services, close } = openServices(config, logger, {
    publicUrl: () => config.publicUrl ?? server?.url ?? `http://${config.host}:${config.port}`,
    stopping: stopping.signal,
  });
  const app = createApp(services);
  server = await startServer(app.callback(), { host: config.host, port: config.port, idleMs: config.uploadIdleMs });
  logger.info({ url: server.url }, 'listening');

  await stopSignal();
  logger.info('stopping: requests under way may finish');
  stopping.abort();
  await server.stop(Math.min(config.shutdownGraceMs, MAX_GRACE_MS));
  await close();
  logger.info('stopped');
}

/** Resolves at the first SIGTERM or SIGINT; the second ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const expected = error instanceof ConfigError || error instanceof ListenError;
  process.stderr.write(`${expected ? error.message : (error instanceof Error && error.stack) || String(error)}\n`);
  process.exit(1);
}
