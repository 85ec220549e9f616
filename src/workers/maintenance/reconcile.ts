/** Makes the queue consistent with the database: enqueues what is committed and due, but is not on the queue. */
import { JOB_TYPES } from '../../domain/job-types.js';
import { advanceJob } from '../../domain/jobs/apply-chunks.js';
import {
  type BatchedStep,
  noteSeen,
  overdueEntries,
  planStepOf,
  reconcileOrders,
  redispatchBatched,
  redispatchLost,
  releaseLost,
  stuckJobs,
} from '../../domain/jobs/reconcile-jobs.js';
import type { DueDelivery, OverdueDelivery } from '../../domain/webhooks/redispatch.js';
import {
  entryOf,
  OverdueDeliveries,
  overdueFanOuts,
  redispatchDeliveries,
  redispatchFanOut,
  releaseAllCollected,
} from '../../domain/webhooks/redispatch.js';
import { planBatch } from '../../queues/contracts/plan-batch.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { isEntryPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/**
 * Runs the reconciler once.
 * @param deliveries where the previous run of this process stopped
 * @param progress is called whenever the queue or the database has answered
 * @returns how many outbox entries the queue had lost
 */
export async function reconcile(
  services: WorkerServices,
  deliveries = new OverdueDeliveries(),
  progress: () => void = () => undefined,
): Promise<number> {
  const { db, config } = services;
  const run: Run = { ...services, progress };
  const rescued = await rescueLost(run, await overdueEntries(db, config.reconcileGraceMs));
  for (const jobId of await stuckJobs(db)) {
    progress();
    await send(services, await advanceJob(db, jobId));
  }
  progress();
  await send(services, await releaseLost(db, JOB_TYPES));
  progress();
  await send(services, await releaseAllCollected(db));
  progress();
  const planned = await reconcileOrder(run);
  progress();
  return rescued + planned + (await reconcileFanOuts(run)) + (await reconcileDeliveries(run, deliveries));
}

interface Run extends WorkerServices {
  progress(): void;
}

// Deliveries.

/** The size of the first sample: for a backlog that the queue still has, few entries are checked. */
const SAMPLE = 100;
/** The size of further batches: when some of a sample were lost, all deliveries of its endpoint may be. */
const BATCH = 2_000;
const MOST_BATCHES = 10;
/** After a page of endpoints that had lost some, the next page is checked in the same pass: all may have lost theirs. */
const MOST_PAGES = 100;
/** A pass ends after so many: it has other work to do. */
const ENOUGH_RESCUED = 20_000;
/** Entries that are looked up on the queue at the same time. */
const CHECKED_AT_ONCE = 50;

/** Enqueues deliveries again that the queue has lost. @returns how many */
async function reconcileDeliveries(services: Run, overdue: OverdueDeliveries): Promise<number> {
  let rescued = 0;
  for (let page = 0; page < MOST_PAGES && rescued < ENOUGH_RESCUED; page++) {
    const lost = await reconcilePage(services, overdue);
    services.progress();
    rescued += lost;
    if (lost === 0) break;
  }
  if (rescued > 0) services.logger.info({ count: rescued }, 'the queue had lost deliveries; enqueued them again');
  return rescued;
}

/** Checks the deliveries of the next endpoints. @returns how many were lost and are enqueued again */
async function reconcilePage(services: Run, overdue: OverdueDeliveries): Promise<number> {
  const { db, config } = services;
  let rescued = 0;
  let endpoints = await overdue.nextEndpoints(db, config.reconcileGraceMs);
  for (let batch = 0, most = SAMPLE; batch < MOST_BATCHES && endpoints.length > 0; batch++, most = BATCH) {
    const checked = await overdue.read(db, config.reconcileGraceMs, endpoints, most);
    const lost = await lostOf(services, checked);
    const again = await redispatchDeliveries(db, lost);
    await send(services, again);
    rescued += again.length;
    endpoints = [...new Set(lost.map(({ endpoint }) => endpoint))].filter((endpoint) => overdue.hasMore(endpoint));
  }
  return rescued;
}

