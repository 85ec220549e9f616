/** The endpoints of feeds: files that come by themselves. */
import type { Route } from '../define-route.js';
import { createFeedRoute, deleteFeedRoute, updateFeedRoute } from './feeds/change.js';
import { listFeedFilesRoute, listFeedRunsRoute, listFeedsRoute, readFeedRoute } from './feeds/read.js';
import { runFeedRoute } from './feeds/run.js';
import { takeAgainRoute } from './feeds/take-again.js';
import { testFeedRoute } from './feeds/test.js';
import { triggerFeedRoute } from './feeds/trigger.js';
import { deleteTriggerRoute, readTriggerRoute, renewTriggerRoute } from './feeds/triggers.js';

export const feedRoutes: readonly Route[] = [
  createFeedRoute,
  listFeedsRoute,
  testFeedRoute,
  readFeedRoute,
  updateFeedRoute,
  deleteFeedRoute,
  runFeedRoute,
  takeAgainRoute,
  listFeedRunsRoute,
  listFeedFilesRoute,
  renewTriggerRoute,
  readTriggerRoute,
  deleteTriggerRoute,
  triggerFeedRoute,
];
