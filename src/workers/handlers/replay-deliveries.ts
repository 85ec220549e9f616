/** Replays the deliveries of a definition that failed in a range of time. */
import { replayPage } from '../../domain/replays/replay-page.js';
import type { replayDeliveries } from '../../queues/contracts/replay-deliveries.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function replayDeliveriesHandler({
  send,
  afterEnd,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof replayDeliveries>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      services.logger.info({ jobId: payload.jobId, type: 'WEBHOOK_REPLAY' }, 'a job has begun');
      for (let more = true; more && !signal.aborted; ) {
        const { outboxEntries, kind } = await replayPage(services.db, payload);
        await send(services, outboxEntries);
        if (kind === 'ended') await afterEnd(services, payload.jobId);
        more = kind === 'more';
      }
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'replay', payload }),
    failed: stepFailed,
  };
}
