/** The requests of a delivery, as far as they can be told afterwards: the signature and its time differ in each attempt. */
import type { EventLog, schemas } from '@longshore/client';

/** An event as its owner or its receiver sees it. */
export type SentEvent = Omit<schemas.ReceivedEvent, 'status' | 'nextAttemptAt' | 'responseInfo'> | EventLog;
export type Attempt = EventLog['logs'][number]['responseInfo'][number];
/** How a definition is called. */
export type Called = Pick<
  schemas.WebhookDefinition,
  'apiVersion' | 'targetApiKey' | 'headers' | 'format' | 'requestType'
> & { readonly target: string | null };

/** Attempts that were made by the same request. */
export interface SentRequest {
  /** Beginning with 1; none: it was not attempted yet. */
  readonly attempts: readonly number[];
  /** Undefined: that is not known any more. */
  readonly called: Called | undefined;
  /** Before which change it was called so; undefined: the definition says the same now. */
  readonly former: schemas.FormerRequest | undefined;
}

/**
 * Groups attempts by the requests that they made, the latest first.
 * @param definition as it is now: attempts name what was otherwise
 * @param callbackUrl where the delivery goes instead of the target, whatever the definition says
 */
export function requestsOf(
  attempts: readonly Attempt[],
  definition: Called,
  callbackUrl: string | undefined,
): readonly SentRequest[] {
  const now = callbackUrl === undefined ? definition : callbackTo(callbackUrl);
  if (attempts.length === 0) return [{ attempts: [], called: now, former: undefined }];
  const groups = new Map<string, SentRequest>();
  attempts.forEach(({ request: former, requestUnknown }, nth) => {
    const key = JSON.stringify([former, requestUnknown]);
    const known = former === undefined ? now : { ...former, requestType: definition.requestType };
    const called = requestUnknown === true ? undefined : known;
    groups.set(key, { called, former, attempts: [...(groups.get(key)?.attempts ?? []), nth + 1] });
  });
  return [...groups.values()].reverse();
}

function callbackTo(target: string): Called {
  return { target, requestType: 'POST', format: 'application/json', apiVersion: '', targetApiKey: null, headers: {} };
}

export function hasBody({ requestType }: Called): boolean {
  return !['GET', 'DELETE'].includes(requestType);
}

/** @param called undefined: what depends on the definition is not known any more */
export function bodyOfEvent(log: SentEvent, called: Called | undefined): string {
  const { eventRequestId, event, source, tenantId, channel, orderNumber, firstEventTriggeredAt, payload } = log;
  const body = {
    ...{ eventRequestId, event, source, tenantId, channel, apiVersion: called?.apiVersion ?? '…' },
    ...(orderNumber === null ? {} : { orderNumber }),
    triggeredAt: firstEventTriggeredAt,
    payload,
  };
  return JSON.stringify(body, null, 2);
}

export function headersOfEvent(log: SentEvent, called: Called): string {
  const { targetApiKey, headers, format, apiVersion } = called;
  return [
    ...(hasBody(called) ? [`content-type: ${format}`] : headersForBody(log, apiVersion)),
    ...(targetApiKey === null ? [] : [`x-api-key: ${targetApiKey}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'user-agent: Longshore/…',
    `webhook-id: ${log.eventRequestId}`,
    'webhook-timestamp: …',
    'webhook-signature: v1,…',
  ].join('\n');
}

/** Requests without a body say the same in their headers, but for the payload. */
function headersForBody(log: SentEvent, apiVersion: string): readonly string[] {
  const { eventRequestId, event, source, tenantId, channel, orderNumber, firstEventTriggeredAt } = log;
  return [
    `longshore-event: ${event}`,
    `longshore-event-request-id: ${eventRequestId}`,
    `longshore-source: ${source}`,
    `longshore-tenant-id: ${encodeURIComponent(tenantId)}`,
    `longshore-triggered-at: ${firstEventTriggeredAt}`,
    ...(channel === null ? [] : [`longshore-channel: ${channel}`]),
    ...(orderNumber === null ? [] : [`longshore-order-number: ${encodeURIComponent(orderNumber)}`]),
    ...(apiVersion === '' ? [] : [`longshore-api-version: ${encodeURIComponent(apiVersion)}`]),
  ];
}
