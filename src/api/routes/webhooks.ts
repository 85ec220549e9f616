/** The endpoints of webhook definitions. */
import type { Route } from '../define-route.js';
import { createWebhookRoute } from './webhooks/create.js';
import { deleteWebhookRoute } from './webhooks/delete.js';
import { testWebhookRoute } from './webhooks/ping.js';
import { listWebhooksRoute, readWebhookRoute } from './webhooks/read.js';
import { createReceiverLinkRoute, listReceiverLinksRoute, revokeReceiverLinkRoute } from './webhooks/receiver-links.js';
import { rotateWebhookSecretRoute } from './webhooks/rotate-secret.js';
import { disableWebhookRoute, enableWebhookRoute, resumeWebhookRoute } from './webhooks/states.js';
import { deliveryStatisticsRoute } from './webhooks/statistics.js';
import { tryFilterRoute } from './webhooks/try-filter.js';
import { updateWebhookRoute } from './webhooks/update.js';

export const webhookRoutes: readonly Route[] = [
  createWebhookRoute,
  listWebhooksRoute,
  deliveryStatisticsRoute,
  readWebhookRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  testWebhookRoute,
  tryFilterRoute,
  rotateWebhookSecretRoute,
  enableWebhookRoute,
  disableWebhookRoute,
  resumeWebhookRoute,
  createReceiverLinkRoute,
  listReceiverLinksRoute,
  revokeReceiverLinkRoute,
];
