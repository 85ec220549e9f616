/** Replays the deliveries of a definition that failed in a range of time. */

import { suspectStep } from '../../domain/jobs/job-steps.js';
import { replayPage } from '../../domain/replays/replay-page.js';
import type { replayDeliveries } from '../../queues/contracts/replay-deliveries.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import { afterEnd, send } from '../after-step.js';
import type { Handler } from '../handler.js';
import { stepFailed } from '../step-failed.js';

export const replayDeliveriesHandler: Handler<PayloadOf<typeof replayDeliveries>> = {
  jobOf: ({ jobId }) => jobId,

  async run(services, payload, signal) {
    for (let more = true; more && !signal.aborted; ) {
      const { outboxEntries, kind } = await replayPage(services.db, payload);
      await send(services, outboxEntries);
      if (kind === 'ended') await afterEnd(services, payload.jobId);
      more = kind === 'more';
    }
  },

  suspected: ({ db }, payload) => suspectStep(db, { queue: 'replay', payload }),
  failed: stepFailed,
};
