/** What the routes of webhook definitions have in common. */
import { z } from 'zod';

export const webhookParams = z.object({ webhookId: z.string() });

export const ofWebhooks = { family: 'oms', tag: 'Webhooks', siteContext: true } as const;
