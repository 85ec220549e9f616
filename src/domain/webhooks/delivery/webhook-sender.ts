/** Sends requests to targets: only to checked addresses, without redirects, with limits for time and answer size. */

import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { TargetGuard } from '../guard/target-guard.js';
import { parseTarget } from '../guard/target-guard.js';
import { explainFailure } from './explain-failure.js';
import type { SendResult } from './send-result.js';

export interface WebhookRequest {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: Buffer | string | null;
}

export interface WebhookSender {
  /** Never throws. @param signal aborts the request; its result is then unknown */
  send(request: WebhookRequest, signal?: AbortSignal): Promise<SendResult>;
  /** Closes idle connections, and aborts requests in flight. */
  close(): Promise<void>;
}

interface SenderOptions {
  readonly guard: TargetGuard;
  /** Time limit for a connection, including DNS and the TLS handshake. Default 5 s. */
  readonly connectMs?: number;
  /** Time limit for the whole request, until the last byte of the answer is read. Default 15 s. */
  readonly totalMs?: number;
  /** The certificates of the authorities that are trusted, as PEM. Default: those of Node. */
  readonly authorities?: string;
}

const CONNECT_MS = 5_000;
const TOTAL_MS = 15_000;
/** The maximum size of an answer. The connection of a larger one is destroyed. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** How much of an answer is kept. */
const MAX_RESPONSE_CHARACTERS = 1_000;
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

const ONCE = { once: true };

/** One request and its answer, as the handler that undici calls. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #target: string;
  readonly #totalMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (result: SendResult) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isFinished = false;
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
    // The request ended before it had a connection.
    if (this.#isFinished) controller.abort(new Error('the request has ended'));
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
    const explained = explainFailure(error, /^https:/i.test(this.#target));
    if (explained === null) this.#finish({ kind: 'not-sent', message: error.message });
    else this.#finish({ kind: 'failed', ...explained, durationMs: this.#durationMs() });
  }

  #answered(): void {
    this.#finish({
      kind: 'answered',
      statusCode: this.#statusCode,
      retryAfter: this.#retryAfter,
      response: textOf(this.#chunks),
      durationMs: this.#durationMs(),
    });
  }

  static #timeOut(exchange: Exchange): void {
    const message = `no complete answer within ${exchange.#totalMs / 1000} s`;
    exchange.#finish({ kind: 'failed', failure: 'time-out', message, durationMs: exchange.#durationMs() });
    exchange.#endConnection();
  }

  /** Called by the signal when the request is to be aborted. */
  handleEvent(): void {
    this.#finish({ kind: 'not-sent', message: String(this.#signal?.reason) });
    this.#endConnection();
  }

  #finish(result: SendResult): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    clearTimeout(this.#deadline);
    this.#signal?.removeEventListener('abort', this);
    this.#resolve(result);
  }

  #endConnection(): void {
    this.#controller?.abort(new Error('the request has ended'));
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

function textOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  return bytes.toString('utf8', 0, MAX_RESPONSE_CHARACTERS * 4).slice(0, MAX_RESPONSE_CHARACTERS);
}
