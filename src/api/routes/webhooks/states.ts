/** The endpoints that enable, disable and resume webhook definitions. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import { disableDefinition, enableDefinition } from '../../../domain/webhooks/definition-states.js';
import { releaseCollected } from '../../../domain/webhooks/release-collected.js';
import { resumeDeliveries } from '../../../domain/webhooks/resume-deliveries.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { presentWebhook, webhookSchema } from '../../presenters/present-webhook.js';
import { ofWebhooks, targetOf, webhookParams } from './common.js';

export const enableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/enable',
  operationId: 'enableWebhook',
  summary: 'Enable a webhook definition',
  description:
    'The definition receives events from now on. What it has collected while it was disabled is delivered, oldest first. The first delivery probes the target before others follow.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  audit: 'WEBHOOK_ENABLED',
  async handle({ params, site, audit }, { db, producer, logger }) {
    const enabled = await audit.change(db, (trx) => enableDefinition(trx, site.siteId, params.webhookId), targetOf);
    // The first of what was collected; maintenance releases the rest.
    await enqueueEntries(producer, await releaseCollected(db, enabled.id), logger);
    return { status: 200, body: presentWebhook(enabled) };
  },
});

export const disableWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/disable',
  operationId: 'disableWebhook',
  summary: 'Disable a webhook definition',
  description:
    'The definition receives no events until it is enabled. For `collectHours` it collects events, which are delivered then. Pending deliveries are cancelled; `POST /api/v2/webhook/retry` replays them.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The definition', schema: webhookSchema } },
  audit: 'WEBHOOK_DISABLED',
  async handle({ params, site, audit }, { db }) {
    const disabled = await audit.change(db, (trx) => disableDefinition(trx, site.siteId, params.webhookId), targetOf);
    return { status: 200, body: presentWebhook(disabled) };
  },
});

const resumed = z.object({
  deliveries: z.int().meta({ description: 'How many waiting deliveries are attempted now' }),
  more: z.boolean().meta({ description: 'true: there were too many for one request; repeat it for the others' }),
});

export const resumeWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/resume',
  operationId: 'resumeWebhook',
  summary: 'Attempt the waiting deliveries of a definition now',
  description:
    'Deliveries that wait for their next attempt are attempted now, even if the circuit breaker is open or the target asked us to wait. If the breaker is open, one delivery probes the target before others follow.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  refusals: { 409: 'The definition is disabled' },
  responses: { 202: { description: 'The deliveries are on the queue', schema: resumed } },
  audit: 'WEBHOOK_RESUMED',
  async handle({ params, site, audit }, { db, producer, logger }) {
    const record = (trx: Db) => audit.record(trx, targetOf({ id: params.webhookId }));
    const { outboxEntries, more } = await resumeDeliveries(db, site.siteId, params.webhookId, record);
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { deliveries: outboxEntries.length, more } };
  },
});
