/** The content of a request: the body of a delivery, and the headers that say what the body would. */
import type { LoadedDelivery, LoadedEvent } from '../loaded-delivery.js';

/** The content of a request: the id of the event and the body. */
export interface WebhookContent {
  readonly id: string;
  readonly body: Buffer | string;
  /** The W3C trace context, which the request carries on; null: none. */
  readonly traceparent: string | null;
  /** What the body says about the event besides its payload, for requests without a body. */
  readonly headers: () => Record<string, string>;
}

/**
 * Returns the name and the ids of an event as headers. The values that clients choose freely are percent-encoded as
 * UTF-8, because a header holds ASCII only.
 */
export function eventHeaders(event: LoadedEvent, apiVersion: string): Record<string, string> {
  const { source, account_id, channel, order_number, triggered_at } = event;
  return {
    'longshore-event': event.event,
    'longshore-event-request-id': event.id,
    'longshore-source': source,
    'longshore-tenant-id': encodeURIComponent(account_id),
    'longshore-triggered-at': triggered_at.toISOString(),
    ...(channel === null ? {} : { 'longshore-channel': String(channel) }),
    ...(order_number === null ? {} : { 'longshore-order-number': encodeURIComponent(order_number) }),
    ...(apiVersion === '' ? {} : { 'longshore-api-version': encodeURIComponent(apiVersion) }),
  };
}

/** The body of a delivery. The text of the payload is copied unchanged, so that its numbers keep all their digits. */
export function bodyOf(event: LoadedEvent, apiVersion: string): string {
  const { id, source, account_id, channel, order_number, triggered_at, payload } = event;
  const head = JSON.stringify({
    eventRequestId: id,
    event: event.event,
    source,
    tenantId: account_id,
    channel,
    apiVersion,
    ...(order_number === null ? {} : { orderNumber: order_number }),
    triggeredAt: triggered_at,
  });
  return `${head.slice(0, -1)},"payload":${payload}}`;
}

/** The content of a delivery. Callbacks have no API version. */
export function contentOf({ event, definition, callbackUrl }: LoadedDelivery): WebhookContent {
  const apiVersion = callbackUrl === null ? (definition?.api_version ?? '') : '';
  const last = lastContents.get(event);
  if (last?.apiVersion === apiVersion) return last;
  const made = {
    id: event.id,
    body: Buffer.from(bodyOf(event, apiVersion)),
    headers: () => eventHeaders(event, apiVersion),
    traceparent: event.traceparent,
    apiVersion,
  };
  lastContents.set(event, made);
  return made;
}

/** Caches the last content per event: deliveries of an event differ only in their API version. */
const lastContents = new WeakMap<LoadedEvent, WebhookContent & { readonly apiVersion: string }>();
