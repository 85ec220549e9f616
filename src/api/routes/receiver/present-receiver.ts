/** What the receiver of a webhook sees: the endpoint, the link, and the deliveries of events. Nothing else of the account. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { requireAccount } from '../../../domain/access/accounts.js';
import type { ReceiverPrincipal } from '../../../domain/access/principals.js';
import { listReceiverLinks } from '../../../domain/access/receiver-links.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { EventLog } from '../../../domain/webhooks/event-log.js';
import { eventLogSchema, presentEventLog } from '../../presenters/present-event-log.js';
import { presentWithHealth, webhookWithHealthSchema } from '../../presenters/present-webhook.js';

/** What an endpoint is sent anyway, and how it is doing. */
const SHOWN = {
  target: true,
  requestType: true,
  format: true,
  apiVersion: true,
  source: true,
  events: true,
  targetApiKey: true,
  headers: true,
  status: true,
  disabledReason: true,
  collectsUntil: true,
  health: true,
} as const;

export const receiverSchema = webhookWithHealthSchema
  .pick(SHOWN)
  .extend({
    sender: z.string().meta({ description: 'The name of the account that sends' }),
    name: z.string().meta({ description: 'That of the link' }),
    mayReplay: z.boolean(),
    expiresAt: z.iso.datetime().meta({ description: 'Until when the link is valid' }),
  })
  .meta({ id: 'Receiver' });

const delivery = eventLogSchema.shape.logs.element;

export const receivedEventSchema = eventLogSchema
  .pick({
    eventRequestId: true,
    tenantId: true,
    channel: true,
    source: true,
    event: true,
    orderNumber: true,
    payload: true,
    payloadOmitted: true,
    contactsErased: true,
    firstEventTriggeredAt: true,
  })
  .extend({
    status: delivery.shape.status,
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Not before the breaker and `health.nextAttemptAt` let it; null: none is planned' }),
    responseInfo: delivery.shape.responseInfo,
  })
  .meta({ id: 'ReceivedEvent' });

/** @throws DomainError unauthorized when the link has ended meanwhile */
export async function presentReceiver(
  db: Db,
  { accountId, tokenId, webhookId }: Pick<ReceiverPrincipal, 'accountId' | 'tokenId' | 'webhookId'>,
  definition: WebhookDefinition,
): Promise<z.input<typeof receiverSchema>> {
  const [link] = await listReceiverLinks(db, accountId, webhookId, tokenId);
  const [shown] = await presentWithHealth(db, [definition]);
  if (link === undefined || shown === undefined) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'this link has expired or was revoked: ask for a new one');
  }
  const { name: sender } = await requireAccount(db, accountId);
  const { target, requestType, format, apiVersion, source, events, targetApiKey, headers, health } = shown;
  const { status, disabledReason, collectsUntil } = shown;
  return {
    ...{ target, requestType, format, apiVersion, source, events, targetApiKey, headers, health },
    ...{ status, disabledReason, collectsUntil, sender },
    ...{ name: link.name, mayReplay: link.replay, expiresAt: link.expiresAt.toISOString() },
  };
}

type Attempt = z.input<typeof receivedEventSchema>['responseInfo'][number];

/** A definition may have had the address of somebody else before, with headers and a key of theirs, of which masks show the ends. */
function withoutAddressOfOthers(attempt: Attempt): Attempt {
  const { request } = attempt;
  if (!request?.changed.includes('target')) return attempt;
  return { ...attempt, request: { ...request, target: null, headers: {}, targetApiKey: null } };
}

/** The delivery to this definition, and none of the others of the event. */
export function presentReceived(log: EventLog, webhookId: string): z.input<typeof receivedEventSchema> {
  const logs = log.logs.filter((one) => one.definition_id === webhookId && one.callback_url === null);
  const { logs: shown, ...event } = presentEventLog({ ...log, logs });
  const { eventRequestId, tenantId, channel, source, orderNumber, payload, payloadOmitted, contactsErased } = event;
  const [{ status = 'CANCELLED', responseInfo = [] } = {}] = shown;
  const next = status === 'PENDING' ? (logs[0]?.next_attempt_at ?? null) : null;
  return {
    ...{ eventRequestId, tenantId, channel, source, event: event.event, orderNumber, payload, status },
    responseInfo: responseInfo.map(withoutAddressOfOthers),
    ...(payloadOmitted === undefined ? {} : { payloadOmitted }),
    ...(contactsErased === undefined ? {} : { contactsErased }),
    firstEventTriggeredAt: event.firstEventTriggeredAt,
    nextAttemptAt: next === null ? null : new Date(next).toISOString(),
  };
}
