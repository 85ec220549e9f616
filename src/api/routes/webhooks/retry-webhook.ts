/** POST /api/v2/webhook/retry */
import { z } from 'zod';
import { newJobId } from '../../../domain/jobs/accept-job.js';
import { acceptReplay } from '../../../domain/replays/accept-replay.js';
import { replayEvent } from '../../../domain/webhooks/redispatch.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { ofWebhooks } from './webhook-route.js';

const time = z.iso.datetime({ offset: true });

const EITHER = 'send { eventRequestId, webhookId? }, or { since, until?, webhookId, status: "FAILED" }';

const body = z
  .object({
    eventRequestId: z.string().optional().meta({ description: 'The event to deliver again' }),
    webhookId: z.string().optional(),
    since: time.optional().meta({ description: 'Deliveries to webhookId that were created at this time or later' }),
    until: time.optional().meta({ description: 'Only deliveries that were created before this time' }),
    status: z
      .literal('FAILED')
      .optional()
      .meta({ description: 'Deliveries that failed permanently or were cancelled' }),
  })
  .transform(({ eventRequestId, webhookId, since, until, status }, context) => {
    if (eventRequestId !== undefined && since === undefined && until === undefined) {
      return { kind: 'event' as const, eventRequestId, webhookId };
    }
    if (eventRequestId === undefined && since !== undefined && webhookId !== undefined && status !== undefined) {
      return { kind: 'range' as const, range: { webhookId, since, until: until ?? null } };
    }
    context.addIssue({ code: 'custom', message: EITHER });
    return z.NEVER;
  });

const ofEvent = z.object({
  eventRequestId: z.string(),
  deliveries: z.int().meta({ description: 'How many deliveries were started again' }),
});
const ofRange = z.object({ jobId: z.string(), status: z.literal('SCHEDULED') });

export const retryWebhookRoute = defineRoute({
  ...ofWebhooks,
  method: 'POST',
  path: '/api/v2/webhook/retry',
  summary: 'Deliver events again',
  description:
    'With eventRequestId: the deliveries of one event that failed permanently or were cancelled; with webhookId too, the event to that definition in any case. With a range of time: the deliveries to one definition that failed permanently or were cancelled, as a job.',
  auth: { scope: 'webhooks:write' },
  body: { schema: body },
  responses: { 202: { description: 'Accepted', schema: z.union([ofEvent, ofRange]) } },
  async handle({ body: asked, site, requestId }, { db, producer, logger }) {
    if (asked.kind === 'event') {
      const outboxEntries = await replayEvent(db, site.siteId, asked);
      await enqueueEntries(producer, outboxEntries, logger);
      return { status: 202, body: { eventRequestId: asked.eventRequestId, deliveries: outboxEntries.length } };
    }
    const id = newJobId();
    const outboxEntries = await acceptReplay(db, { id, site, requestId, range: asked.range });
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, headers: { Location: `/jobs/${id}` } };
  },
});
