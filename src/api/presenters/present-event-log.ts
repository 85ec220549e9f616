/** An event and its deliveries, as clients see them. */
import { z } from 'zod';
import type { DeliveryStatus } from '../../../db/models/delivery.js';
import { OpaqueJson } from '../../domain/kernel/opaque-json.js';
import { type EventLog, MAX_DELIVERIES } from '../../domain/webhooks/event-log.js';
import { maskedTarget } from '../../domain/webhooks/model/masks.js';

/** The names that clients see: a delivery that failed permanently (DEAD) is FAILED. */
const SHOWN_AS = { PENDING: 'PENDING', DELIVERED: 'DELIVERED', DEAD: 'FAILED', CANCELLED: 'CANCELLED' } as const;
type ShownStatus = (typeof SHOWN_AS)[DeliveryStatus];

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']);

/** The stored status of deliveries. */
export function storedStatus(shown: ShownStatus): DeliveryStatus {
  return shown === 'FAILED' ? 'DEAD' : shown;
}

type DeliveryLog = EventLog['logs'][number];
type FormerRequest = NonNullable<DeliveryLog['attempts'][number]['former']>;

const CHANGED_PARTS = [
  'target',
  'headers',
  'targetApiKey',
  'format',
  'apiVersion',
  'secret',
] as const satisfies readonly FormerRequest['changed'][number][];

const formerRequest = z
  .object({
    target: z.string().nullable().meta({ description: 'null: another address, which receivers are not shown' }),
    format: z.string(),
    apiVersion: z.string(),
    targetApiKey: z.string().nullable().meta({ description: 'Masked: ****abcd' }),
    headers: z.record(z.string(), z.string()).meta({ description: 'By name, with masked values: ****abcd' }),
    until: z.iso.datetime().meta({ description: 'When the definition was changed' }),
    changed: z
      .array(z.enum(CHANGED_PARTS))
      .meta({ description: 'What was changed since; secret: it was signed with one that has been replaced' }),
  })
  .meta({ id: 'FormerRequest' });

const attempt = z.object({
  statusCode: z.int().nullable().meta({ description: 'null: there was no answer' }),
  triggeredAt: z.iso.datetime(),
  durationMs: z.int(),
  errorMessage: z.string().nullable(),
  response: z.string().nullable().meta({ description: "The beginning of the answer's body" }),
  request: formerRequest.optional().meta({
    description: 'How the endpoint was called, if the definition has been changed since; left out: as it says now',
  }),
  requestUnknown: z.literal(true).optional().meta({
    description: 'The definition has been changed or deleted since, and how the endpoint was called was not kept',
  }),
});

const delivery = z.object({
  webhookId: z.string().nullable().meta({ description: 'null: the callback of a job' }),
  callbackUrl: z.string().optional().meta({ description: 'The address of a callback' }),
  status: deliveryStatus,
  responseInfo: z.array(attempt).meta({ description: 'One element for each attempt' }),
});

export const eventLogSchema = z
  .object({
    eventRequestId: z.string(),
    tenantId: z.string(),
    channel: z.int().nullable(),
    source: z.string(),
    event: z.string(),
    orderNumber: z.string().nullable(),
    payload: z
      .unknown()
      .meta({ description: 'null with payloadOmitted: the page would be too large; query this event alone' }),
    payloadOmitted: z.literal(true).optional(),
    contactsErased: z
      .literal(true)
      .optional()
      .meta({ description: 'The payload had contacts when it was sent, which were erased since' }),
    status: z.enum([...deliveryStatus.options, 'IGNORED']).meta({
      description:
        'The first of PENDING, FAILED and CANCELLED that a delivery has, else DELIVERED; IGNORED: no definition subscribes to it. FAILED with a statusMessage: some deliveries could not be created',
    }),
    statusMessage: z
      .string()
      .optional()
      .meta({ description: 'Why some deliveries were not created. Send the eventRequestId to /retry to create them' }),
    retryCount: z.int().meta({ description: 'The attempts after the first one, of all deliveries together' }),
    firstEventTriggeredAt: z.iso.datetime(),
    lastEventTriggeredAt: z.iso
      .datetime()
      .meta({ description: 'The time of the last attempt, or of the event itself' }),
    logs: z
      .array(delivery)
      .meta({ description: `The deliveries, at most ${MAX_DELIVERIES}; the filter webhookId shows a particular one` }),
  })
  .meta({ id: 'EventLog' });

export function presentEventLog(log: EventLog): z.input<typeof eventLogSchema> {
  const attempts = log.logs.flatMap((one) => one.attempts.map(({ triggered_at }) => Date.parse(triggered_at)));
  const last = attempts.reduce((latest, at) => Math.max(latest, at), log.triggered_at.getTime());
  return {
    eventRequestId: log.id,
    tenantId: log.account_id,
    channel: log.channel,
    source: log.source,
    event: log.event,
    orderNumber: log.order_number,
    ...(log.payload === null
      ? { payload: null, payloadOmitted: true as const }
      : { payload: new OpaqueJson(log.payload) }),
    ...(log.contacts_erased_at === null ? {} : { contactsErased: true as const }),
    status: statusOf(log),
    ...(log.fan_out_error === null ? {} : { statusMessage: log.fan_out_error }),
    retryCount: log.retries,
    firstEventTriggeredAt: log.triggered_at.toISOString(),
    lastEventTriggeredAt: new Date(last).toISOString(),
    logs: log.logs.map(presentDelivery),
  };
}

function statusOf({ statuses, fanned_out_at, fan_out_error }: EventLog): ShownStatus | 'IGNORED' {
  if (fanned_out_at === null) return 'PENDING';
  if (fan_out_error !== null && statuses?.PENDING === undefined) return 'FAILED';
  const worst = (['PENDING', 'DEAD', 'CANCELLED', 'DELIVERED'] as const).find((status) => statuses?.[status]);
  return worst === undefined ? 'IGNORED' : SHOWN_AS[worst];
}

function presentDelivery({ definition_id, callback_url, status, attempts }: DeliveryLog): z.input<typeof delivery> {
  return {
    webhookId: definition_id,
    ...(callback_url === null ? {} : { callbackUrl: callback_url }),
    status: SHOWN_AS[status],
    responseInfo: attempts.map(({ status_code, triggered_at, duration_ms, error, response, former, is_unknown }) => ({
      statusCode: status_code,
      triggeredAt: new Date(triggered_at).toISOString(),
      durationMs: duration_ms,
      errorMessage: error,
      response,
      ...(former === null ? {} : { request: presentFormer(former) }),
      ...(is_unknown ? { requestUnknown: true as const } : {}),
    })),
  };
}

function presentFormer(former: FormerRequest): z.input<typeof formerRequest> {
  const { target, format, api_version, target_api_key_hint, header_hints, ended_at, changed } = former;
  return {
    target,
    format,
    apiVersion: api_version,
    ...maskedTarget({ target_api_key_hint, header_hints }),
    until: new Date(ended_at).toISOString(),
    changed: CHANGED_PARTS.filter((part) => changed.includes(part)),
  };
}
