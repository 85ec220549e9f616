/** Sends requests to targets: only to checked addresses, without redirects, with limits for time and answer size. */
import { Agent, type Dispatcher } from 'undici';
import { type AddressGuard, parseTarget } from '../../../../platform/guard/address-guard.js';
import { Exchange } from './exchange.js';
import type { SendResult } from './send-result.js';
import type { WebhookRequest } from './webhook-request.js';

export interface WebhookSender {
  /** Never throws. @param signal aborts the request; its result is then unknown */
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendResult>;
  /** Closes idle connections, and aborts requests in flight. */
  close(): Promise<void>;
}

interface SenderOptions {
  readonly guard: AddressGuard;
  /** Time limit for a connection, including DNS and the TLS handshake. Default 5 s. */
  readonly connectMs?: number;
  /** Time limit for the whole request, until the last byte of the answer is read. Default 15 s. */
  readonly totalMs?: number;
  /** The certificates of the authorities that are trusted, as PEM. Default: those of Node. */
  readonly authorities?: string;
}

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** The maximum number of cached targets. */
const MAX_CACHED = 1_000;
/** How long an idle connection is kept, unless the target asks for a shorter time. */
const KEEP_ALIVE_MS = 10_000;

/** The caller must close the sender. */
export function createWebhookSender(options: SenderOptions): WebhookSender {
  const { guard, connectMs = CONNECT_MS, totalMs = TOTAL_MS, authorities } = options;
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: connectMs, ...(authorities === undefined ? {} : { ca: authorities }) },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Exchange has a time-out for the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  /** Targets that were parsed and checked. The addresses of a name are checked again at each connection. */
  const checkedTargets = new Map<string, { readonly origin: string; readonly path: string }>();

  /** @throws BlockedAddressError */
  function checkedTarget(target: string): { readonly origin: string; readonly path: string } {
    const known = checkedTargets.get(target);
    if (known !== undefined) return known;
    const url = parseTarget(target);
    guard.checkLiteral(url);
    const checked = { origin: url.origin, path: url.pathname + url.search };
    if (checkedTargets.size === MAX_CACHED) checkedTargets.clear();
    checkedTargets.set(target, checked);
    return checked;
  }

  return {
    send: (request, signal) =>
      new Promise((resolve) => {
        const exchange = new Exchange(request, totalMs, signal, resolve);
        try {
          const { method, headers, body } = request;
          agent.dispatch(
            { ...checkedTarget(request.target), method: method as Dispatcher.HttpMethod, headers, body },
            exchange,
          );
        } catch (error) {
          exchange.fail(error as Error);
        }
      }),
    close: () => agent.destroy(),
  };
}
