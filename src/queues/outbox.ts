/** What is to be enqueued once the transaction that decided it has committed. */
import type { Logger } from '../platform/logger.js';
import { applyAtomicJob } from './contracts/apply-atomic-job.js';
import { applyChunk } from './contracts/apply-chunk.js';
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
  'apply-all': applyAtomicJob,
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
const CONTRACTS = { ...JOB_STEPS, ...WEBHOOKS } as const;

type EntryTo<Contracts> = {
  [Name in keyof Contracts]: { readonly queue: Name; readonly payload: PayloadOf<Contracts[Name]> };
}[keyof Contracts];

/** An intent that is already committed: the row carries its dispatch number, the queue only has to be told. */
export type OutboxEntry = EntryTo<typeof CONTRACTS>;
/** A dispatch of a job's step, or of one of its chunks. */
export type JobOutboxEntry = EntryTo<typeof JOB_STEPS>;

/**
 * Tells the queue. A queue out of reach is no error: what was committed and not enqueued is found by the reconciler.
 * @param delayMs wait so long before the work may start (retries)
 */
export async function enqueueEntries(
  producer: Producer,
  outboxEntries: readonly OutboxEntry[],
  logger: Logger,
  delayMs = 0,
): Promise<void> {
  const byQueue = new Map<QueueContract<unknown>, unknown[]>();
  for (const { queue, payload } of outboxEntries) {
    const contract = contractOf(queue);
    const payloads = byQueue.get(contract);
    if (payloads === undefined) byQueue.set(contract, [payload]);
    else payloads.push(payload);
  }
  try {
    await Promise.all([...byQueue].map(([contract, payloads]) => producer.enqueueMany(contract, payloads, delayMs)));
  } catch (error) {
    logger.warn({ err: error, count: outboxEntries.length }, 'could not enqueue; the reconciler will');
  }
}

/** Whether the queue will still run, or is running, what was dispatched. */
export function isEntryPending(producer: Producer, { queue, payload }: OutboxEntry): Promise<boolean> {
  return producer.isPending(contractOf(queue), payload);
}

/** The contract, with the tie to its payload cut: a dispatch's type has already made it. */
function contractOf(queue: OutboxEntry['queue']): QueueContract<unknown> {
  return CONTRACTS[queue] as QueueContract<unknown>;
}
