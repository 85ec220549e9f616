/** Sends one request to a target: to checked addresses, without redirects, within a time, reading little of the answer. */

import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { TargetGuard } from '../guard/target-guard.js';
import { parseTarget } from '../guard/target-guard.js';
import type { SendFailure, SendResult } from './send-result.js';

export interface WebhookRequest {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: Buffer | string | null;
}

export interface WebhookSender {
  /** Never throws. @param signal gives the request up; what has come of it is unknown then */
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendResult>;
  /** Ends kept connections, and requests under way. */
  close(): Promise<void>;
}

interface SenderOptions {
  readonly guard: TargetGuard;
  /** For a connection to be made, its name resolved and TLS agreed. Default 5 s. */
  readonly connectMs?: number;
  /** For everything, from the first byte sent to the last one read. Default 15 s. */
  readonly totalMs?: number;
}

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** Of an answer; then the connection is destroyed. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** What of it is kept. */
const MAX_RESPONSE_CHARACTERS = 1_000;
/** Targets that are remembered. */
const MAX_WAYS = 1_000;
/** How long a connection is kept for the next request, unless the target names a shorter time. */
const KEEP_ALIVE_MS = 10_000;

/** To be closed. */
export function createWebhookSender(options: SenderOptions): WebhookSender {
  const { guard, connectMs = CONNECT_MS, totalMs = TOTAL_MS } = options;
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: connectMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The whole request has one time-out of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  /** Parsed and checked once: what a name leads to is checked at each connection, an address that stands there is the same always. */
  const ways = new Map<string, { readonly origin: string; readonly path: string }>();

  /** @throws BlockedAddressError */
  function wayTo(target: string): { readonly origin: string; readonly path: string } {
    const known = ways.get(target);
    if (known !== undefined) return known;
    const url = parseTarget(target);
    guard.checkLiteral(url);
    const way = { origin: url.origin, path: url.pathname + url.search };
    if (ways.size === MAX_WAYS) ways.clear();
    ways.set(target, way);
    return way;
  }

  return {
    send: (request, signal) =>
      new Promise((resolve) => {
        const exchange = new Exchange(request, totalMs, signal, resolve);
        try {
          const { method, headers, body } = request;
          agent.dispatch(
            { ...wayTo(request.target), method: method as Dispatcher.HttpMethod, headers, body },
            exchange,
          );
        } catch (error) {
          exchange.fail(error as Error);
        }
      }),
    close: () => agent.destroy(),
  };
}

const ONCE = { once: true };

/** One request and its answer, as undici tells of it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #target: string;
  readonly #totalMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (result: SendResult) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #statusCode = 0;
  #retryAfter: string | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    { target }: WebhookRequest,
    totalMs: number,
    signal: AbortSignal | undefined,
    resolve: (result: SendResult) => void,
  ) {
    this.#target = target;
    this.#totalMs = totalMs;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#deadline = setTimeout(Exchange.#timeOut, totalMs, this);
    if (signal?.aborted === true) this.handleEvent();
    else signal?.addEventListener('abort', this, ONCE);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was over before it had a connection.
    if (this.#settled) controller.abort(new Error('no longer wanted'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: Record<string, unknown>): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < MAX_ANSWER_BYTES) this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_ANSWER_BYTES) return;
    this.#answered();
    this.#endConnection();
  }

  onResponseEnd(): void {
    this.#answered();
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail(error);
  }

  fail(error: Error): void {
    const failure = explainFailure(error, /^https:/i.test(this.#target));
    if (failure === null) this.#settle({ kind: 'not-sent', message: error.message });
    else this.#settle({ kind: 'failed', failure, message: messageOf(error), durationMs: this.#durationMs() });
  }

  #answered(): void {
    this.#settle({
      kind: 'answered',
      statusCode: this.#statusCode,
      retryAfter: this.#retryAfter,
      response: textOf(this.#chunks),
      durationMs: this.#durationMs(),
    });
  }

  static #timeOut(exchange: Exchange): void {
    const message = `no complete answer within ${exchange.#totalMs / 1000} s`;
    exchange.#settle({ kind: 'failed', failure: 'time-out', message, durationMs: exchange.#durationMs() });
    exchange.#endConnection();
  }

  /** The signal says that it is no longer wanted. */
  handleEvent(): void {
    this.#settle({ kind: 'not-sent', message: String(this.#signal?.reason) });
    this.#endConnection();
  }

  #settle(result: SendResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#deadline);
    this.#signal?.removeEventListener('abort', this);
    this.#resolve(result);
  }

  #endConnection(): void {
    this.#controller?.abort(new Error('no longer wanted'));
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** Of several addresses that were tried, the first failure. */
function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return (error.message || first?.message) ?? error.name;
}

function textOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  return bytes.toString('utf8', 0, MAX_RESPONSE_CHARACTERS * 4).slice(0, MAX_RESPONSE_CHARACTERS);
}

// Tells the classes of failed requests apart, and the target's faults from our own.

/** What this machine or its name servers lack. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAI_MEMORY', 'EAI_SYSTEM']);
const DNS = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'EFORMERR',
  'ENOTIMP',
  'ETIMEOUT',
  'EBADRESP',
  'EBADNAME',
  'EBADQUERY',
]);
const TIME_OUT = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)|_CERT|^HOSTNAME_MISMATCH$/;

/** null: a fault of ours, nothing can be said of the target. */
function explainFailure(error: Error, secure: boolean): SendFailure | null {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'ResolverOutOfReachError' || OURS.has(code)) return null;
  if (code === 'BLOCKED_ADDRESS') return 'blocked';
  if (TIME_OUT.has(code)) return 'time-out';
  if (DNS.has(code) || code.startsWith('EAI_')) return 'dns';
  if (TLS.test(code)) return 'tls';
  if (code === 'ECONNREFUSED') return 'refused';
  // What a server that speaks no TLS, or ends it, leaves behind.
  if (secure && /secure TLS connection/i.test(error.message)) return 'tls';
  return 'connection';
}
