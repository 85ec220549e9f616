/** Starts the feeds that are due, and notes what others have ended. */
import { tendFeeds } from '../../domain/feeds/due-feeds.js';
import { logOutage } from '../../platform/outage-log.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** It must not keep lost work from being found: what fails here is tried again by the next pass. */
export async function tendAllFeeds(services: WorkerServices): Promise<void> {
  try {
    await send(services, await tendFeeds(services.db));
  } catch (error) {
    logOutage(services.logger, 'feeds', error, 'feeds that are due could not be started');
  }
}
