/** The addresses that are called for clients: checked, so that none leads into our own network, and then called. */
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { type PingResult, pingDefinition } from './definitions/ping-definition.js';
import { createWebhookSender, type WebhookSender } from './delivery/webhook-sender.js';
import { BlockedAddressError } from './guard/blocked-address.js';
import { createTargetGuard, type ResolveName, type TargetGuard } from './guard/target-guard.js';

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
    this.sender = createWebhookSender({ guard: this.#guard, wholeMs: timeoutMs });
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
