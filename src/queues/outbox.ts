/** The outbox: what has to be enqueued after the commit of the transaction that recorded it. */
import type { Logger } from '../platform/logger.js';
import { applyAtomicJob } from './contracts/apply-atomic-job.js';
import { applyChunk } from './contracts/apply-chunk.js';
import { deliverBatch } from './contracts/deliver-batch.js';
import { deliverWebhook } from './contracts/deliver-webhook.js';
import { exportJob } from './contracts/export-job.js';
import { fanOutEvent } from './contracts/fan-out-event.js';
import { feedRun } from './contracts/feed-run.js';
import { finishJob } from './contracts/finish-job.js';
import { inspectFile } from './contracts/inspect-file.js';
import { planBatch } from './contracts/plan-batch.js';
import { planJob } from './contracts/plan-job.js';
import { redeliverWebhook } from './contracts/redeliver-webhook.js';
import { replayDeliveries } from './contracts/replay-deliveries.js';
import type { PayloadOf, QueueContract } from './define-queue.js';
import type { Producer } from './producer.js';

/** The queues of the steps of a job. All but `apply`, which belongs to a chunk, have the name of the job's `step`. */
const JOB_STEPS = {
  plan: planJob,
  apply: applyChunk,
  'apply-all': applyAtomicJob,
  finish: finishJob,
  export: exportJob,
  replay: replayDeliveries,
  inspect: inspectFile,
  feed: feedRun,
} as const;
/** The queues of deliveries, and of events with many subscribers. */
const WEBHOOKS = {
  batch: deliverBatch,
  deliver: deliverWebhook,
  redeliver: redeliverWebhook,
  'fan-out': fanOutEvent,
} as const;
/** The queues of everything that has a fencing token in Postgres. */
const CONTRACTS = { ...JOB_STEPS, 'plan-batch': planBatch, ...WEBHOOKS } as const;

type EntryTo<Contracts> = {
  [Name in keyof Contracts]: { readonly queue: Name; readonly payload: PayloadOf<Contracts[Name]> };
}[keyof Contracts];

/** A message for a queue whose cause is already committed: the row has the fencing token, only the queue is missing. */
export type OutboxEntry = EntryTo<typeof CONTRACTS>;
/** An outbox entry of a job's step, or of one of its chunks. */
export type JobOutboxEntry = EntryTo<typeof JOB_STEPS>;

/**
 * Enqueues outbox entries. An unreachable queue is no error: the reconciler finds what was committed but not enqueued.
 * @param delayMs the work may start after so long (retries)
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
    await Promise.all(
      [...byQueue].map(([contract, payloads]) =>
        producer.enqueueMany(contract, contract.merge?.(payloads) ?? payloads, delayMs),
      ),
    );
  } catch (error) {
    // The producer has reported the outage, once for all that it concerns.
    logger.debug(
      { err: error, count: outboxEntries.length },
      'could not enqueue; the reconciler will enqueue these later',
    );
  }
}

/** Whether the queue will still run this entry, or is running it. */
export function isEntryPending(producer: Producer, { queue, payload }: OutboxEntry): Promise<boolean> {
  return producer.isPending(contractOf(queue), payload);
}

/** The contract without the type of its payload: the type of the entry has already checked that the two match. */
function contractOf(queue: OutboxEntry['queue']): QueueContract<unknown> {
  return CONTRACTS[queue] as QueueContract<unknown>;
}
