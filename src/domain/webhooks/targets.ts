/** Checks and calls the targets of webhooks, so that no request reaches our own network. */
import type { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { type AddressGuard, createAddressGuard, type ResolveName } from '../../platform/guard/address-guard.js';
import { BlockedAddressError } from '../../platform/guard/blocked-address.js';
import { DomainError } from '../kernel/errors.js';
import { type PingResult, pingDefinition } from './delivery/request/ping.js';
import { createWebhookSender, type WebhookSender } from './delivery/send/webhook-sender.js';

interface TargetOptions {
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

/** Pings of one account that a process sends at the same time: a target may take long to answer. */
const MAX_PINGS = 5;
const PING_RETRY_AFTER_SECONDS = 5;

/** What a process needs to call targets. The process must close it. */
export class Targets {
  readonly #guard: AddressGuard;
  /** Pings that wait for their answers, by account. */
  readonly #pings = new Map<string, number>();
  /** The sender, which the delivery engine also uses. */
  readonly sender: WebhookSender;

  constructor({ allowedNetworks, resolveName, timeoutMs }: TargetOptions) {
    this.#guard = createAddressGuard({ allowedNetworks, resolveName });
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

  /**
   * Sends a signed PING to the target of a definition, and waits for the answer.
   * @throws UnsealError; DomainError busy when too many pings of the account wait for theirs
   */
  async ping(secretsKeys: readonly string[], definition: WebhookDefinition, signal: AbortSignal): Promise<PingResult> {
    const { account_id: accountId } = definition;
    const underWay = this.#pings.get(accountId) ?? 0;
    if (underWay >= MAX_PINGS) {
      const message = `${MAX_PINGS} tests of this account wait for the answers of their targets; test again when one of them has ended`;
      throw new DomainError('busy', 'TOO_MANY_TESTS', message, { retryAfterSeconds: PING_RETRY_AFTER_SECONDS });
    }
    this.#pings.set(accountId, underWay + 1);
    try {
      return await pingDefinition(this.sender, secretsKeys, definition, signal);
    } finally {
      const left = (this.#pings.get(accountId) ?? 1) - 1;
      if (left > 0) this.#pings.set(accountId, left);
      else this.#pings.delete(accountId);
    }
  }

  /** Closes idle connections, and aborts requests in flight. */
  close(): Promise<void> {
    return this.sender.close();
  }
}
