/** The endpoint that delivers events again: one event, or a job for those of a time. */

import { z } from 'zod';
import { newId } from '../../../domain/kernel/identifier.js';
import { acceptReplay, countReplay } from '../../../domain/replays/accept-replay.js';
import { REPLAYABLE } from '../../../domain/replays/replay-job.js';
import { eventName } from '../../../domain/webhooks/definition-fields.js';
import { replayEvent } from '../../../domain/webhooks/replay-event.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute, EXAMPLE_ID } from '../../define-route.js';
import { refuseReversedTimes } from '../../list-query.js';
import { plainText } from '../../plain-text.js';
import { MAX_ORDER_NUMBER_CHARACTERS } from './emit.js';

const retryWebhookTime = z.iso.datetime({ offset: true });

const EITHER =
  'send { eventRequestId, webhookId? }, or { since, until?, webhookId, event?, orderNumber?, dryRun? } with status: "FAILED" or outcomes: ["FAILED", …]';
const FAILED_OR_CANCELLED = ['FAILED', 'CANCELLED'] as const;

const retryWebhookBody = z
  .strictObject({
    eventRequestId: z.string().optional().meta({ description: 'The event to deliver again' }),
    webhookId: z.string().optional(),
    since: retryWebhookTime
      .optional()
      .meta({ description: 'Deliveries to webhookId that were created at this time or later' }),
    until: retryWebhookTime.optional().meta({ description: 'Only deliveries that were created before this time' }),
    status: z.literal('FAILED').optional().meta({ description: 'The same as the outcomes FAILED and CANCELLED' }),
    outcomes: z.array(z.enum(REPLAYABLE)).min(1).optional().meta({
      description:
        'What became of the events: FAILED permanently; CANCELLED, because the definition was disabled; DELIVERED; IGNORED: not sent to the definition, because it did not exist when they were emitted, or was disabled and did not collect them',
    }),
    event: eventName.optional().meta({ description: 'Only events with this name' }),
    orderNumber: plainText(MAX_ORDER_NUMBER_CHARACTERS).optional().meta({ description: 'Only events of this order' }),
    dryRun: z
      .boolean()
      .optional()
      .meta({ description: 'true: answers the number of deliveries, and delivers nothing' }),
  })
  .superRefine(refuseReversedTimes)
  .transform(({ eventRequestId, webhookId, since, until, status, outcomes, event, orderNumber, dryRun }, context) => {
    const isRange = [since, until, outcomes, event, orderNumber, dryRun].some((one) => one !== undefined);
    if (eventRequestId !== undefined && !isRange) {
      return { kind: 'event' as const, eventRequestId, webhookId };
    }
    const chosen = outcomes ?? (status === undefined ? undefined : FAILED_OR_CANCELLED);
    if (eventRequestId === undefined && since !== undefined && webhookId !== undefined && chosen !== undefined) {
      const range = { webhookId, since, until: until ?? null, outcomes: [...new Set(chosen)], event, orderNumber };
      return { kind: 'range' as const, range, dryRun: dryRun ?? false };
    }
    context.addIssue({ code: 'custom', message: EITHER });
    return z.NEVER;
  });

const ofEvent = z.object({
  eventRequestId: z.string(),
  deliveries: z
    .int()
    .meta({ description: 'How many deliveries were started again; deliveries that are to be created count as one' }),
});
const dryCount = z.object({ deliveries: z.int().meta({ description: 'How many deliveries a replay would make' }) });
const ofRange = z.object({ jobId: z.string(), status: z.literal('SCHEDULED') });

export const retryWebhookRoute = defineRoute({
  family: 'oms',
  tag: 'Webhooks',
  siteContext: true,
  method: 'POST',
  path: '/api/v2/webhook/retry',
  operationId: 'retryEvents',
  summary: 'Deliver events again',
  description:
    'With eventRequestId: the deliveries of one event that failed permanently or were cancelled; with webhookId too, the event to that definition in any case. With a range of time: the events of one definition by what became of them, as a job; with dryRun they are only counted.',
  auth: { scope: 'webhooks:write' },
  body: { schema: retryWebhookBody, example: { eventRequestId: EXAMPLE_ID } },
  refusals: { 409: 'The definition is disabled' },
  responses: {
    200: { description: 'The number of deliveries (dryRun)', schema: dryCount },
    202: { description: 'Accepted', schema: z.union([ofEvent, ofRange]) },
  },
  audit: 'EVENTS_REPLAYED',
  async handle({ body: asked, site, requestId, audit }, { db, producer, logger }) {
    if (asked.kind === 'event') {
      const outboxEntries = await audit.change(
        db,
        (trx) => replayEvent(trx, site.siteId, asked),
        () => `event/${asked.eventRequestId}`,
      );
      await enqueueEntries(producer, outboxEntries, logger);
      return { status: 202, body: { eventRequestId: asked.eventRequestId, deliveries: outboxEntries.length } };
    }
    if (asked.dryRun) return { status: 200, body: { deliveries: await countReplay(db, site, asked.range) } };
    const id = newId();
    const outboxEntries = await audit.change(
      db,
      (trx) => acceptReplay(trx, { id, site, requestId, range: asked.range }),
      () => `job/${id}`,
    );
    await enqueueEntries(producer, outboxEntries, logger);
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, headers: { Location: `/jobs/${id}` } };
  },
});
