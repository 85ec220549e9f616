/** Makes the first attempts of an event's deliveries. */
import { OWN_FAULT_PAUSE_MS } from '../../domain/webhooks/delivery-engine.js';
import type { deliverBatch } from '../../queues/contracts/deliver-batch.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { HandlerServices } from '../context.js';
import type { AfterStep, Handler } from '../handler.js';
import { Snooze } from '../snooze.js';

export function deliverBatchHandler({ send }: AfterStep): Handler<PayloadOf<typeof deliverBatch>, HandlerServices> {
  return {
    // Requests that were sent cannot be undone, and have to be recorded.
    handlesSignal: true,

    async run(services, payload, signal) {
      const end = await services.deliveries.attemptBatch(payload, signal, async (following) => {
        await Promise.all(following.map(({ entry, delayMs }) => send(services, [entry], delayMs)));
      });
      // Attempted deliveries have left the batch: a retry makes only the others.
      if (end.kind === 'full') throw new Snooze(end.delayMs);
      if (end.left !== null) throw end.left;
    },

    /** The database was unreachable, or a secret could not be decrypted: an internal error, not one of the targets. */
    async failed({ logger }, payload, error) {
      logger.warn({ err: error, ...payload }, 'first attempts could not be made, and are snoozed');
      throw new Snooze(OWN_FAULT_PAUSE_MS);
    },
  };
}
