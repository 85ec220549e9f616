/** Creates the signed request of a delivery. */
import { VERSION } from '../../../../platform/version.js';
import type { OpenSecrets } from '../../definitions/open-secrets.js';
import type { LoadedDefinition } from '../loaded-delivery.js';
import type { WebhookRequest } from '../send/webhook-request.js';
import type { WebhookContent } from './content.js';
import { signatureHeaders } from './signature.js';

const USER_AGENT = `Longshore/${VERSION}`;
const JSON_FORMAT = 'application/json';
const WITHOUT_BODY = new Set(['GET', 'DELETE']);

/** The settings of a definition for requests to its target. */
type RequestSettings = Pick<LoadedDefinition, 'target' | 'request_type' | 'format'>;

/** Creates the request to the target of a definition. */
export function targetRequest(
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
export function callbackRequest(
  target: string,
  secrets: readonly string[],
  content: WebhookContent,
  now: Date,
): WebhookRequest {
  return signedRequest({ target, method: 'POST', format: JSON_FORMAT }, secrets, content, now);
}

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
