/**
 * The ping: calls the target of a definition once. It is not recorded, and does not change the health of the
 * endpoint.
 */
import type { WebhookDefinition } from '../../../../../db/models/webhook-definition.js';
import { newId } from '../../../kernel/identifier.js';
import { openSecrets } from '../../definitions/open-secrets.js';
import { ping } from '../../event-types/definition-events.js';
import { makeEvent } from '../../events/new-event.js';
import type { SendResult } from '../send/send-result.js';
import type { WebhookSender } from '../send/webhook-sender.js';
import { bodyOf, eventHeaders } from './content.js';
import { targetRequest } from './signed-request.js';

/** The name of the event that is sent. */
const PING = ping.name;

export interface PingResult {
  /** Whether the target answered 2xx. */
  readonly delivered: boolean;
  /** Missing when there was no answer. */
  readonly statusCode?: number;
  readonly durationMs: number;
  /** The beginning of the body of the answer; missing when it has none. */
  readonly response?: string;
  /** Begins with "blocked address" when the address guard refuses the target. */
  readonly error?: string;
}

/**
 * Signs the request and sets its headers as for a delivery. Disabled definitions are called too.
 * @throws UnsealError
 */
export async function pingDefinition(
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
  const { statusCode, response } = result;
  const delivered = statusCode >= 200 && statusCode < 300;
  return {
    ...{ delivered, statusCode, durationMs },
    ...(response === '' ? {} : { response }),
    ...(delivered ? {} : { error: `the target answered ${statusCode}` }),
  };
}
