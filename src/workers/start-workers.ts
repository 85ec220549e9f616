/** Starts the workers of some queue groups, and shuts them down gracefully. */
import type { Job } from 'bullmq';
import { DelayedError, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Db } from '../../db/connection.js';
import type { Failure } from '../domain/jobs/model/failure.js';
import { DeliveryEngine } from '../domain/webhooks/delivery-engine.js';
import { Targets } from '../domain/webhooks/targets.js';
import { backoffMs, OUTAGE_BACKOFF } from '../platform/backoff.js';
import { createSemaphore } from '../platform/concurrency/semaphore.js';
import { SharedLimit } from '../platform/concurrency/shared-limit.js';
import { within } from '../platform/concurrency/within.js';
import type { Metrics } from '../platform/metrics.js';
import { createNameResolver } from '../platform/name-resolver.js';
import { outageOf } from '../platform/outage.js';
import { logOutage } from '../platform/outage-log.js';
import type { QueueConnection } from '../platform/queue-connection.js';
import { tracing } from '../platform/tracing.js';
import type { PayloadOf, QueueContract, QueueGroup } from '../queues/define-queue.js';
import { queues } from '../queues/index.js';
import { CancelledJobs } from './cancelled-jobs.js';
import type { HandlerServices, WorkerServices } from './context.js';
import { failureOf } from './failure.js';
import type { Handler } from './handler.js';
import { createHandlers } from './index.js';
import { LastingWorker } from './lasting-worker.js';
import { runAlone } from './lone-process.js';
import type { RunningMaintenance } from './maintenance/run-maintenance.js';
import { runMaintenance } from './maintenance/run-maintenance.js';
import { Snooze } from './snooze.js';
import { stopBudget } from './stop-budget.js';

/**
 * Atomic jobs that a process applies at the same time. Each keeps a transaction open, with a connection and the memory
 * of two chunks, and none should wait until that of another tenant ends. Files of one chunk are not counted: their plan
 * step executes them.
 */
export const ATOMIC_JOBS = 4;

/** Queue jobs with small jobs that a process picks up at the same time, to execute them together. */
const BATCHES_AHEAD = 16;

/** Fan-outs that a process has picked up. Most of one account wait for each other, and leave places for those of others. */
const FAN_OUTS = 8;

/**
 * Deliveries of one account that are in flight at the same time in a busy process, while it has deliveries of others or
 * executes steps of jobs: each answer that arrives at the same moment keeps these waiting.
 */
const LEAST_DELIVERIES = 4;
/** Stands for all steps of jobs beside the accounts that have deliveries. */
const JOBS = 'jobs';

/** Connections for queues on Postgres: one for LISTEN, and a few shared. With too few, no job can start. */
export const CONSUMING_CONNECTIONS = 1 + 8;

export const WORKER_GROUPS = ['bulk', 'export', 'webhook', 'maintenance'] as const;
export type WorkerGroup = (typeof WORKER_GROUPS)[number];

interface RunningWorkers {
  /** Finishes running jobs within most of the grace period, then returns the rest to the queue. */
  stop(): Promise<void>;
}

