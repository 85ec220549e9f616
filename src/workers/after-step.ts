/**
 * What follows a step, whatever its queue: due entries are enqueued, clients that wait for the job's end are notified,
 * and failures are recorded. Handlers are given these functions (createHandlers), so that the file of a handler loads the
 * work of its own queue and not that of all types of jobs.
 */

import { JOB_TYPES } from '../domain/job-types.js';
import { followEnd, followEnds } from '../domain/jobs/follow-end.js';
import type { Failure } from '../domain/jobs/model/failure.js';
import { recordFailure } from '../domain/jobs/record-failure.js';
import { suspectStep } from '../domain/jobs/suspects.js';
import type { StepPayload } from '../queues/define-queue.js';
import { enqueueEntries, type JobOutboxEntry, type OutboxEntry } from '../queues/outbox.js';
import type { WorkerServices } from './context.js';

export async function send(
  { producer, logger }: WorkerServices,
  outboxEntries: readonly OutboxEntry[],
  delayMs = 0,
): Promise<void> {
  if (outboxEntries.length > 0) await enqueueEntries(producer, outboxEntries, logger, delayMs);
}

/**
 * Announces the end of a job, enqueues deliveries of its events, and releases jobs that were held for it.
 * @param applySeconds how long a transaction took that has applied all rows of the job
 */
export async function afterEnd(services: WorkerServices, jobId: string, applySeconds?: number): Promise<void> {
  const { db, logger, metrics } = services;
  const entries = await followEnd(db, JOB_TYPES, jobId, (job) => {
    const { type, outcome, reason, rows, counts, seconds } = job;
    const why = reason === null ? {} : { reason };
    const waits = outcome === 'AWAITING_APPROVAL';
    const line = waits ? 'a job waits for an approval' : 'a job has ended';
    logger.info({ jobId, type, rows, failedRows: counts.failed, seconds, outcome, ...why }, line);
    if (!waits) metrics?.jobEnded(job.kind, outcome, seconds);
    if (applySeconds !== undefined) metrics?.rowsApplied(job.kind, counts, applySeconds);
  });
  await send(services, entries);
}

/** Follows ends that were announced: see followEnds. @returns what to enqueue */
export function endsFollowed(
  { db }: WorkerServices,
  ended: Parameters<typeof followEnds>[2],
  siteIds: readonly number[],
): Promise<OutboxEntry[]> {
  return followEnds(db, JOB_TYPES, ended, siteIds);
}

type Step = StepPayload & { readonly chunk?: number | undefined };

/** What a failure is unless something else is known about it. */
const OWN_FAULT: Failure = { kind: 'error', reason: 'INTERNAL_ERROR' };

/** Handles the failure of a step: it is retried, or it has failed permanently, and its job with it. */
export function stepFailed(
  services: WorkerServices,
  step: Step,
  error: unknown,
  failure: Failure = OWN_FAULT,
): Promise<'permanently' | undefined> {
  return stepsFailed(services, [step], error, failure);
}

/** Handles one failure of several steps. @returns whether one of them has failed permanently */
export async function stepsFailed(
  services: WorkerServices,
  steps: readonly Step[],
  error: unknown,
  failure: Failure,
): Promise<'permanently' | undefined> {
  const { db, logger, metrics } = services;
  const [{ jobId, chunk, dispatch }] = steps as readonly [Step];
  const others = steps.length > 1 ? { others: steps.length - 1 } : {};
  logger.warn({ err: error, jobId, chunk, dispatch, failure, ...others }, 'a step failed');
  metrics?.redispatched(failure.kind);
  let permanently = false;
  const entriesByDelay = new Map<number, OutboxEntry[]>();
  for (const step of steps) {
    const { outboxEntries, delayMs, outcome } = await recordFailure(db, JOB_TYPES, step, failure);
    entriesByDelay.set(delayMs, [...(entriesByDelay.get(delayMs) ?? []), ...outboxEntries]);
    permanently ||= outcome !== 'goes-on';
    if (outcome !== 'ended') continue;
    logger.error({ err: error, jobId: step.jobId }, 'a job has failed permanently');
    await afterEnd(services, step.jobId);
  }
  for (const [delayMs, entries] of entriesByDelay) await send(services, entries, delayMs);
  return permanently ? 'permanently' : undefined;
}

/** Records that a worker was lost during a step: each further start of the step is suspect. */
export function stepSuspected({ db }: WorkerServices, step: JobOutboxEntry): Promise<void> {
  return suspectStep(db, step);
}
