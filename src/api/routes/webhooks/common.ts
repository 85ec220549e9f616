/** What the routes of webhook definitions have in common. */
import { z } from 'zod';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';

/** How the audit log names a definition. */
export function targetOf({ id }: Pick<WebhookDefinition, 'id'>): string {
  return `webhook/${id}`;
}

export const webhookParams = z.object({ webhookId: z.string() });

export const ofWebhooks = { family: 'oms', tag: 'Webhooks', siteContext: true } as const;
