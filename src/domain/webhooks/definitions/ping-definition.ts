/** Calls a definition's target once, at once, to see whether it answers. Nothing of it is kept, and no breaker counts it. */
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { newId } from '../../kernel/identifier.js';
import { bodyOf, targetRequest } from '../delivery/make-request.js';
import type { SendResult } from '../delivery/send-result.js';
import type { WebhookSender } from '../delivery/webhook-sender.js';
import { ping } from '../event-types/definition-events.js';
import { makeEvent } from '../events/new-event.js';
import { openSecrets } from './definition-row.js';

/** The name of the event that is sent. */
const PING = ping.name;

export interface PingResult {
  /** It answered 2xx. */
  readonly delivered: boolean;
  /** Missing: no answer came. */
  readonly statusCode?: number;
  readonly durationMs: number;
  /** Begins with "blocked address" where the guard refuses the target. */
  readonly error?: string;
}

/** Signed and dressed like any delivery. A definition that is disabled is called too. @throws UnsealError */
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
    payload,
  };
  const content = { id, body: bodyOf(event, definition.api_version) };
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
