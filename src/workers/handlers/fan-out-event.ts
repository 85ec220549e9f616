/** Creates the deliveries of an event with many subscribers. */
import { fanOutPage, retryFanOut } from '../../domain/webhooks/emit-events.js';
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

    async failed(services, payload, error) {
      services.logger.warn({ err: error, ...payload }, 'a fan-out failed and will be retried');
      const again = await retryFanOut(services.db, payload);
      if (again !== null) await send(services, [again.entry], again.delayMs);
    },
  };
}
