/** One request and its answer, of which no more than its beginning is kept. */
import type { Dispatcher } from 'undici';
import { explainFailure } from './explain-failure.js';
import type { SendResult } from './send-result.js';
import type { WebhookRequest } from './webhook-request.js';

/** The maximum size of an answer. The connection of a larger one is destroyed. */
const MAX_ANSWER_BYTES = 16 * 1024;
/** How much of an answer is kept. */
const MAX_RESPONSE_CHARACTERS = 1_000;

/** The requests in flight that one signal aborts. A listener for each of them would take longer than all else here. */
class Exchanges {
  readonly #inFlight = new Set<Exchange>();

  constructor(readonly signal: AbortSignal) {}

  add(exchange: Exchange): void {
    if (this.#inFlight.size === 0) this.signal.addEventListener('abort', this);
    this.#inFlight.add(exchange);
  }

  /** A signal that is made of others would stay in memory with its listener. */
  delete(exchange: Exchange): void {
    if (this.#inFlight.delete(exchange) && this.#inFlight.size === 0) this.signal.removeEventListener('abort', this);
  }

  handleEvent(): void {
    for (const exchange of [...this.#inFlight]) exchange.abort(this.signal.reason);
  }
}

const exchangesBySignal = new WeakMap<AbortSignal, Exchanges>();

function exchangesOf(signal: AbortSignal): Exchanges {
  const known = exchangesBySignal.get(signal);
  if (known !== undefined) return known;
  const made = new Exchanges(signal);
  exchangesBySignal.set(signal, made);
  return made;
}

/** One request and its answer, as the handler that undici calls. */
export class Exchange implements Dispatcher.DispatchHandler {
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
    if (signal === undefined) return;
    if (signal.aborted) this.abort(signal.reason);
    else exchangesOf(signal).add(this);
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

  abort(reason: unknown): void {
    this.#finish({ kind: 'not-sent', message: String(reason) });
    this.#endConnection();
  }

  #finish(result: SendResult): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    clearTimeout(this.#deadline);
    if (this.#signal !== undefined) exchangesBySignal.get(this.#signal)?.delete(this);
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
