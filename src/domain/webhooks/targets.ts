/** Checks and calls the targets of webhooks, so that no request reaches our own network. */
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { newId } from '../kernel/identifier.js';
import { openSecrets } from './definitions/definition-row.js';
import { bodyOf, targetRequest } from './delivery/make-request.js';
import type { SendResult } from './delivery/send-result.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import { createWebhookSender } from './delivery/webhook-sender.js';
import { ping } from './event-types/definition-events.js';
import { makeEvent } from './events/new-event.js';
import { BlockedAddressError } from './guard/blocked-address.js';
import type { ResolveName, TargetGuard } from './guard/target-guard.js';
import { createTargetGuard } from './guard/target-guard.js';

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

/** What a process needs to call targets. The process must close it. */
export class Targets {
  readonly #guard: TargetGuard;
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

  /** Sends a signed PING to the target of a definition, and waits for the answer. @throws UnsealError */
  ping(secretsKeys: readonly string[], definition: WebhookDefinition, signal: AbortSignal): Promise<PingResult> {
    return pingDefinition(this.sender, secretsKeys, definition, signal);
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
