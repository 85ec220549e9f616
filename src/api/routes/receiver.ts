/** The endpoints of those who receive the deliveries of one webhook definition, and have a link to it instead of an account. */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import type { Principal, ReceiverPrincipal } from '../../domain/access/principals.js';
import { endSession } from '../../domain/access/sessions.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { type EventLog, pageEventLog } from '../../domain/webhooks/event-log.js';
import { definitionOfReceiver } from '../../domain/webhooks/receivers.js';
import { replayEvent } from '../../domain/webhooks/replay-event.js';
import { enqueueEntries } from '../../queues/outbox.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters } from '../list-query.js';
import { deliveryStatus, storedStatus } from '../presenters/present-event-log.js';
import { clearCookie } from '../session-cookie.js';
import { openReceiverRoute } from './receiver/open.js';
import { presentReceived, presentReceiver, receivedEventSchema, receiverSchema } from './receiver/present-receiver.js';

const DEFAULT_LIMIT = 20;
const NEWEST = { column: 'triggered_at', direction: 'desc' } as const;

const common = { family: 'catalog', tag: 'Webhooks', auth: { scope: 'receiver' }, siteContext: false } as const;
const DELETED = { 404: 'The webhook was deleted' };
const NO_EVENT = { 404: 'No such event was sent to this endpoint, or the webhook was deleted' };
const eventParams = z.object({ eventRequestId: z.string().max(64) });

const readReceiverRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/receiver',
  operationId: 'getReceiver',
  summary: 'Read the endpoint that a link is about',
  description: 'The address that is called, how it is doing, who calls it, and until when the link is valid.',
  refusals: DELETED,
  responses: { 200: { description: 'The endpoint, and the link', schema: receiverSchema } },
  async handle({ principal }, { db }) {
    const receiver = receiverOf(principal);
    return { status: 200, body: await presentReceiver(db, receiver, await definitionOfReceiver(db, receiver)) };
  },
});

const leaveReceiverRoute = defineRoute({
  ...common,
  method: 'DELETE',
  path: '/api/v2/receiver',
  operationId: 'leaveReceiver',
  summary: 'End the session of a link',
  description: 'Removes the cookie from the browser. The link does not open again.',
  responses: { 204: { description: 'The session has ended' } },
  audit: 'SESSION_ENDED',
  async handle({ principal, audit }, { db, tokens, publicUrl }) {
    const { sessionId = '' } = receiverOf(principal);
    await audit.change(
      db,
      (trx) => endSession(trx, sessionId),
      () => `session/${sessionId}`,
    );
    tokens.forgetSession(sessionId);
    return { status: 204, headers: { 'Set-Cookie': clearCookie(publicUrl(), 'receiver') } };
  },
});

const listReceivedRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/receiver/events',
  operationId: 'listReceivedEvents',
  summary: 'List the events that were sent to the endpoint',
  description: 'The newest first, each with its attempts and what the endpoint answered.',
  query: z.strictObject({
    status: deliveryStatus.optional(),
    offset: pageParameters.offset,
    limit: pageParameters.limit
      .default(DEFAULT_LIMIT)
      .meta({ description: `How many elements to return (default ${DEFAULT_LIMIT})` }),
  }),
  refusals: DELETED,
  responses: {
    200: {
      description: 'A page of events',
      schema: z.object({
        count: z.int().meta({ description: 'The number of events on all pages' }),
        offset: z.int(),
        limit: z.int(),
        data: z.array(receivedEventSchema),
      }),
    },
  },
  async handle({ principal, query: { status, offset, limit } }, { db }) {
    const definition = await definitionOfReceiver(db, receiverOf(principal));
    const filter = status === undefined ? {} : { status: storedStatus(status) };
    const { rows, count } = await received(db, definition, filter, { offset, limit });
    return {
      status: 200,
      body: { count, offset, limit, data: rows.map((row) => presentReceived(row, definition.id)) },
    };
  },
});

const readReceivedRoute = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/receiver/events/:eventRequestId',
  operationId: 'getReceivedEvent',
  summary: 'Read an event that was sent to the endpoint',
  description: 'Its payload, its attempts with what the endpoint answered, and when it is sent next.',
  params: eventParams,
  refusals: NO_EVENT,
  responses: { 200: { description: 'The event', schema: receivedEventSchema } },
  async handle({ principal, params: { eventRequestId } }, { db }) {
    const definition = await definitionOfReceiver(db, receiverOf(principal));
    const log = await findReceived(db, definition, eventRequestId);
    return { status: 200, body: presentReceived(log, definition.id) };
  },
});

const replayReceivedRoute = defineRoute({
  ...common,
  method: 'POST',
  path: '/api/v2/receiver/events/:eventRequestId/actions/replay',
  operationId: 'replayReceivedEvent',
  summary: 'Have an event sent to the endpoint again',
  description: 'An event that was sent to this endpoint before, by a link that allows it.',
  params: eventParams,
  refusals: { ...NO_EVENT, 403: 'The link does not allow it', 409: 'The webhook is disabled' },
  responses: {
    202: {
      description: 'It is on its way',
      schema: z.object({
        eventRequestId: z.string(),
        deliveries: z.int().meta({ description: '0: it is being sent already' }),
      }),
    },
  },
  audit: 'EVENTS_REPLAYED',
  async handle({ principal, params: { eventRequestId }, audit }, { db, producer, logger }) {
    const receiver = receiverOf(principal);
    if (!receiver.mayReplay) {
      throw new DomainError('forbidden', 'FORBIDDEN', 'this link only shows events: ask for one that may replay them');
    }
    const outboxEntries = await audit.change(
      db,
      async (trx) => {
        const definition = await definitionOfReceiver(trx, receiver);
        // Otherwise any event of the account could be had by asking for it again.
        await findReceived(trx, definition, eventRequestId);
        return replayEvent(trx, definition.site_id, { eventRequestId, webhookId: definition.id });
      },
      () => `event/${eventRequestId}`,
    );
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { eventRequestId, deliveries: outboxEntries.length } };
  },
});

/** @throws Error when the route accepts others, which is a mistake of its declaration */
function receiverOf(principal: Principal): ReceiverPrincipal {
  if (principal.kind === 'receiver') return principal;
  throw new Error('this route is for receivers: its auth names another scope');
}

/** Events with a delivery to this definition, whatever its channel is now. */
function received(
  db: Db,
  { id, site_id: siteId, account_id: accountId }: WebhookDefinition,
  filter: Pick<Parameters<typeof pageEventLog>[2], 'eventRequestId' | 'status'>,
  page: Parameters<typeof pageEventLog>[4],
): ReturnType<typeof pageEventLog> {
  const site = { siteId, accountId, stage: '', channel: null, date: null };
  return pageEventLog(db, site, { ...filter, webhookId: id, withoutCallbacks: true }, NEWEST, page);
}

/** @throws DomainError not-found, whether there is no such event or it was sent to others alone */
async function findReceived(db: Db, definition: WebhookDefinition, eventRequestId: string): Promise<EventLog> {
  const { rows } = await received(db, definition, { eventRequestId }, { offset: 0, limit: 1 });
  const [found] = rows;
  if (found !== undefined) return found;
  throw new DomainError('not-found', 'EVENT_NOT_FOUND', 'no such event was sent to this endpoint');
}

export const receiverRoutes: readonly Route[] = [
  openReceiverRoute,
  readReceiverRoute,
  leaveReceiverRoute,
  listReceivedRoute,
  readReceivedRoute,
  replayReceivedRoute,
];
