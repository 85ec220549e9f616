/** Makes the first attempts of an event's deliveries. */
import { OWN_FAULT_PAUSE_MS } from '../../domain/webhooks/delivery-engine.js';
import type { deliverBatch } from '../../queues/contracts/deliver-batch.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { send } from '../after-step.js';
import type { HandlerServices } from '../context.js';
import type { Handler } from '../handler.js';
import { Snooze } from '../snooze.js';

export const deliverBatchHandler: Handler<PayloadOf<typeof deliverBatch>, HandlerServices> = {
  // What was sent cannot be called back, and is to be recorded.
  mindsSignal: true,

  async run(services, { batch }, signal) {
    const { following, left } = await services.deliveries.attemptBatch(batch, signal);
    await Promise.all(following.map(({ entry, delayMs }) => send(services, [entry], delayMs)));
    // Those that were attempted have left the batch: it comes back for the others.
    if (left !== null) throw left;
  },

  /** The database was out of reach, or a secret could not be opened: no fault of the targets'. */
  async failed({ logger }, payload, error) {
    logger.warn({ err: error, ...payload }, 'first attempts could not be made, and are put off');
    throw new Snooze(OWN_FAULT_PAUSE_MS);
  },
};
