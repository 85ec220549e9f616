/** The request of a delivery, as far as it can be told afterwards: the signature and its time differ in each attempt. */
import type { EventLog } from '@longshore/client';
import type { Definition } from './health.js';

export function bodyOfEvent(log: EventLog, { apiVersion }: Definition): string {
  const { eventRequestId, event, source, tenantId, channel, orderNumber, firstEventTriggeredAt, payload } = log;
  const body = {
    ...{ eventRequestId, event, source, tenantId, channel, apiVersion },
    ...(orderNumber === null ? {} : { orderNumber }),
    triggeredAt: firstEventTriggeredAt,
    payload,
  };
  return JSON.stringify(body, null, 2);
}

export function headersOfEvent({ eventRequestId }: EventLog, definition: Definition): string {
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
