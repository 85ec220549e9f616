/** Verifies deliveries of webhooks, as Standard Webhooks defines it (https://www.standardwebhooks.com). */
import { LongshoreError } from './error.js';

/** An event as a receiver gets it. */
export interface WebhookEvent<Payload = unknown> {
  readonly eventRequestId: string;
  readonly event: string;
  readonly source: string;
  /** The account. */
  readonly tenantId: string;
  readonly channel: number | null;
  readonly apiVersion: string;
  readonly orderNumber?: string;
  readonly triggeredAt: string;
  readonly payload: Payload;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

interface Delivery {
  /** The body, byte for byte as it arrived. */
  readonly body: string | Uint8Array;
  readonly headers: Headers;
  /** The `signingSecret` of the definition; several while it is being changed. */
  readonly secret: string | readonly string[];
  /** How far the clocks may differ, and how old a delivery may be. Default: 300 seconds */
  readonly toleranceSeconds?: number | undefined;
  /** Default: now. */
  readonly now?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;

export const webhooks = {
  /**
   * Checks that a request comes from Longshore, is not older than the tolerance and was not changed.
   * @returns the event
   * @throws LongshoreError with the code WEBHOOK_INVALID, and a message that says what is wrong
   */
  async verify<Payload = unknown>(delivery: Delivery): Promise<WebhookEvent<Payload>> {
    const id = headerOf(delivery.headers, 'webhook-id');
    const timestamp = headerOf(delivery.headers, 'webhook-timestamp');
    const signatures = headerOf(delivery.headers, 'webhook-signature');
    requireRecent(timestamp, delivery);
    const body = typeof delivery.body === 'string' ? new TextEncoder().encode(delivery.body) : delivery.body;
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
    const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
    for (const secret of secrets) {
      if (await isSigned(signed, signatures, secret)) return eventOf<Payload>(body, delivery.headers);
    }
    throw invalid('the signature is not that of this secret and this body: is the body passed on byte for byte?');
  },
} as const;

function requireRecent(timestamp: string, { toleranceSeconds, now = new Date() }: Delivery): void {
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp)) throw invalid('the header webhook-timestamp is not a number of seconds');
  const tolerance = toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  if (Math.abs(age) > tolerance) {
    throw invalid(
      `the delivery is ${Math.round(age)} seconds old, and ${tolerance} are tolerated: is the clock correct?`,
    );
  }
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['verify']);
  for (const entry of signatures.split(' ')) {
    const [version, signature = ''] = entry.split(',');
    const bytes = version === 'v1' ? fromBase64(signature) : undefined;
    // `verify` compares in constant time.
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return true;
  }
  return false;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.replace(/^whsec_/, ''));
  if (key === undefined || key.length === 0) {
    throw invalid('the secret is not one of Standard Webhooks: it begins with whsec_ and is base64');
  }
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** The event in the body; requests without a body (GET, DELETE) name it in their headers. */
function eventOf<Payload>(body: Uint8Array, headers: Headers): WebhookEvent<Payload> {
  if (body.length > 0) return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent<Payload>;
  const optional = (name: string) => decodeURIComponent(findHeader(headers, name) ?? '');
  const orderNumber = optional('longshore-order-number');
  const channel = optional('longshore-channel');
  return {
    eventRequestId: optional('longshore-event-request-id'),
    event: optional('longshore-event'),
    source: optional('longshore-source'),
    tenantId: optional('longshore-tenant-id'),
    channel: channel === '' ? null : Number(channel),
    apiVersion: optional('longshore-api-version'),
    ...(orderNumber === '' ? {} : { orderNumber }),
    triggeredAt: optional('longshore-triggered-at'),
    payload: null as Payload,
  };
}

function headerOf(headers: Headers, name: string): string {
  const value = findHeader(headers, name);
  if (value === undefined || value === '') throw invalid(`the header ${name} is missing`);
  return value;
}

function findHeader(headers: Headers, name: string): string | undefined {
  if (isGetter(headers)) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

function isGetter(headers: Headers): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function invalid(message: string): LongshoreError {
  return new LongshoreError(`the delivery is refused: ${message}`, { code: 'WEBHOOK_INVALID' });
}
