/** Makes the signed request of a delivery. */
import { VERSION } from '../../../platform/version.js';
import type { OpenSecrets } from '../definitions/definition-secrets.js';
import type { LoadedDefinition, LoadedDelivery, LoadedEvent } from './load-deliveries.js';
import { signatureHeaders } from './sign-webhook.js';
import type { WebhookRequest } from './webhook-sender.js';

const USER_AGENT = `Longshore/${VERSION}`;
const JSON_FORMAT = 'application/json';
const WITHOUT_BODY = new Set(['GET', 'DELETE']);

/** What a definition says of the requests to its target. */
export type RequestSettings = Pick<LoadedDefinition, 'target' | 'request_type' | 'format'>;

/** What is sent: the event's id, and the body's bytes or text. */
export interface WebhookContent {
  readonly id: string;
  readonly body: Buffer | string;
}

/** The body that is delivered; the payload's text goes in as it is, so that its numbers keep their digits. */
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

/** To a definition's target. */
export function targetRequest(
  { target, request_type: method, format }: RequestSettings,
  { signing, targetApiKey }: OpenSecrets,
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  const request = signedRequest({ target, method, format }, signing, content, now);
  return targetApiKey === null ? request : { ...request, headers: { ...request.headers, 'x-api-key': targetApiKey } };
}

/** To a callback's URL. @param secrets of the definition that asks to be told, or of the account */
export function callbackRequest(
  target: string,
  secrets: readonly string[],
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  return signedRequest({ target, method: 'POST', format: JSON_FORMAT }, secrets, content, now);
}

/** The content of a delivery; callbacks have no version of their own. */
export function contentOf({ event, definition, callbackUrl }: LoadedDelivery): WebhookContent {
  const apiVersion = callbackUrl === null ? (definition?.api_version ?? '') : '';
  const last = lastContents.get(event);
  if (last?.apiVersion === apiVersion) return last;
  const made = { id: event.id, body: Buffer.from(bodyOf(event, apiVersion)), apiVersion };
  lastContents.set(event, made);
  return made;
}

/** The deliveries of an event have the same content, but for their version. */
const lastContents = new WeakMap<LoadedEvent, WebhookContent & { readonly apiVersion: string }>();

function signedRequest(
  { target, method, format }: { readonly target: string; readonly method: string; readonly format: string },
  secrets: readonly string[],
  { id, body }: WebhookContent,
  now: Date,
): WebhookRequest {
  const sent = WITHOUT_BODY.has(method) ? null : body;
  const timestamp = Math.floor(now.getTime() / 1000);
  const headers: Record<string, string> = signatureHeaders(secrets, { id, timestamp, body: sent ?? '' });
  headers['user-agent'] = USER_AGENT;
  if (sent !== null) headers['content-type'] = format;
  return { target, method, body: sent, headers };
}
