/** The endpoints of events: their types, their log, and delivering them again. */
import type { Route } from '../define-route.js';
import { emitEventRoute, emitEventsRoute } from './webhook-events/emit.js';
import { listEventTypesRoute } from './webhook-events/event-types.js';
import { queryEventsRoute } from './webhook-events/query.js';
import { retryWebhookRoute } from './webhook-events/retry.js';

export const eventRoutes: readonly Route[] = [
  listEventTypesRoute,
  queryEventsRoute,
  retryWebhookRoute,
  emitEventRoute,
  emitEventsRoute,
];
