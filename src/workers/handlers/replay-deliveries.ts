/** Replays the deliveries of a definition that failed in a range of time. */
import { replayPage } from '../../domain/replays/replay-page.js';
import type { AfterStep } from '../handler.js';
import { oneStepHandler } from '../one-step-handler.js';

export function replayDeliveriesHandler(after: AfterStep) {
  return oneStepHandler(after, 'replay', async (services, payload, signal) => {
    services.logger.info({ jobId: payload.jobId, type: 'WEBHOOK_REPLAY' }, 'a job has begun');
    while (!signal.aborted) {
      const { outboxEntries, kind } = await replayPage(services.db, payload);
      await after.send(services, outboxEntries);
      if (kind !== 'more') return { kind };
    }
    return { kind: 'stale' };
  });
}
