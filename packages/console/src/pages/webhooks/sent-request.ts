/** The request of a delivery, as far as it can be told afterwards: the signature and its time differ in each attempt. */
import type { EventLog, schemas } from '@longshore/client';

/** An event as its owner or its receiver sees it. */
export type SentEvent = Omit<schemas.ReceivedEvent, 'status' | 'nextAttemptAt' | 'responseInfo'> | EventLog;
/** How a definition is called. */
export type Called = Pick<
  schemas.WebhookDefinition,
  'apiVersion' | 'targetApiKey' | 'headers' | 'format' | 'requestType' | 'target'
>;

export function bodyOfEvent(log: SentEvent, { apiVersion }: Called): string {
  const { eventRequestId, event, source, tenantId, channel, orderNumber, firstEventTriggeredAt, payload } = log;
  const body = {
    ...{ eventRequestId, event, source, tenantId, channel, apiVersion },
    ...(orderNumber === null ? {} : { orderNumber }),
    triggeredAt: firstEventTriggeredAt,
    payload,
  };
  return JSON.stringify(body, null, 2);
}

export function headersOfEvent({ eventRequestId }: SentEvent, definition: Called): string {
  const { targetApiKey, headers, format } = definition;
  return [
    `content-type: ${format}`,
    ...(targetApiKey === null ? [] : [`x-api-key: ${targetApiKey}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `webhook-id: ${eventRequestId}`,
    'webhook-timestamp: …',
    'webhook-signature: v1,…',
  ].join('\n');
}
