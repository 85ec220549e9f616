/** The endpoints of the links for the partners who receive the deliveries of one webhook definition. */
import { z } from 'zod';
import { receiverLink } from '../../../domain/access/login-codes.js';
import {
  DEFAULT_RECEIVER_HOURS,
  listReceiverLinks,
  MAX_RECEIVER_HOURS,
  type ReceiverLink,
  revokeReceiverLink,
} from '../../../domain/access/receiver-links.js';
import { findDefinition } from '../../../domain/webhooks/definitions.js';
import { linkReceiver } from '../../../domain/webhooks/receivers.js';
import { requireScopes } from '../../authorize.js';
import { defineRoute } from '../../define-route.js';
import { ofWebhooks, webhookParams } from './common.js';

const common = {
  ...ofWebhooks,
  path: '/api/v2/webhook/:webhookId/receiver-links',
  auth: { scope: 'webhooks:write' },
  params: webhookParams,
} as const;

const newLink = z.strictObject({
  name: z.string().min(1).max(255).meta({ description: 'Who gets it. The audit log shows it by its id' }),
  replay: z
    .boolean()
    .default(false)
    .meta({ description: 'true: its holder may have events delivered again that were sent to this definition' }),
  hours: z
    .int()
    .min(1)
    .max(MAX_RECEIVER_HOURS)
    .default(DEFAULT_RECEIVER_HOURS)
    .meta({ description: `How long it is valid: at most ${MAX_RECEIVER_HOURS} hours (30 days)` }),
});

const time = z.iso.datetime();
const linkSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    replay: z.boolean(),
    createdAt: time,
    expiresAt: time,
    openedAt: time.nullable().meta({ description: 'When somebody opened it, which is possible once; null: not yet' }),
    lastUsedAt: time.nullable().meta({ description: 'To the minute; null: never' }),
  })
  .meta({ id: 'ReceiverLink' });
const madeSchema = linkSchema
  .extend({ link: z.string().meta({ description: 'Opens once. It is not shown again' }) })
  .meta({ id: 'ReceiverLinkWithAddress' });

export const createReceiverLinkRoute = defineRoute({
  ...common,
  method: 'POST',
  operationId: 'createReceiverLink',
  summary: 'Make a link for the receiver of a webhook',
  description:
    'Who opens the link sees, without an account, the events that were sent to this definition, with requests, answers and the next attempt, and nothing else of the account. It opens once, in one browser, which sees them until the link expires or is revoked, or the definition is deleted.',
  body: { schema: newLink, example: { name: 'Partner', replay: true, hours: 48 } },
  refusals: {
    403: 'The scope `webhooks:write` or `webhooks:read` is missing: nobody shows others what they may not see',
    422: 'The definition has as many links as it may have',
  },
  responses: { 200: { description: 'The link', schema: madeSchema } },
  audit: 'RECEIVER_LINK_CREATED',
  async handle({ params, body, principal, site, audit }, { db, publicUrl }) {
    requireScopes(principal, ['webhooks:read']);
    const { link, code } = await audit.change(
      db,
      (trx) => linkReceiver(trx, site, params.webhookId, body),
      (made) => `webhook/${params.webhookId}/receiver/${made.link.id}`,
    );
    return { status: 200, body: { ...presentLink(link), link: receiverLink(publicUrl(), code) } };
  },
});

export const listReceiverLinksRoute = defineRoute({
  ...common,
  method: 'GET',
  operationId: 'listReceiverLinks',
  summary: 'List the links for the receiver of a webhook',
  description: 'Those that are valid, the newest first. Their addresses are not shown again.',
  responses: { 200: { description: 'The links', schema: z.object({ data: z.array(linkSchema) }) } },
  async handle({ params, site }, { db }) {
    const { id } = await findDefinition(db, site.siteId, params.webhookId);
    const links = await listReceiverLinks(db, site.accountId, id);
    return { status: 200, body: { data: links.map(presentLink) } };
  },
});

export const revokeReceiverLinkRoute = defineRoute({
  ...common,
  method: 'DELETE',
  path: '/api/v2/webhook/:webhookId/receiver-links/:linkId',
  operationId: 'revokeReceiverLink',
  summary: 'Revoke a link for the receiver of a webhook',
  description: 'It does not open any more. Who has opened it sees nothing more within seconds.',
  params: webhookParams.extend({ linkId: z.string().max(64) }),
  responses: { 204: { description: 'The link is revoked' } },
  audit: 'RECEIVER_LINK_REVOKED',
  async handle({ params: { webhookId, linkId }, site, audit }, { db, tokens }) {
    await audit.change(
      db,
      async (trx) => {
        const { id } = await findDefinition(trx, site.siteId, webhookId);
        await revokeReceiverLink(trx, site.accountId, id, linkId);
      },
      () => `webhook/${webhookId}/receiver/${linkId}`,
    );
    tokens.forgetToken(linkId);
    return { status: 204 };
  },
});

function presentLink({
  createdAt,
  expiresAt,
  openedAt,
  lastUsedAt,
  ...link
}: ReceiverLink): z.output<typeof linkSchema> {
  return {
    ...link,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    openedAt: openedAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
