/** What is to be enqueued once the transaction that decided it has committed. */
import type { Logger } from '../platform/logger.js';
import { applyChunk } from './contracts/apply-chunk.js';
import { applyWholeJob } from './contracts/apply-whole-job.js';
import { deliverBatch } from './contracts/deliver-batch.js';
import { deliverWebhook } from './contracts/deliver-webhook.js';
import { exportJob } from './contracts/export-job.js';
import { fanOutEvent } from './contracts/fan-out-event.js';
import { finishJob } from './contracts/finish-job.js';
import { planJob } from './contracts/plan-job.js';
import { redeliverWebhook } from './contracts/redeliver-webhook.js';
import { replayDeliveries } from './contracts/replay-deliveries.js';
import type { PayloadOf, QueueContract } from './define-queue.js';
import type { Producer } from './producer.js';

/** Where the steps of a job go. All but `apply`, which is a chunk's, are named like the job's `step`. */
const JOB_STEPS = {
  plan: planJob,
  apply: applyChunk,
  'apply-all': applyWholeJob,
  finish: finishJob,
  export: exportJob,
  replay: replayDeliveries,
} as const;
/** Where deliveries go, and events that many hear. */
const WEBHOOKS = {
  batch: deliverBatch,
  deliver: deliverWebhook,
  redeliver: redeliverWebhook,
  'fan-out': fanOutEvent,
} as const;
/** Everything that Postgres counts dispatches of. */
const DISPATCHED = { ...JOB_STEPS, ...WEBHOOKS } as const;

type DispatchTo<Contracts> = {
  [Name in keyof Contracts]: { readonly queue: Name; readonly payload: PayloadOf<Contracts[Name]> };
}[keyof Contracts];

/** An intent that is already committed: the row carries its dispatch number, the queue only has to be told. */
export type Dispatch = DispatchTo<typeof DISPATCHED>;
/** A dispatch of a job's step, or of one of its chunks. */
export type JobDispatch = DispatchTo<typeof JOB_STEPS>;

/**
 * Tells the queue. A queue out of reach is no error: what was committed and not enqueued is found by the reconciler.
 * @param delayMs wait so long before the work may start (retries)
 */
export async function sendDispatches(
  producer: Producer,
  dispatches: readonly Dispatch[],
  logger: Logger,
  delayMs = 0,
): Promise<void> {
  const byQueue = new Map<QueueContract<unknown>, unknown[]>();
  for (const { queue, payload } of dispatches) {
    const contract = contractOf(queue);
    const payloads = byQueue.get(contract);
    if (payloads === undefined) byQueue.set(contract, [payload]);
    else payloads.push(payload);
  }
  try {
    await Promise.all([...byQueue].map(([contract, payloads]) => producer.enqueueMany(contract, payloads, delayMs)));
  } catch (error) {
    logger.warn({ err: error, count: dispatches.length }, 'could not enqueue; the reconciler will');
  }
}

/** Whether the queue will still run, or is running, what was dispatched. */
export function isDispatchPending(producer: Producer, { queue, payload }: Dispatch): Promise<boolean> {
  return producer.isPending(contractOf(queue), payload);
}

/** The contract, with the tie to its payload cut: a dispatch's type has already made it. */
function contractOf(queue: Dispatch['queue']): QueueContract<unknown> {
  return DISPATCHED[queue] as QueueContract<unknown>;
}
