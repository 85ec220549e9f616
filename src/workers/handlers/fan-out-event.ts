/** Creates the deliveries of an event with many subscribers. */
import { fanOutPage, recordFanOutFailure, suspectFanOut } from '../../domain/webhooks/emit-events.js';
import type { fanOutEvent } from '../../queues/contracts/fan-out-event.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function fanOutEventHandler({ send }: AfterStep): Handler<PayloadOf<typeof fanOutEvent>> {
  return {
    async run(services, payload, signal) {
      for (let more = true; more && !signal.aborted; ) {
        const page = await fanOutPage(services.db, payload);
        await send(services, page.outboxEntries);
        more = page.more;
      }
    },

    suspected: ({ db }, payload) => suspectFanOut(db, payload),

    async failed(services, payload, error, failure) {
      const { db, logger } = services;
      logger.warn({ err: error, ...payload, failure }, 'a fan-out failed');
      const next = await recordFanOutFailure(db, payload, failure?.kind === 'death' ? failure.how : null);
      if (next.kind === 'again') await send(services, [next.entry], next.delayMs);
      if (next.kind === 'stopped') logger.error({ err: error, eventId: payload.eventId }, next.reason);
      return undefined;
    },
  };
}