export function startWorkers(
  services: WorkerServices,
  connection: QueueConnection,
  groups: ReadonlySet<WorkerGroup>,
): RunningWorkers {
  const { config, logger } = services;
  const concurrency = {
    planJob: config.planConcurrency,
    planBatch: BATCHES_AHEAD,
    applyChunk: config.chunkConcurrency,
    applyAtomicJob: ATOMIC_JOBS,
    finishJob: 2,
    fanOutEvent: FAN_OUTS,
    replayDeliveries: 1,
    deliverBatch: config.webhooks.deliveryConcurrency,
    deliverWebhook: config.webhooks.deliveryConcurrency,
    redeliverWebhook: config.webhooks.deliveryConcurrency,
    exportJob: config.exportConcurrency,
  } satisfies Record<keyof typeof queues, number>;
  const handlers = createHandlers();
  const { deliveryConcurrency } = config.webhooks;
  const ofAccount = new SharedLimit({
    alone: deliveryConcurrency,
    contended: deliveryConcurrency,
    least: LEAST_DELIVERIES,
  });
  const { deliveries, close } = openDeliveries(services, ofAccount);
  const handlerServices: HandlerServices = { ...services, deliveries, fanOuts: deliveries };
  const { db, dbBeside = db } = services;
  const cancelledJobs = new CancelledJobs(dbBeside, logger);
  const alone = createSemaphore(ALONE_AT_ONCE);
  const names = Object.keys(queues) as (keyof typeof queues)[];
  const workers: RunningWorker[] = names
    .filter((name) => (groups as ReadonlySet<QueueGroup | WorkerGroup>).has(queues[name].group))
    .map((name) =>
      runWorker(
        name,
        queues[name] as QueueContract<unknown>,
        handlers[name] as Handler<unknown, HandlerServices>,
        handlerServices,
        { connection, concurrency: concurrency[name], alone, cancelledJobs, ofAccount },
      ),
    );
  const maintenance: RunningMaintenance | undefined = groups.has('maintenance')
    ? runMaintenance({ ...services, db: dbBeside })
    : undefined;

  return {
    stop: async () => {
      const { drainMs, handBackMs } = stopBudget(config.shutdownGraceMs);
      const drained = Promise.all([...workers.map((worker) => worker.drain()), maintenance?.stop()]);
      if (!(await within(drained, drainMs))) {
        logger.warn('the grace period is nearly over; running jobs are returned to the queue');
        for (const worker of workers) worker.handBack();
        await within(drained, handBackMs);
      }
      cancelledJobs.stop();
      await close();
    },
  };
}

// The delivery engine of a process, and its connections to targets, which the delivery handlers share.

/** A circuit breaker is open for at most so many times its first period: 30 s become 16 minutes. */
const LONGEST_OPENING = 32;

interface OpenDeliveries {
  readonly deliveries: DeliveryEngine;
  close(): Promise<void>;
}

function openDeliveries(services: WorkerServices, ofAccount: SharedLimit): OpenDeliveries {
  const { db, config, logger, metrics, shareOf, resolveName = createNameResolver() } = services;
  const { allowedNetworks, scheduleMs, breakerOpenMs, timeoutMs, endpointConcurrency, deliveryConcurrency } =
    config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName, timeoutMs });
  const policy = { scheduleMs, breakerOpenMs, breakerMaxMs: LONGEST_OPENING * breakerOpenMs };
  const { secretsKeys } = config;
  return {
    deliveries: new DeliveryEngine({
      ...{ db, sender: traced(targets.sender), secretsKeys, policy, logger, metrics, shareOf },
      perEndpoint: endpointConcurrency,
      inFlight: deliveryConcurrency,
      ofAccount,
    }),
    close: () => targets.close(),
  };
}

// Runs one queue's handler: the only code that creates a BullMQ worker.

/** So high because a lost worker is not the job's fault: what counts is in our own rows. */
const MAX_STALLS = 1_000;
/** The first status by which a target does not accept a delivery. */
const FIRST_FAILURE = 300;
/** Steps that a process has executed by themselves at the same time: each needs a process, and half a dozen connections. */
const ALONE_AT_ONCE = 2;
/** A process for one step could not be started, or was ended by others. */
const ALONE_AGAIN_MS = 5_000;

interface RunOptions {
  readonly connection: QueueConnection;
  readonly concurrency: number;
  /** Limits how many steps of the process run in processes of their own. */
  readonly alone: ReturnType<typeof createSemaphore>;
  readonly cancelledJobs: CancelledJobs;
  /** What the deliveries of an account leave to the steps of jobs, among others. */
  readonly ofAccount: SharedLimit;
}

