/** The addresses that are called for clients: checked, so that none leads into our own network, and then called. */
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
  /** Networks that are open whatever they are, as CIDR: 10.1.0.0/16. */
  readonly allowedNetworks: readonly string[];
  /** All addresses of a name. @throws the resolver's error, with its `code` */
  readonly resolveName: ResolveName;
  /** For a whole request, from the first byte sent to the last one read. */
  readonly timeoutMs: number;
}

/** Why an address must not be called: `blocked address …`. */
interface BlockedAddress {
  readonly code: string;
  readonly message: string;
}

/** What a process needs to call targets; to be closed. */
export class Targets {
  readonly #guard: TargetGuard;
  /** Of the delivery engine. */
  readonly sender: WebhookSender;

  constructor({ allowedNetworks, resolveName, timeoutMs }: TargetOptions) {
    this.#guard = createTargetGuard({ allowedNetworks, resolveName });
    this.sender = createWebhookSender({ guard: this.#guard, totalMs: timeoutMs });
  }

  /** @returns null: it may be called, as far as is known; a name is checked again whenever it is called */
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

  /** Ends kept connections, and requests under way. */
  close(): Promise<void> {
    return this.sender.close();
  }
}

// Calls a definition's target once, at once, to see whether it answers. Nothing of it is kept, and no breaker counts it.

/** The name of the event that is sent. */
const PING = ping.name;

interface PingResult {
  /** It answered 2xx. */
  readonly delivered: boolean;
  /** Missing: no answer came. */
  readonly statusCode?: number;
  readonly durationMs: number;
  /** Begins with "blocked address" where the guard refuses the target. */
  readonly error?: string;
}

/** Signed and dressed like any delivery. A definition that is disabled is called too. @throws UnsealError */
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
