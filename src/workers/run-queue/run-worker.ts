/** Runs one queue's handler: the only code that creates a BullMQ worker. */
import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import type { Failure } from '../../domain/jobs/model/failure.js';
import { backoffMs, OUTAGE_BACKOFF } from '../../platform/backoff.js';
import type { createSemaphore } from '../../platform/limits/semaphore.js';
import type { Metrics } from '../../platform/metrics.js';
import { outageOf } from '../../platform/outage.js';
import { logOutage } from '../../platform/outage-log.js';
import type { QueueConnection } from '../../platform/queue-connection.js';
import type { QueueContract } from '../../queues/define-queue.js';
import type { queues } from '../../queues/index.js';
import type { CancelledJobs } from '../cancelled-jobs.js';
import type { WorkerServices } from '../context.js';
import { failureOf } from '../failure.js';
import type { Handler } from '../handler.js';
import { LastingWorker } from '../lasting-worker.js';
import { runAlone } from '../lone-process.js';
import { Snooze } from '../snooze.js';
import { forTheQueue, JobFailed } from './job-failed.js';
import { giveBack, snooze, unlessAborted } from './return-job.js';
import { inSpans } from './trace.js';

/** So high because a lost worker is not the job's fault: what counts is in our own rows. */
const MAX_STALLS = 1_000;
/** A process for one step could not be started, or was ended by others. */
const ALONE_AGAIN_MS = 5_000;

interface RunOptions {
  readonly connection: QueueConnection;
  readonly concurrency: number;
  /** Limits how many steps of the process run in processes of their own. */
  readonly alone: ReturnType<typeof createSemaphore>;
  readonly cancelledJobs: CancelledJobs;
}

export interface RunningWorker {
  readonly queue: string;
  /** Picks up no further job. Resolves when running jobs are done and, if it is reachable, the queue knows. */
  drain(): Promise<void>;
  /** Returns running jobs to the queue, where another worker can pick them up at once. */
  handBack(): void;
}

export function runWorker<Payload, Services extends WorkerServices>(
  queue: keyof typeof queues,
  contract: QueueContract<Payload>,
  handler: Handler<Payload, Services>,
  services: Services,
  { connection, concurrency, alone, cancelledJobs }: RunOptions,
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
      const work = () => handler.run(services, payload, signal);
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
    // Recorded too, so that the step is suspected as before when it is another queue job.
    await handler.suspected?.(services, payload);
    const suspect = contract.payload.parse({ ...job.data, suspect: true });
    for (;;) {
      const end = await alone(() => runAlone({ config, queue, payload: suspect }, stop)).catch((error) => {
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
 * The queue found the job without its worker: that worker has ended, its host was stopped, or it lost the queue. Or an
 * earlier queue job of the same step was found so.
 */
function isSuspect({ stalledCounter }: Job, payload: unknown): boolean {
  return stalledCounter > 0 || (typeof payload === 'object' && payload !== null && 'suspect' in payload);
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
