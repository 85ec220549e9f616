/** The endpoint that calls the target of a webhook definition once. */
import { z } from 'zod';
import { findDefinition } from '../../../domain/webhooks/definitions.js';
import { defineRoute } from '../../define-route.js';
import { ofWebhooks, targetOf, webhookParams } from './common.js';

const result = z.object({
  delivered: z.boolean().meta({ description: 'Whether the target answered 2xx' }),
  statusCode: z.int().optional(),
  durationMs: z.int(),
  response: z.string().optional().meta({ description: "The beginning of the answer's body" }),
  error: z
    .string()
    .optional()
    .meta({ description: 'It begins with "blocked address" if the target may not be called' }),
});

export const testWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/:webhookId/actions/test',
  operationId: 'testWebhook',
  summary: 'Call the target of a webhook definition',
  description: 'Sends a signed event PING at once, and answers the outcome. The event is not stored and not retried.',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
  responses: { 200: { description: 'The outcome, delivered or not', schema: result } },
  audit: 'WEBHOOK_TESTED',
  async handle({ params, site, audit, endTurn }, { db, config, targets, stopping }) {
    const definition = await findDefinition(db, site.siteId, params.webhookId);
    // The target decides how long this takes.
    endTurn();
    const outcome = await targets.ping(config.secretsKeys, definition, stopping);
    await audit.record(db, targetOf(definition));
    return { status: 200, body: outcome };
  },
});
