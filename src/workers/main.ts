/** A worker process. Its arguments name the groups that it serves: `worker bulk maintenance`; without any, all. */
import { connectDb } from '../../db/connection.js';
import { watchConnections } from '../../db/connection-watch.js';
import { Heartbeat } from '../../db/heartbeats.js';
import { within } from '../platform/concurrency/within.js';
import { createLocalFileStore } from '../platform/file-store.js';
import { logOutage } from '../platform/outage-log.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { runProcess } from '../platform/run-process.js';
import { keepHeapSmall } from '../platform/small-heap.js';
import { VERSION } from '../platform/version.js';
import { createProducer } from '../queues/producer.js';
import { ATOMIC_JOBS, CONSUMING_CONNECTIONS, startWorkers, WORKER_GROUPS, type WorkerGroup } from './start-workers.js';
import { stopBudget } from './stop-budget.js';
import { untilReady } from './until-ready.js';

/** Connections in addition to those of running steps: the producer's, maintenance, LISTEN, the heartbeat. */
const SPARE_CONNECTIONS = 5;
const QUEUE_OUTAGE = 'the queue does not work; what could not be enqueued is enqueued later';
/** A heartbeat that cannot be removed expires by itself. */
const HEARTBEAT_END_MS = 1_000;
/** Connections of an export: one for its snapshot, and one to record its progress. */
const EXPORT_CONNECTIONS = 2;

keepHeapSmall();
await runProcess('worker', process.env, async (config, logger, stopping) => {
  const groups = groupsOf(process.argv.slice(2));
  // An atomic job has one connection for its rows, and one for reading ahead and for recording progress.
  const chunks = config.planConcurrency + config.chunkConcurrency;
  const steps = chunks + 2 * ATOMIC_JOBS + EXPORT_CONNECTIONS * config.exportConcurrency;
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs });
  const onConnect = watch.add;
  const db = connectDb({
    url: config.databaseUrl,
    poolMax: Math.max(config.databasePoolMax, steps + SPARE_CONNECTIONS),
    name: 'longshore-worker',
    preparesStatements: config.preparesStatements,
    watch,
  });
  const fileStore = createLocalFileStore(config.storage.directory, config.storage.timeoutMs);
  const producing = openQueueConnection({ ...config, role: 'producer', poolMax: 4, onConnect, logger });
  const consuming = openQueueConnection({
    ...config,
    role: 'worker',
    poolMax: CONSUMING_CONNECTIONS,
    onConnect,
    logger,
  });
  const queueSchema = config.redisUrl === undefined ? config.queuePrefix : null;
  await untilReady({ db, queueSchema, connections: [producing, consuming], logger, stopping });
  const producer = createProducer(producing, (error) => logOutage(logger, 'queue', error, QUEUE_OUTAGE));
  const heartbeat = new Heartbeat(db, [...groups], VERSION);
  const shareOf = (limit: number, key: string) => heartbeat.shareOf('webhook', limit, key);
  const running = startWorkers({ config, db, fileStore, producer, logger, shareOf }, consuming, groups);
  let processes = 1;
  const noteMembers = () => {
    const living = heartbeat.membersOf('webhook');
    if (living !== processes) logger.info({ processes: living }, 'the limits of endpoints are shared');
    processes = living;
  };
  heartbeat.start(
    (error) => logOutage(logger, 'database', error, 'the heartbeat of this process could not be written'),
    noteMembers,
  );
  logger.info({ groups: [...groups] }, 'ready');
  const closeAll = async () => {
    await producer.close();
    await Promise.all([producing.close(), consuming.close(), db.destroy()]);
  };
  return async () => {
    await Promise.all([running.stop(), within(heartbeat.stop(), HEARTBEAT_END_MS)]);
    // Work that hangs keeps its connection until the process ends.
    await within(closeAll(), stopBudget(config.shutdownGraceMs).closeMs);
  };
});

function groupsOf(names: readonly string[]): ReadonlySet<WorkerGroup> {
  const unknown = names.filter((name) => !(WORKER_GROUPS as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`there is no worker group "${unknown.join('", "')}"; the groups are ${WORKER_GROUPS.join(', ')}`);
  }
  return new Set(names.length === 0 ? WORKER_GROUPS : (names as WorkerGroup[]));
}
