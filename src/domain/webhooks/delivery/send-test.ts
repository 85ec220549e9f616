/** Sends a signed ping to a definition's target, at once: whether it is reached and how it answers. Nothing is recorded. */
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import { newId } from '../../identifier.js';
import { bodyOf, targetRequest } from './make-request.js';
import type { WebhookSender } from './webhook-sender.js';

export interface TestResult {
  /** The target answered with 2xx. */
  readonly delivered: boolean;
  readonly statusCode?: number;
  readonly durationMs: number;
  /** Begins with "blocked address" where the target must not be reached. */
  readonly error?: string;
}

/** What a ping is called in its body. */
export const TEST_EVENT = 'WEBHOOK_TEST';

/** @throws UnsealError */
export async function sendTest(
  { sender, secretsKeys }: { readonly sender: WebhookSender; readonly secretsKeys: readonly string[] },
  definition: WebhookDefinition,
): Promise<TestResult> {
  const { id: webhookId, site_id, account_id, source, channel, api_version } = definition;
  const now = new Date();
  const event = {
    ...{ id: newId(), event: TEST_EVENT, site_id, account_id, source, channel, order_number: null, triggered_at: now },
    payload: JSON.stringify({ webhookId, message: 'This is a test. Nothing has happened.' }),
  };
  const content = { id: event.id, body: bodyOf(event, api_version) };
  const result = await sender.send(targetRequest(secretsKeys, definition, content, now));
  const durationMs = Date.now() - now.getTime();
  if (result.kind !== 'answered') return { delivered: false, durationMs, error: result.message };
  const { statusCode } = result;
  const delivered = statusCode >= 200 && statusCode < 300;
  return { delivered, statusCode, durationMs, ...(delivered ? {} : { error: `answered ${statusCode}` }) };
}
