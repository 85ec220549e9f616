/** Makes one attempt to deliver an event: the first, or a later one in the lane beside. */
import { OWN_FAULT_PAUSE_MS } from '../../domain/webhooks/delivery-engine.js';
import type { deliverWebhook } from '../../queues/contracts/deliver-webhook.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { send } from '../after-step.js';
import type { HandlerServices } from '../context.js';
import type { Handler } from '../handler.js';
import { Snooze } from '../snooze.js';

export const deliverWebhookHandler: Handler<PayloadOf<typeof deliverWebhook>, HandlerServices> = {
  // What was sent cannot be called back, and is to be recorded.
  mindsSignal: true,

  async run(services, payload, signal) {
    const end = await services.deliveries.attempt(payload, signal);
    if (end.kind === 'snooze') throw new Snooze(end.delayMs);
    if (end.kind === 'handed-back') throw new Error('the attempt was handed back');
    for (const { entry, delayMs } of end.following) await send(services, [entry], delayMs);
  },

  /** The database was out of reach, or a secret could not be opened: no fault of the target's. */
  async failed({ logger }, payload, error) {
    logger.warn({ err: error, ...payload }, 'an attempt could not be made, and is put off');
    throw new Snooze(OWN_FAULT_PAUSE_MS);
  },
};
