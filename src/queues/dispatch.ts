/** What is to be enqueued once the transaction that decided it has committed. */
import type { Logger } from '../platform/logger.js';
import { applyChunk } from './contracts/apply-chunk.js';
import { finishJob } from './contracts/finish-job.js';
import { planJob } from './contracts/plan-job.js';
import type { PayloadOf, QueueContract } from './define-queue.js';
import type { Producer } from './producer.js';

/** An intent that is already committed: the row carries its dispatch number, the queue only has to be told. */
export type Dispatch =
  | { readonly queue: 'plan'; readonly payload: PayloadOf<typeof planJob> }
  | { readonly queue: 'apply'; readonly payload: PayloadOf<typeof applyChunk> }
  | { readonly queue: 'finish'; readonly payload: PayloadOf<typeof finishJob> };

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
  try {
    await Promise.all(dispatchesByQueue(dispatches).map((send) => send(producer, delayMs)));
  } catch (error) {
    logger.warn({ err: error, count: dispatches.length }, 'could not enqueue; the reconciler will');
  }
}

/** Whether the queue will still run, or is running, what was dispatched. */
export function isDispatchPending(producer: Producer, dispatch: Dispatch): Promise<boolean> {
  switch (dispatch.queue) {
    case 'plan':
      return producer.isPending(planJob, dispatch.payload);
    case 'apply':
      return producer.isPending(applyChunk, dispatch.payload);
    case 'finish':
      return producer.isPending(finishJob, dispatch.payload);
  }
}

type Send = (producer: Producer, delayMs: number) => Promise<void>;

function dispatchesByQueue(dispatches: readonly Dispatch[]): Send[] {
  const sends: Send[] = [];
  const add = <Payload>(contract: QueueContract<Payload>, payloads: Payload[]): void => {
    if (payloads.length > 0) sends.push((producer, delayMs) => producer.enqueueMany(contract, payloads, delayMs));
  };
  add(
    planJob,
    dispatches.flatMap((dispatch) => (dispatch.queue === 'plan' ? [dispatch.payload] : [])),
  );
  add(
    applyChunk,
    dispatches.flatMap((dispatch) => (dispatch.queue === 'apply' ? [dispatch.payload] : [])),
  );
  add(
    finishJob,
    dispatches.flatMap((dispatch) => (dispatch.queue === 'finish' ? [dispatch.payload] : [])),
  );
  return sends;
}
