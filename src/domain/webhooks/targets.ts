/** Calls the targets of deliveries: builds the signed request, and sends it. */
import { createHmac } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { VERSION } from '../../platform/version.js';
import { callbackSecrets } from '../access/callback-secret.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import type { OpenSecrets } from './definitions/open-secrets.js';
import { openSecrets } from './definitions/open-secrets.js';
import type { LoadedDefinition, LoadedDelivery, LoadedEvent } from './delivery/load-deliveries.js';
import type { SendResult } from './delivery/send-result.js';
import type { WebhookRequest, WebhookSender } from './delivery/webhook-sender.js';
import { createWebhookSender } from './delivery/webhook-sender.js';
import { ping } from './event-types/definition-events.js';
import { makeEvent } from './events/new-event.js';
import { BlockedAddressError } from './guard/blocked-address.js';
import type { ResolveName, TargetGuard } from './guard/target-guard.js';
import { createTargetGuard } from './guard/target-guard.js';

// Creates the signed request of a delivery.

const USER_AGENT = `Longshore/${VERSION}`;
const JSON_FORMAT = 'application/json';
const WITHOUT_BODY = new Set(['GET', 'DELETE']);

/** The settings of a definition for requests to its target. */
type RequestSettings = Pick<LoadedDefinition, 'target' | 'request_type' | 'format'>;

/** The content of a request: the id of the event and the body. */
interface WebhookContent {
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
function eventHeaders(event: LoadedEvent, apiVersion: string): Record<string, string> {
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
function bodyOf(event: LoadedEvent, apiVersion: string): string {
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
function targetRequest(
  { target, request_type: method, format }: RequestSettings,
  { signing, targetApiKey, headers }: OpenSecrets,
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  const request = signedRequest({ target, method, format }, signing, content, now);
  const apiKey = targetApiKey === null ? {} : { 'x-api-key': targetApiKey };
  return { ...request, headers: { ...headers, ...request.headers, ...apiKey } };
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

function signedRequest(
  { target, method, format }: { readonly target: string; readonly method: string; readonly format: string },
  secrets: readonly string[],
  { id, body, traceparent, headers: eventHeadersOf }: WebhookContent,
  now: Date,
): WebhookRequest {
  const sent = WITHOUT_BODY.has(method) ? null : body;
  const timestamp = Math.floor(now.getTime() / 1000);
  const headers: Record<string, string> = signatureHeaders(secrets, { id, timestamp, body: sent ?? '' });
  headers['user-agent'] = USER_AGENT;
  if (traceparent !== null) headers.traceparent = traceparent;
  if (sent === null) Object.assign(headers, eventHeadersOf());
  else headers['content-type'] = format;
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

// Checks and calls the targets of webhooks, so that no request reaches our own network.

export interface TargetOptions {
  /** Networks that may be called even if they are not public, as CIDR: 10.1.0.0/16. */
  readonly allowedNetworks: readonly string[];
  /** Returns all addresses of a name. @throws the error of the resolver, with its `code` */
  readonly resolveName: ResolveName;
  /** Time limit for a whole request, until the last byte of the answer is read. */
  readonly timeoutMs: number;
}

/** Why an address must not be called: `blocked address …`. */
interface BlockedAddress {
  readonly code: string;
  readonly message: string;
}

/** Pings of one account that a process sends at the same time: a target may take long to answer. */
const MAX_PINGS = 5;
const PING_RETRY_AFTER_SECONDS = 5;

/** What a process needs to call targets. The process must close it. */
export class Targets {
  readonly #guard: TargetGuard;
  /** Pings that wait for their answers, by account. */
  readonly #pings = new Map<string, number>();
  /** The sender, which the delivery engine also uses. */
  readonly sender: WebhookSender;

  constructor({ allowedNetworks, resolveName, timeoutMs }: TargetOptions) {
    this.#guard = createTargetGuard({ allowedNetworks, resolveName });
    this.sender = createWebhookSender({ guard: this.#guard, totalMs: timeoutMs });
  }

  /** @returns null: nothing is known against the address; the addresses of a name are checked again at each call */
  async check(address: string): Promise<BlockedAddress | null> {
    try {
      await this.#guard.checkTarget(address);
      return null;
    } catch (error) {
      if (error instanceof BlockedAddressError) return error;
      throw error;
    }
  }

  /**
   * Sends a signed PING to the target of a definition, and waits for the answer.
   * @throws UnsealError; DomainError busy when too many pings of the account wait for theirs
   */
  async ping(secretsKeys: readonly string[], definition: WebhookDefinition, signal: AbortSignal): Promise<PingResult> {
    const { account_id: accountId } = definition;
    const underWay = this.#pings.get(accountId) ?? 0;
    if (underWay >= MAX_PINGS) {
      const message = `${MAX_PINGS} tests of this account wait for the answers of their targets; test again when one of them has ended`;
      throw new DomainError('busy', 'TOO_MANY_TESTS', message, { retryAfterSeconds: PING_RETRY_AFTER_SECONDS });
    }
    this.#pings.set(accountId, underWay + 1);
    try {
      return await pingDefinition(this.sender, secretsKeys, definition, signal);
    } finally {
      const left = (this.#pings.get(accountId) ?? 1) - 1;
      if (left > 0) this.#pings.set(accountId, left);
      else this.#pings.delete(accountId);
    }
  }

  /** Closes idle connections, and aborts requests in flight. */
  close(): Promise<void> {
    return this.sender.close();
  }
}

// The ping: calls the target of a definition once. It is not recorded, and does not change the health of the endpoint

/** The name of the event that is sent. */
const PING = ping.name;

interface PingResult {
  /** Whether the target answered 2xx. */
  readonly delivered: boolean;
  /** Missing when there was no answer. */
  readonly statusCode?: number;
  readonly durationMs: number;
  /** Begins with "blocked address" when the target guard refuses the target. */
  readonly error?: string;
}

/**
 * Signs the request and sets its headers as for a delivery. Disabled definitions are called too.
 * @throws UnsealError
 */
async function pingDefinition(
  sender: WebhookSender,
  secretsKeys: readonly string[],
  definition: WebhookDefinition,
  signal: AbortSignal,
): Promise<PingResult> {
  const { account_id, site_id, source, channel } = definition;
  const now = new Date();
  const id = newId();
  const { payload } = makeEvent(PING, { webhookId: definition.id }, { source });
  const event = {
    id,
    account_id,
    site_id,
    source,
    channel,
    event: PING,
    order_number: null,
    triggered_at: now,
    traceparent: null,
    payload,
    mayHaveContacts: false,
  };
  const content = {
    id,
    body: bodyOf(event, definition.api_version),
    traceparent: null,
    headers: () => eventHeaders(event, definition.api_version),
  };
  return resultOf(
    await sender.send(targetRequest(definition, openSecrets(secretsKeys, definition, now), content, now), signal),
  );
}

function resultOf(result: SendResult): PingResult {
  if (result.kind === 'not-sent') return { delivered: false, durationMs: 0, error: result.message };
  const durationMs = Math.round(result.durationMs);
  if (result.kind === 'failed') return { delivered: false, durationMs, error: result.message };
  const { statusCode } = result;
  const delivered = statusCode >= 200 && statusCode < 300;
  return { delivered, statusCode, durationMs, ...(delivered ? {} : { error: `the target answered ${statusCode}` }) };
}
