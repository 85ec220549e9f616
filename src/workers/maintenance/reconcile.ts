/** Makes the queue consistent with the database: enqueues what is committed and due, but is not on the queue. */
import { JOB_TYPES } from '../../domain/job-types.js';
import { advanceJob } from '../../domain/jobs/apply-chunks.js';
import {
  dispatchSingly,
  noteSeen,
  overdueEntries,
  planStepOf,
  redispatchBatched,
  redispatchLost,
  stuckJobs,
} from '../../domain/jobs/reconcile-jobs.js';
import { type BatchedStep, reconcileOrders, releaseLost } from '../../domain/jobs/reconcile-orders.js';
import {
  entryOf,
  OverdueDeliveries,
  OverdueFanOuts,
  redispatchDeliveries,
  redispatchFanOut,
  releaseAllCollected,
} from '../../domain/webhooks/redispatch.js';
import { planBatch } from '../../queues/contracts/plan-batch.js';
import type { JobOutboxEntry, OutboxEntry } from '../../queues/outbox.js';
import { isEntryPending } from '../../queues/outbox.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/**
 * Runs the reconciler once.
 * @param deliveries where the previous run of this process stopped
 * @param fanOuts the same of fan-outs
 * @param progress is called whenever the queue or the database has answered
 * @returns how many outbox entries the queue had lost
 */
export async function reconcile(
  services: WorkerServices,
  deliveries = new OverdueDeliveries(),
  fanOuts = new OverdueFanOuts(),
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
  const fannedOut = await reconcileFanOuts(run, fanOuts);
  return rescued + planned + fannedOut + (await reconcileDeliveries(run, deliveries));
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
  services.metrics?.rescued('delivery', rescued);
  return rescued;
}

/** Checks the deliveries of the next endpoints. @returns how many were lost and are enqueued again */
async function reconcilePage(services: Run, overdue: OverdueDeliveries): Promise<number> {
  const { db, config } = services;
  let rescued = 0;
  let endpoints = await overdue.nextEndpoints(db, config.reconcileGraceMs);
  for (let batch = 0, most = SAMPLE; batch < MOST_BATCHES && endpoints.length > 0; batch++, most = BATCH) {
    const checked = await overdue.read(db, config.reconcileGraceMs, endpoints, most);
    const lost = await lostOf(services, checked, entryOf);
    const again = await redispatchDeliveries(db, lost);
    await send(services, again);
    rescued += again.length;
    endpoints = [...new Set(lost.map(({ endpoint }) => endpoint))].filter((endpoint) => overdue.hasMore(endpoint));
  }
  return rescued;
}

/**
 * Returns those that the queue does not have.
 * @param entryOf what the queue should have of one of them: deliveries of one batch share a queue job
 */