/** Returns those of the overdue deliveries that the queue does not have. */
async function lostOf(
  { producer, progress }: Run,
  overdue: readonly OverdueDelivery[],
): Promise<readonly OverdueDelivery[]> {
  const carriers = [...new Map(overdue.map((due) => [carrierOf(due), entryOf(due)]))];
  const pending = new Set<string>();
  for (let from = 0; from < carriers.length; from += CHECKED_AT_ONCE) {
    const checked = carriers.slice(from, from + CHECKED_AT_ONCE);
    const answers = await Promise.all(checked.map(([, entry]) => isEntryPending(producer, entry)));
    progress();
    for (const [index, [carrier]] of checked.entries()) if (answers[index] === true) pending.add(carrier);
  }
  return overdue.filter((due) => !pending.has(carrierOf(due)));
}

/** Identifies the BullMQ job that makes a delivery: deliveries of one batch share a job. */
function carrierOf(due: DueDelivery): string {
  const { queue, payload } = entryOf(due);
  return JSON.stringify([queue, payload]);
}

// Steps and chunks of jobs.

/** Enqueues those of the overdue entries that the queue has lost. @returns how many */
async function rescueLost(services: Run, overdue: readonly JobOutboxEntry[]): Promise<number> {
  const { db, producer, logger } = services;
  let rescued = 0;
  const seen: JobOutboxEntry[] = [];
  for (const entry of overdue) {
    services.progress();
    if (await isEntryPending(producer, entry)) {
      seen.push(entry);
      continue;
    }
    const again = await redispatchLost(db, entry, await mayRunInline(services, entry));
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload, queue: entry.queue }, 'the queue had lost an outbox entry; enqueued it again');
    await send(services, [again]);
  }
  if (seen.length > 0) await noteSeen(db, seen);
  return rescued;
}

/** Whether the plan step of the job is on the queue: it may have ended its worker while it executed this step inline. */
async function mayRunInline({ db, producer }: Run, entry: JobOutboxEntry): Promise<boolean> {
  const planStep = await planStepOf(db, entry);
  return planStep !== null && (await isEntryPending(producer, planStep));
}

// Fan-outs.

/** Enqueues fan-outs again that the queue has lost; they continue where they stopped. @returns how many */
async function reconcileFanOuts(services: Run): Promise<number> {
  const { db, producer, config, logger } = services;
  let rescued = 0;
  for (const entry of await overdueFanOuts(db, config.reconcileGraceMs)) {
    services.progress();
    if (await isEntryPending(producer, entry)) continue;
    const again = await redispatchFanOut(db, entry);
    if (again === null) continue;
    rescued++;
    logger.info({ ...entry.payload }, 'the queue had lost a fan-out; enqueued it again');
    await send(services, [again]);
  }
  return rescued;
}

// Plan steps, in the ordering queues of the sites.

/** Releases due jobs of all sites, and enqueues plan steps again that were lost. @returns how many were lost */
async function reconcileOrder(services: Run): Promise<number> {
  const { db, config } = services;
  let rescued = 0;
  const batched: BatchedStep[] = [];
  for await (const { due, overdue, overdueBatched } of reconcileOrders(db, config.reconcileGraceMs)) {
    services.progress();
    await send(services, due);
    rescued += await rescueLost(services, overdue);
    batched.push(...overdueBatched);
    if (batched.length >= BATCH) rescued += await rescueBatched(services, batched.splice(0));
  }
  return rescued + (await rescueBatched(services, batched));
}

/** The clocks of the database and of the processes that enqueue may differ by so much. */
const CLOCKS_DIFFER_MS = 2_000;

/**
 * Enqueues plan steps of small jobs again that were lost. Which queue job has one of them is not recorded, but the queue
 * runs them in the order in which they were enqueued: it has lost a step that is older than all that it still has.
 * @returns how many were lost
 */
async function rescueBatched(services: Run, overdue: readonly BatchedStep[]): Promise<number> {
  if (overdue.length === 0) return 0;
  const { db, producer, logger } = services;
  const oldest = await producer.oldestPending(planBatch);
  const lost = overdue.filter(
    ({ dispatchedAt }) => oldest === null || dispatchedAt.getTime() < oldest.getTime() - CLOCKS_DIFFER_MS,
  );
  const again = await redispatchBatched(
    db,
    lost.map(({ payload }) => payload),
  );
  if (again.length > 0) logger.info({ count: again.length }, 'the queue had lost small jobs; enqueued them again');
  await send(services, again);
  return again.length;
}
