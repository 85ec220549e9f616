/** Brings the files of a feed. */
import { feedEnvironment } from '../../domain/feeds/feed-environment.js';
import { runFeed } from '../../domain/feeds/run-feed.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import type { AfterStep } from '../handler.js';
import { oneStepHandler } from '../one-step-handler.js';

export function runFeedHandler(after: AfterStep) {
  return oneStepHandler(after, 'feed', async (services, payload, signal) => {
    const outcome = await runFeed(
      {
        ...services,
        environment: feedEnvironment(services.config, services.resolveName),
        // A job behind many others is accepted as held. All of them may have ended since then.
        follow: async (entries, siteId) =>
          after.send(services, entries.length > 0 ? entries : await releaseDue(services.db, [siteId])),
      },
      payload,
      signal,
    );
    if (outcome.kind === 'ended') await after.send(services, outcome.outboxEntries);
    return outcome;
  });
}