async function lostOf<Due>(
  { producer, progress }: Run,
  overdue: readonly Due[],
  entryOf: (due: Due) => OutboxEntry,
): Promise<readonly Due[]> {
  const keyOf = (due: Due) => JSON.stringify(entryOf(due));
  const entries = [...new Map(overdue.map((due) => [keyOf(due), entryOf(due)]))];
  const pending = new Set<string>();
  for (let from = 0; from < entries.length; from += CHECKED_AT_ONCE) {
    const checked = entries.slice(from, from + CHECKED_AT_ONCE);
    const answers = await Promise.all(checked.map(([, entry]) => isEntryPending(producer, entry)));
    progress();
    for (const [index, [key]] of checked.entries()) if (answers[index] === true) pending.add(key);
  }
  return overdue.filter((due) => !pending.has(keyOf(due)));
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
    services.metrics?.rescued('step', 1);
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

/** A pass ends after so many reads, although some of the last one were lost: it has other work to do. */
const MOST_READS = 10;

/** Enqueues fan-outs again that the queue has lost; they continue where they stopped. @returns how many */
async function reconcileFanOuts(services: Run, overdue: OverdueFanOuts): Promise<number> {
  const { db, config, logger } = services;
  let rescued = 0;
  for (let read = 0; read < MOST_READS; read++) {
    const lost = await lostOf(services, await overdue.read(db, config.reconcileGraceMs), (entry) => entry);
    for (const entry of lost) {
      services.progress();
      const again = await redispatchFanOut(db, entry);
      if (again === null) continue;
      rescued++;
      logger.info({ ...entry.payload }, 'the queue had lost a fan-out; enqueued it again');
      services.metrics?.rescued('fan-out', 1);
      await send(services, [again]);
    }
    if (lost.length === 0 || !overdue.hasMore()) break;
  }
  return rescued;
}

// Plan steps, in the ordering queues of the sites.

/** Releases due jobs of all sites, and enqueues plan steps again that were lost. @returns how many were lost */
async function reconcileOrder(services: Run): Promise<number> {
  const { db, config } = services;
  let rescued = 0;
  const batched: BatchedStep[] = [];
  const late: BatchedStep[] = [];
  const rescue = async () => {
    const found = await rescueBatched(services, batched.splice(0));
    rescued += found.lost;
    late.push(...found.late);
    late.sort((one, other) => one.dispatchedAt.getTime() - other.dispatchedAt.getTime()).splice(SINGLY);
  };
  for await (const { due, overdue, overdueBatched } of reconcileOrders(db, config.reconcileGraceMs)) {
    services.progress();
    await send(services, due);
    rescued += await rescueLost(services, overdue);
    batched.push(...overdueBatched);
    if (batched.length >= BATCH) await rescue();
  }
  await rescue();
  return rescued + (await takeOut(services, late));
}

/** The clocks of the database and of the processes that enqueue may differ by so much. */
const CLOCKS_DIFFER_MS = 2_000;
/** A small job that is overdue for so long is executed by itself, whatever the queue still has. */
const LATE_MS = 30_000;
/** So many of them in one pass, the oldest of all sites: where the queue is merely behind, batches cost far less. */
const SINGLY = 25;

/**
 * Enqueues plan steps of small jobs again that were lost. Which queue job has one of them is not recorded, but the queue
 * runs them in the order in which they were enqueued: it has lost a step that is older than all that it still has. Of
 * younger steps this is not known, and one old queue job may be there for long: a batch that waits for an outage to end.
 * @returns how many were lost, and the steps that may have been lost long ago
 */
async function rescueBatched(
  services: Run,
  overdue: readonly BatchedStep[],
): Promise<{ readonly lost: number; readonly late: readonly BatchedStep[] }> {
  if (overdue.length === 0) return { lost: 0, late: [] };
  const { db, producer, logger } = services;
  const oldest = await producer.oldestPending(planBatch);
  const isLost = ({ dispatchedAt }: BatchedStep) =>
    oldest === null || dispatchedAt.getTime() < oldest.getTime() - CLOCKS_DIFFER_MS;
  const again = await redispatchBatched(
    db,
    overdue.filter(isLost).map(({ payload }) => payload),
  );
  if (again.length > 0) logger.info({ count: again.length }, 'the queue had lost small jobs; enqueued them again');
  services.metrics?.rescued('small-job', again.length);
  await send(services, again);
  const lateBefore = Date.now() - LATE_MS;
  return {
    lost: again.length,
    late: overdue.filter((step) => !isLost(step) && step.dispatchedAt.getTime() < lateBefore),
  };
}

/**
 * Enqueues small jobs one by one, in addition to the batches that may still have them: the fencing token lets one of both
 * execute them. From now on the reconciler knows by their ids whether the queue has them. @returns how many
 */
async function takeOut(services: WorkerServices, late: readonly BatchedStep[]): Promise<number> {
  const single = await dispatchSingly(
    services.db,
    late.map(({ payload }) => payload),
  );
  if (single.length > 0) {
    services.logger.info(
      { count: single.length },
      'small jobs have waited for long; each of them is executed by itself',
    );
  }
  await send(services, single);
  return single.length;
}
