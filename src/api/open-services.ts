/** Opens the services of an API process from its configuration, and closes them. */
import { connectDb } from '../../db/connection.js';
import { watchConnections } from '../../db/connection-watch.js';
import { publishSnapshots } from '../../db/process-snapshots.js';
import type { Config } from '../config/config.js';
import { AccessRecorder } from '../domain/access/access-recorder.js';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { createQuotaKeeper } from '../domain/access/quota-keeper.js';
import { createFeedWatch } from '../domain/changes/watch-feed.js';
import { createApprovalRules } from '../domain/settings/approval-rules.js';
import { Targets } from '../domain/webhooks/targets.js';
import { within } from '../platform/concurrency/within.js';
import { FailureBackoff } from '../platform/limits/failure-backoff.js';
import { createPermits } from '../platform/limits/permits.js';
import type { Logger } from '../platform/logger.js';
import { measuredStore } from '../platform/metrics/measured-store.js';
import { Metrics } from '../platform/metrics.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { openFileStore } from '../platform/open-file-store.js';
import { logOutage } from '../platform/outage-log.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { VERSION } from '../platform/version.js';
import { Progress } from '../platform/watchdog.js';
import { enqueueEntries, type OutboxEntry } from '../queues/outbox.js';
import { createProducer } from '../queues/producer.js';
import { createJobAcceptor } from './accept-in-batches.js';
import { ACQUIRE_MS } from './acquire-limit.js';
import { createClientAddresses } from './client-address.js';
import { createIdentityProvider } from './identity-provider.js';
import { createJobEnds } from './job-ends.js';
import { createGrantTurns } from './limits/grant-turns.js';
import { createReadiness } from './readiness.js';
import type { ApiServices } from './services.js';

/** Connections of the queue's producer. Requests enqueue with one statement at a time. */
const QUEUE_POOL_MAX = 3;

/** How long the end of the process waits for the metrics that are being written. */
const PUBLISHED_WITHIN_MS = 1_000;

/** Tries with wrong secrets that are answered at once, and how long the pair of client and address waits after them. */
const WRONG_SECRETS = { free: 4, firstMs: 1_000, longestMs: 300_000 };
/** Likewise for logins from an address, which many people may share: nobody guesses 256 bits, but each try is a query. */
const WRONG_LOGINS = { free: 20, firstMs: 1_000, longestMs: 60_000 };

/** Logins at a time that wait for the identity provider. */
const LOGINS_BY_PROVIDER = 10;

const QUEUE_OUTAGE = 'the queue does not work; what could not be enqueued is enqueued later';

interface OwnedServices {
  readonly services: ApiServices;
  /** Advances when a connection of requests to the database is used. */
  readonly progress: Progress;
  close(): Promise<void>;
}

/** @param life what the process knows only later: its address, and when it stops */
export function openServices(
  config: Config,
  logger: Logger,
  life: Pick<ApiServices, 'publicUrl' | 'stopping'>,
): OwnedServices {
  const watch = watchConnections({ url: config.databaseUrl, silenceMs: config.databaseSilenceMs, impatient: true });
  const progress = new Progress();
  const db = connectDb({
    url: config.databaseUrl,
    poolMax: config.databasePoolMax,
    name: 'longshore-api',
    acquireMs: ACQUIRE_MS,
    // A request waits only a limited time for locks of a job, because all tenants share these connections.
    lockWaitMs: config.lockWaitMs,
    statementMs: config.statementTimeoutMs,
    preparesStatements: config.preparesStatements,
    watch,
    onActivity: progress.advance,
  });
  const queue = openQueueConnection({
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    redisTls: config.redisTls,
    queuePrefix: config.queuePrefix,
    role: 'producer',
    poolMax: QUEUE_POOL_MAX,
    onConnect: watch.add,
    logger,
  });
  const producer = createProducer(queue, (error) => logOutage(logger, 'queue', error, QUEUE_OUTAGE));
  const jobEnds = createJobEnds(db, config.databaseUrl, watch, logger);
  const { allowedNetworks, timeoutMs } = config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName: createNameResolver(), timeoutMs });
  const metrics = new Metrics();
  metrics.describe(['web'], VERSION);
  metrics.watchPool(db.client.pool, config.databasePoolMax);
  const fileStore = measuredStore(openFileStore(config.storage), metrics);
  const enqueue = (outboxEntries: readonly OutboxEntry[]) => enqueueEntries(producer, outboxEntries, logger);
  const acceptJob = createJobAcceptor({ db, enqueue, logger });
  const recorder = new AccessRecorder(db, logger);
  recorder.start();
  const readiness = createReadiness({ config, db, logger, producer, fileStore });
  metrics.watchParts(readiness.parts);
  const stopPublishing = publishSnapshots(
    db,
    readiness.processId,
    () => metrics.publish(),
    (error) => logger.debug({ err: error }, 'the metrics of this process could not be published'),
  );
  return {
    progress,
    services: {
      config,
      db,
      logger,
      metrics,
      producer,
      fileStore,
      targets,
      tokens: createAuthenticator(db),
      acceptJob,
      quotas: createQuotaKeeper(db),
      jobEnds,
      approvalRules: createApprovalRules(db),
      feedWatch: createFeedWatch(db, (error) =>
        logOutage(logger, 'database', error, 'changes could not be looked for'),
      ),
      readiness,
      addresses: createClientAddresses(config, logger),
      clientFailures: new FailureBackoff(WRONG_SECRETS),
      loginFailures: new FailureBackoff(WRONG_LOGINS),
      grantInTurn: createGrantTurns(),
      provider: config.provider === undefined ? null : createIdentityProvider(config.provider, logger),
      askInTurn: createGrantTurns(LOGINS_BY_PROVIDER),
      templatePermits: createPermits(1),
      recorder,
      ...life,
    },
    close: async () => {
      await within(stopPublishing(), PUBLISHED_WITHIN_MS);
      await readiness.close();
      await recorder.close();
      await jobEnds.close();
      await targets.close();
      await producer
        .close()
        .catch((error: unknown) => logger.warn({ err: error }, 'the producer did not close cleanly'));
      await queue.close();
      await db.destroy();
    },
  };
}
