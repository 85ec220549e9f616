/** Brings the files of a feed. */
import { feedEnvironment } from '../../domain/feeds/feed-environment.js';
import { FEED_RUN_JOB } from '../../domain/feeds/model/feed-run-job.js';
import { runFeed } from '../../domain/feeds/run-feed.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import { releaseOneStep } from '../../domain/jobs/single-step.js';
import type { feedRun } from '../../queues/contracts/feed-run.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';

export function runFeedHandler({
  send,
  afterEnd,
  stepFailed,
  stepSuspected,
}: AfterStep): Handler<PayloadOf<typeof feedRun>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal) {
      const outcome = await runFeed(
        {
          ...services,
          environment: feedEnvironment(services.config, services.resolveName),
          // A job behind many others is accepted as held. All of them may have ended since then.
          follow: async (entries, siteId) =>
            send(services, entries.length > 0 ? entries : await releaseDue(services.db, [siteId])),
        },
        payload,
        signal,
      );
      if (outcome.kind === 'ended') {
        await send(services, outcome.outboxEntries);
        await afterEnd(services, payload.jobId);
      }
      // One that ended after this one counted those that run did not see that this one is held.
      if (outcome.kind === 'held') {
        await send(services, await releaseOneStep(services.db, FEED_RUN_JOB, outcome.siteId));
      }
    },

    suspected: (services, payload) => stepSuspected(services, { queue: 'feed', payload }),
    failed: stepFailed,
  };
}
