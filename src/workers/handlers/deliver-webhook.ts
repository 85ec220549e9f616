/** Makes one attempt to deliver an event: serves the queues of first attempts and of later ones. */
import { OWN_FAULT_PAUSE_MS } from '../../domain/webhooks/delivery-engine.js';
import type { deliverWebhook } from '../../queues/contracts/deliver-webhook.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { HandlerServices } from '../context.js';
import type { AfterStep, Handler } from '../handler.js';
import { Snooze } from '../snooze.js';

export function deliverWebhookHandler({ send }: AfterStep): Handler<PayloadOf<typeof deliverWebhook>, HandlerServices> {
  return {
    // A request that was sent cannot be undone, and has to be recorded.
    handlesSignal: true,

    async run(services, payload, signal) {
      const end = await services.deliveries.attempt(payload, signal);
      if (end.kind === 'snooze') throw new Snooze(end.delayMs);
      if (end.kind === 'handed-back') throw new Error('the attempt was handed back');
      for (const { entry, delayMs } of end.following) await send(services, [entry], delayMs);
    },

    /** The database was unreachable, or a secret could not be decrypted: an internal error, not one of the target. */
    async failed({ logger }, payload, error) {
      logger.warn({ err: error, ...payload }, 'an attempt could not be made, and is snoozed');
      throw new Snooze(OWN_FAULT_PAUSE_MS);
    },
  };
}
