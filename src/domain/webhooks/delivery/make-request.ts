/** Creates the signed request of a delivery. */

import { createHmac } from 'node:crypto';
import type { Db } from '../../../../db/connection.js';
import { VERSION } from '../../../platform/version.js';
import { callbackSecrets } from '../../access/callback-secret.js';
import type { OpenSecrets } from '../definitions/definition-row.js';
import { openSecrets } from '../definitions/definition-row.js';
import type { LoadedDefinition, LoadedDelivery, LoadedEvent } from './load-deliveries.js';
import type { WebhookRequest } from './webhook-sender.js';

const USER_AGENT = `Longshore/${VERSION}`;
const JSON_FORMAT = 'application/json';
const WITHOUT_BODY = new Set(['GET', 'DELETE']);

/** The settings of a definition for requests to its target. */
type RequestSettings = Pick<LoadedDefinition, 'target' | 'request_type' | 'format'>;

/** The content of a request: the id of the event and the body. */
interface WebhookContent {
  readonly id: string;
  readonly body: Buffer | string;
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

/** Creates the request to the target of a definition. */
export function targetRequest(
  { target, request_type: method, format }: RequestSettings,
  { signing, targetApiKey }: OpenSecrets,
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  const request = signedRequest({ target, method, format }, signing, content, now);
  return targetApiKey === null ? request : { ...request, headers: { ...request.headers, 'x-api-key': targetApiKey } };
}

/** Creates the request to a callback URL. @param secrets those of the definition with this URL, or of the account */
function callbackRequest(
  target: string,
  secrets: readonly string[],
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  return signedRequest({ target, method: 'POST', format: JSON_FORMAT }, secrets, content, now);
}

/** The content of a delivery. Callbacks have no API version. */
function contentOf({ event, definition, callbackUrl }: LoadedDelivery): WebhookContent {
  const apiVersion = callbackUrl === null ? (definition?.api_version ?? '') : '';
  const last = lastContents.get(event);
  if (last?.apiVersion === apiVersion) return last;
  const made = { id: event.id, body: Buffer.from(bodyOf(event, apiVersion)), apiVersion };
  lastContents.set(event, made);
  return made;
}

/** Caches the last content per event: deliveries of an event differ only in their API version. */
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

// Signatures as in Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks

/** The content that a receiver verifies. */
interface SignedContent {
  /** The event's id, the same on every attempt. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Empty for methods without a body. Text is signed as UTF-8. */
  readonly body: string | Uint8Array;
}

const PREFIX = 'whsec_';

/**
 * Returns the three headers of a signed request.
 * @param secrets `whsec_…`, each of which signs: the old and the new one during a rotation
 * @internal exported for tests
 */
export function signatureHeaders(secrets: readonly string[], content: SignedContent): Record<string, string> {
  const { id, timestamp, body } = content;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, `${id}.${timestamp}.`, body)}`).join(' '),
  };
}

function sign(secret: string, head: string, body: string | Uint8Array): string {
  return createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64');
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}

// The requests of loaded deliveries

/** Creates the request of a delivery, signed at a given time. @throws UnsealError; errors of the database */
export type RequestMaker = (delivery: LoadedDelivery, at: Date) => WebhookRequest | Promise<WebhookRequest>;

export function createRequestMaker(db: Db, secretsKeys: readonly string[]): RequestMaker {
  /** The opened secrets of definitions: opening them takes as long as sending a request. */
  const opened = new WeakMap<LoadedDefinition, OpenSecrets>();

  function secretsOf(definition: LoadedDefinition, at: Date): OpenSecrets {
    const known = opened.get(definition);
    if (known !== undefined) return known;
    const secrets = openSecrets(secretsKeys, definition, at);
    opened.set(definition, secrets);
    return secrets;
  }

  async function signedByAccount(delivery: LoadedDelivery, callbackUrl: string, at: Date): Promise<WebhookRequest> {
    const secrets = await callbackSecrets(db, secretsKeys, delivery.event.account_id, at);
    return callbackRequest(callbackUrl, secrets, contentOf(delivery), at);
  }

  return (delivery, at) => {
    const { definition, callbackUrl } = delivery;
    if (definition === null) {
      if (callbackUrl === null) throw new Error(`delivery ${delivery.id} has neither a definition nor a callback URL`);
      return signedByAccount(delivery, callbackUrl, at);
    }
    const secrets = secretsOf(definition, at);
    const content = contentOf(delivery);
    if (callbackUrl !== null) return callbackRequest(callbackUrl, secrets.signing, content, at);
    return targetRequest(definition, secrets, content, at);
  };
}
