/** A worker process. Its arguments name the groups that it serves: `worker bulk maintenance`; without any, all. */
import { answersNewConnections, connectDb } from '../../db/connection.js';
import { type OnActivity, watchConnections } from '../../db/connection-watch.js';
import { Heartbeat } from '../../db/heartbeats.js';
import { findTooOld } from '../../db/oldest-release.js';
import { publishSnapshots } from '../../db/process-snapshots.js';
import { within } from '../platform/concurrency/within.js';
import { measuredStore } from '../platform/metrics/measured-store.js';
import { Metrics } from '../platform/metrics.js';
import { openFileStore } from '../platform/open-file-store.js';
import { logOutage } from '../platform/outage-log.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { runProcess } from '../platform/run-process.js';
import { keepHeapSmall } from '../platform/small-heap.js';
import { VERSION } from '../platform/version.js';
import { Progress, Watchdog } from '../platform/watchdog.js';
import { createProducer } from '../queues/producer.js';
import { workerPools } from './connections.js';
import { startWorkers, WORKER_GROUPS, type WorkerGroup } from './start-workers.js';
import { stopBudget } from './stop-budget.js';
import { untilReady } from './until-ready.js';

const QUEUE_OUTAGE = 'the queue does not work; what could not be enqueued is enqueued later';
/** A heartbeat that cannot be removed expires by itself. */
const HEARTBEAT_END_MS = 1_000;

keepHeapSmall();
await runProcess('worker', process.env, async (config, logger, stopping, end) => {
  const groups = groupsOf(process.argv.slice(2));
  const { steps, beside, producing: ofProducer, consuming: ofWorkers } = workerPools(config);
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs });
  const onConnect = watch.add;
  const progress = { steps: new Progress(), maintenance: new Progress() };
  const connect = (poolMax: number, onActivity: OnActivity) =>
    connectDb({
      url: config.databaseUrl,
      poolMax,
      name: 'longshore-worker',
      preparesStatements: config.preparesStatements,
      watch,
      onActivity,
    });
  const db = connect(steps, progress.steps.advance);
  // Heartbeats go on whatever becomes of the rest: only long statements say that maintenance works.
  const dbBeside = connect(beside, (activity) => {
    if (activity === 'statement') progress.maintenance.advance();
  });
  const metrics = new Metrics();
  metrics.describe([...groups], VERSION);
  metrics.watchPool(db.client.pool, steps);
  const fileStore = measuredStore(openFileStore(config.storage), metrics);
  const producing = openQueueConnection({ ...config, role: 'producer', poolMax: ofProducer, onConnect, logger });
  const consuming = openQueueConnection({ ...config, role: 'worker', poolMax: ofWorkers, onConnect, logger });
  const queueSchema = config.redisUrl === undefined ? config.queuePrefix : null;
  await untilReady({ db, queueSchema, connections: [producing, consuming], logger, stopping });
  const producer = createProducer(producing, (error) => logOutage(logger, 'queue', error, QUEUE_OUTAGE));
  const heartbeat = new Heartbeat(dbBeside, [...groups], VERSION);
  const shareOf = (limit: number, key: string) => heartbeat.shareOf('webhook', limit, key);
  const running = startWorkers(
    {
      config,
      db,
      dbBeside,
      fileStore,
      producer,
      logger,
      metrics,
      shareOf,
      workProgress: progress,
      processId: heartbeat.id,
    },
    consuming,
    groups,
  );
  new Watchdog({
    kinds: Object.values(progress),
    limitMs: config.watchdogMs,
    logger,
    databaseAnswers: () => answersNewConnections(config.databaseUrl),
  }).start();
  let processes = 1;
  const noteMembers = () => {
    const living = heartbeat.membersOf('webhook');
    if (living !== processes) logger.info({ processes: living }, 'the limits of endpoints are shared');
    processes = living;
  };
  const endWhenTooOld = async () => {
    const tooOld = await findTooOld(dbBeside, VERSION);
    if (tooOld === null) return;
    logger.error({ cure: tooOld.cure }, `${tooOld.message}: it takes no more work and ends`);
    end();
  };
  const onError = (error: unknown) =>
    logOutage(logger, 'database', error, 'the heartbeat of this process could not be written');
  heartbeat.start(onError, () => {
    noteMembers();
    endWhenTooOld().catch(onError);
  });
  const stopPublishing = publishSnapshots(
    dbBeside,
    heartbeat.id,
    () => metrics.publish(),
    (error) => logger.debug({ err: error }, 'the metrics of this process could not be published'),
  );
  logger.info({ groups: [...groups] }, 'ready');
  const closeAll = async () => {
    await producer.close();
    await Promise.all([producing.close(), consuming.close(), db.destroy(), dbBeside.destroy()]);
  };
  return async () => {
    const leave = [heartbeat.stop(), stopPublishing()].map((end) => within(end, HEARTBEAT_END_MS));
    await Promise.all([running.stop(), ...leave]);
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