interface RunningWorker {
  readonly queue: string;
  /** Picks up no further job. Resolves when running jobs are done and, if it is reachable, the queue knows. */
  drain(): Promise<void>;
  /** Returns running jobs to the queue, where another worker can pick them up at once. */
  handBack(): void;
}

function runWorker<Payload, Services extends WorkerServices>(
  queue: keyof typeof queues,
  contract: QueueContract<Payload>,
  handler: Handler<Payload, Services>,
  services: Services,
  { connection, concurrency, alone, cancelledJobs, ofAccount }: RunOptions,
): RunningWorker {
  const { config, logger, metrics } = services;
  const inFlight = new Set<Promise<void>>();
  const kept = keepFinished();

  /** @returns how the step has ended, if the queue job is done */
  async function work(
    job: Job,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<'done' | 'failed'> {
    const payload = contract.payload.parse(job.data);
    if (contract.group !== 'webhook') ofAccount.notice(JOBS);
    const stop = signal ?? new AbortController().signal;
    try {
      await inSpans(services.db, contract.name, handler.jobOf?.(payload), payload, () => start(job, payload, stop));
      return 'done';
    } catch (error) {
      if (error instanceof JobFailed) throw error;
      if (error instanceof Snooze) return snooze(job, token, error.delayMs);
      if (stop.aborted) return giveBack(job, token);
      await failed(job, token, payload, error);
      return 'failed';
    }
  }

  async function measured(working: Promise<'done' | 'failed'>): Promise<void> {
    const began = performance.now();
    const ended = (end: Parameters<Metrics['stepEnded']>[1]) =>
      metrics?.stepEnded(contract.name, end, (performance.now() - began) / 1000);
    try {
      ended(await working);
    } catch (error) {
      ended(error instanceof DelayedError ? 'snoozed' : error instanceof WaitingError ? 'returned' : 'failed');
      throw error;
    }
  }

  async function start(job: Job, payload: Payload, stop: AbortSignal): Promise<void> {
    const runHere = async (signal: AbortSignal) => {
      const work = () => handler.run(services, payload, signal, 1);
      return services.workProgress === undefined
        ? work()
        : services.workProgress.steps.of(describe(job, payload), work);
    };
    if (handler.handlesSignal) return runHere(stop);
    const run = (signal: AbortSignal) =>
      unlessAborted(signal, isSuspect(job, payload) ? startAlone(job, payload, signal) : runHere(signal));
    if (handler.jobOf === undefined) return run(stop);
    await cancelledJobs.run(handler.jobOf(payload), stop, run);
  }

  /**
   * Executes a step in a process of its own, again when that process ends in the middle of it. These ends are counted,
   * and no others; after the last one the step has failed, and finds that it has nothing to do.
   */
  async function startAlone(job: Job, payload: Payload, stop: AbortSignal): Promise<void> {
    // The payload may say so without a stall of this queue job.
    const starts = Math.max(job.stalledCounter, 1) + 1;
    // As another queue job, the step is suspected as before.
    await handler.suspected?.(services, payload);
    for (;;) {
      const end = await alone(() => runAlone({ config, queue, payload, starts }, stop)).catch((error) => {
        if (stop.aborted) throw error;
        logger.warn({ err: error, queue: contract.name }, 'a step could not be executed by itself, and is snoozed');
        throw new Snooze(ALONE_AGAIN_MS);
      });
      if (end.kind === 'done') return;
      if (end.kind === 'snoozed') throw new Snooze(end.delayMs);
      if (end.kind === 'threw') return recordFailure(job, payload, new Error(end.message), end.failure);
      const error = new Error(`a step has ended the process in which it ran by itself: ${end.how}`);
      await recordFailure(job, payload, error, { kind: 'death', how: end.how });
    }
  }

  /** A step in words, for the watchdog. */
  function describe({ id }: Job, payload: Payload): string {
    const jobId = handler.jobOf?.(payload);
    return `step ${contract.name} ${jobId === undefined ? `(queue job ${id})` : `of job ${jobId}`}`;
  }

  /** @throws JobFailed when the job of the step has failed with it */
  async function recordFailure(job: Job, payload: Payload, error: unknown, failure?: Failure): Promise<void> {
    const failed = await handler.failed(services, payload, error, failure);
    if (failed === 'permanently') throw new JobFailed(handler.jobOf?.(payload) ?? job.id ?? '');
  }

  async function failed(job: Job, token: string | undefined, payload: Payload, error: unknown): Promise<void> {
    try {
      await recordFailure(job, payload, error, await failureOf(services, error));
    } catch (reason) {
      if (reason instanceof Snooze) return snooze(job, token, reason.delayMs);
      if (outageOf(reason) === null) throw reason;
      // Not even the failure can be recorded now, so no attempt is spent.
      logger.warn({ err: reason, queue: contract.name, job: job.id }, 'a job waits until the outage has ended');
      return snooze(job, token, backoffMs(OUTAGE_BACKOFF, job.attemptsStarted));
    }
  }

  const onError = (error: unknown) => logOutage(logger, 'queue', error, 'the queue does not work');
  const makeWorker = () => {
    const worker = new Worker(
      contract.name,
      async (job: Job, token: string | undefined, signal: AbortSignal | undefined) => {
        const working = measured(work(job, token, signal));
        inFlight.add(working);
        try {
          await working;
          job.opts.removeOnComplete = kept();
        } catch (error) {
          throw forTheQueue(error);
        } finally {
          inFlight.delete(working);
        }
      },
      {
        connection: connection.connection,
        prefix: connection.prefix,
        ...(connection.telemetry === undefined ? {} : { telemetry: connection.telemetry }),
        concurrency,
        ...(services.processId === undefined ? {} : { name: services.processId }),
        autorun: false,
        lockDuration: config.lockMs,
        stalledInterval: config.stalledMs,
        maxStalledCount: MAX_STALLS,
        removeOnFail: { age: 86_400, count: 1_000 },
      },
      connection.backendFactory,
    );
    worker.on('error', onError);
    // The step could not even record its failure, as without the database. The reconciler enqueues it again.
    worker.on('failed', (_job, error) => {
      if (!(error instanceof JobFailed)) logOutage(logger, 'steps', error, 'steps failed, and will be enqueued again');
    });
    worker.on('lockRenewalFailed', (ids) => {
      // Such a handler has sent requests that cannot be undone, and still has to record them.
      if (handler.handlesSignal) return;
      for (const id of ids) worker.cancelJob(id, 'the lock of the job was lost');
    });
    return worker;
  };
  const worker = new LastingWorker(makeWorker, onError);
  return {
    queue: contract.name,
    drain: async () => {
      const closed = worker.close();
      // A worker whose queue is unreachable would wait for it to come back.
      const idle = Promise.allSettled(inFlight).then(() => (connection.isUp() ? closed : undefined));
      await Promise.race([closed, idle]);
    },
    handBack: () => worker.cancelAllJobs('the worker is shutting down'),
  };
}

/**
 * A job has failed permanently, which is recorded: its queue job ends as failed, so that the dashboard lists it. The text
 * has no more than the id, because a queue holds no data of tenants.
 */
class JobFailed extends UnrecoverableError {
  constructor(jobId: string) {
    super(
      `job ${jobId} has failed permanently: GET /jobs/${jobId} says why, and POST /jobs/${jobId}/actions/retry repeats it`,
    );
  }
}

/**
 * A queue keeps the messages of errors. Those of the database and of libraries may quote rows, so it gets another one;
 * the log of the worker has the cause.
 */
function forTheQueue(error: unknown): unknown {
  const isOwn = error instanceof JobFailed || error instanceof DelayedError || error instanceof WaitingError;
  return isOwn
    ? error
    : new Error('the step has failed, and so has recording it: see the log of the worker', { cause: error });
}

/** Finished jobs of each queue that are kept for the dashboard. */
const KEPT_JOBS = 200;
/** After so many more of them the older ones are removed, because BullMQ reads all that are kept to do it. */
const TRIMMED_AFTER = 100;

/** @returns for the end of each job, which finished ones BullMQ keeps */
function keepFinished(): () => boolean | { count: number } {
  let ended = 0;
  // The first one removes what earlier processes have left.
  return () => ended++ % TRIMMED_AFTER === 0 && { count: KEPT_JOBS };
}

/**
 * The queue found the job without its worker: that worker has ended, its host was stopped, or it lost the queue. Or an
 * earlier queue job of the same step was found so.
 */
function isSuspect({ stalledCounter }: Job, payload: unknown): boolean {
  return stalledCounter > 0 || (typeof payload === 'object' && payload !== null && 'suspect' in payload);
}

type WebhookSender = Targets['sender'];

// Traces: a step is a span in the trace of its job's request, and so is each request to a target.

/** Runs a step, and makes a span of it for each job that it names. */
async function inSpans(
  db: Db,
  queue: string,
  jobId: string | undefined,
  payload: unknown,
  work: () => Promise<void>,
): Promise<void> {
  const tracer = tracing();
  const jobIds = tracer === undefined ? [] : jobId === undefined ? batchedJobs(payload) : [jobId];
  if (tracer === undefined || jobIds.length === 0) return work();
  // Without the database the step fails by itself.
  const rows: { id: string; traceparent: string | null }[] = await db('job')
    .whereIn('id', jobIds)
    .select('id', 'traceparent')
    .catch(() => []);
  const spans = rows.map(({ id, traceparent }) =>
    tracer.start({
      name: `step ${queue}`,
      kind: 'internal',
      parent: traceparent,
      attributes: { 'longshore.job_id': id, 'longshore.queue': queue },
    }),
  );
  const [only, ...others] = spans;
  let failed = true;
  try {
    await (only === undefined || others.length > 0 ? work() : only.run(work));
    failed = false;
  } finally {
    for (const span of spans) span.end({ failed });
  }
}

/** The jobs that are executed together by a step that is no job's own. */
function batchedJobs(payload: unknown): string[] {
  const { steps = [] } = payload as Partial<PayloadOf<typeof queues.planBatch>>;
  return steps.map(({ jobId }) => jobId);
}

/** A span for each request to a target, whose context the request carries. */
function traced(sender: WebhookSender): WebhookSender {
  const tracer = tracing();
  if (tracer === undefined) return sender;
  return {
    close: () => sender.close(),
    send: async (request, signal) => {
      const { method, headers } = request;
      const parent = headers.traceparent ?? null;
      const span = tracer.start({ name: 'webhook', kind: 'client', parent });
      const sent = { ...request, headers: { ...headers, traceparent: span.traceparent } };
      const result = await span.run(() => sender.send(sent, signal));
      const status = result.kind === 'answered' ? { 'http.response.status_code': result.statusCode } : {};
      span.end({
        failed: result.kind !== 'answered' || result.statusCode >= FIRST_FAILURE,
        attributes: { 'http.request.method': method, 'longshore.outcome': result.kind, ...status },
      });
      return result;
    },
  };
}

/** Does not wait for work after the abort: it may hang in the database. Its fencing token is refused if it is late. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Error(String(signal.reason)));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns a job to the queue. It keeps its fencing token, because the hanging work may have locked the row; no attempt
 * is counted.
 * @throws always: this is how BullMQ learns that the job is neither done nor failed
 */
async function giveBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token).catch(() => {
    // The lock was lost: another worker has picked up the job, or will when BullMQ finds it stalled.
  });
  throw new WaitingError();
}

/** @throws always, like giveBack */
async function snooze(job: Job, token: string | undefined, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token).catch(() => {
    // The lock was lost, or the queue is unreachable: the job runs again when BullMQ finds it stalled.
  });
  throw new DelayedError();
}
