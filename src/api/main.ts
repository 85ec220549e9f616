/** The API process: opens the services, starts the server, and lets requests finish when it stops. */
import { answersNewConnections } from '../../db/connection.js';
import { within } from '../platform/concurrency/within.js';
import { announceListening } from '../platform/listening.js';
import { runProcess } from '../platform/run-process.js';
import { keepHeapSmall } from '../platform/small-heap.js';
import { Watchdog } from '../platform/watchdog.js';
import { createApp } from './app.js';
import { startMetricsServer } from './metrics-page.js';
import { openServices } from './open-services.js';
import { type RunningServer, startServer } from './server.js';

/** Process managers usually kill a process 30 s after SIGTERM. */
const MAX_GRACE_MS = 25_000;
/** How long the start waits for the database to say whether this release may use it. */
const RELEASE_CHECK_MS = 2_000;

keepHeapSmall();
await runProcess('api', process.env, async (config, logger) => {
  const stopping = new AbortController();
  let server: RunningServer | undefined;
  const { services, progress, close } = openServices(config, logger, {
    publicUrl: () => config.publicUrl ?? server?.url ?? `http://${config.host}:${config.port}`,
    stopping: stopping.signal,
  });
  // Not even the first request may be accepted by a release that is too old. Without the database none is.
  await within(services.readiness.release.check(), RELEASE_CHECK_MS);
  const running = await startServer(createApp(services).callback(), {
    host: config.host,
    port: config.port,
    idleMs: config.uploadIdleMs,
    addresses: services.addresses,
  });
  server = running;
  const metricsServer = await startMetricsServer(services);
  if (metricsServer !== null) logger.info({ url: metricsServer.url }, 'metrics');
  services.readiness.start();
  // The checks of readiness use the connections of requests all the time.
  progress.begin('serving requests: none of their connections to the database is used');
  new Watchdog({
    kinds: [progress],
    limitMs: config.watchdogMs,
    logger,
    databaseAnswers: () => answersNewConnections(config.databaseUrl),
  }).start();
  logger.info({ url: running.url }, 'listening');
  announceListening(running.url);
  return async () => {
    stopping.abort();
    await metricsServer?.stop(0);
    await running.stop(Math.min(config.shutdownGraceMs, MAX_GRACE_MS));
    await close();
  };
});
