/** Enqueues plan steps again, in the ordering queues of the sites. */
import { dispatchSingly, redispatchBatched } from './lost/lost-steps.js';
import { type BatchedStep, reconcileOrders } from './lost/orders.js';
import type { QueueOfSteps } from './lost/queue-of-steps.js';
import { rescueLost } from './lost/rescue-steps.js';

/** Steps of small jobs that are compared with the queue at a time. */
const BATCH = 2_000;

/**
 * Releases due jobs of all sites, and enqueues plan steps again that were lost.
 * @param graceMs how long a plan step may have been due before the queue is asked for it
 * @returns how many were lost
 */
export async function reconcileOrder(queue: QueueOfSteps, graceMs: number): Promise<number> {
  let rescued = 0;
  const batched: BatchedStep[] = [];
  const late: BatchedStep[] = [];
  const rescue = async () => {
    const found = await rescueBatched(queue, batched.splice(0));
    rescued += found.lost;
    late.push(...found.late);
    late.sort((one, other) => one.dispatchedAt.getTime() - other.dispatchedAt.getTime()).splice(SINGLY);
  };
  for await (const { due, overdue, overdueBatched } of reconcileOrders(queue.db, graceMs)) {
    queue.progress();
    await queue.send(due);
    rescued += await rescueLost(queue, overdue);
    batched.push(...overdueBatched);
    if (batched.length >= BATCH) await rescue();
  }
  await rescue();
  return rescued + (await takeOut(queue, late));
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
  queue: QueueOfSteps,
  overdue: readonly BatchedStep[],
): Promise<{ readonly lost: number; readonly late: readonly BatchedStep[] }> {
  if (overdue.length === 0) return { lost: 0, late: [] };
  const { db, logger, metrics } = queue;
  const oldest = await queue.oldestOfSmallJobs();
  const isLost = ({ dispatchedAt }: BatchedStep) =>
    oldest === null || dispatchedAt.getTime() < oldest.getTime() - CLOCKS_DIFFER_MS;
  const again = await redispatchBatched(
    db,
    overdue.filter(isLost).map(({ payload }) => payload),
  );
  if (again.length > 0) logger.info({ count: again.length }, 'the queue had lost small jobs; enqueued them again');
  metrics?.rescued('small-job', again.length);
  await queue.send(again);
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
async function takeOut(queue: QueueOfSteps, late: readonly BatchedStep[]): Promise<number> {
  const single = await dispatchSingly(
    queue.db,
    late.map(({ payload }) => payload),
  );
  if (single.length > 0) {
    queue.logger.info({ count: single.length }, 'small jobs have waited for long; each of them is executed by itself');
  }
  await queue.send(single);
  return single.length;
}
