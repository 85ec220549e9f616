/** Signatures as in Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks. */
import { createHmac } from 'node:crypto';

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
