/** Sends requests to targets: only to checked addresses, without redirects, with limits for time and answer size. */
import { Agent, type Dispatcher } from 'undici';
import { parseTarget, type TargetGuard } from '../guard/target-guard.js';
import type { SendFailure, SendResult } from './send-result.js';

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

// Classifies requests that got no answer, separates the faults of targets from our own, and says in words what
// happened. Texts of OpenSSL and of the HTTP client say what failed inside of them, and not what the owner of a
// target can do.

/** Errors of this machine or its name servers. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAI_MEMORY', 'EAI_SYSTEM']);

/** Why nothing came back, and a sentence for the owner of the target. */
interface Explained {
  readonly failure: SendFailure;
  readonly message: string;
}

const NO_ADDRESS = 'no address was found for the name of the target';
const NO_LOOKUP = 'the name servers of the target did not answer the lookup of its name, or refused it';
const UNREACHABLE = 'no route leads to the address of the target';
const CLOSED = 'the target closed the connection before it had answered; it may have received the request';
const UNREADABLE = 'the target answered in a form that we cannot read; it may have received the request';
const UNTRUSTED =
  'the certificate of the target was not issued by a known authority, or the target does not send the intermediate certificates';
const NO_TLS = 'the target does not speak TLS at this port, or no version or cipher of it that we accept';
const CLOSED_IN_HANDSHAKE = 'the target closed the connection during the TLS handshake';

/** What each code of an error means. */
const BY_CODE: ReadonlyMap<string, Explained> = new Map([
  ...coded('dns', NO_ADDRESS, 'ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME'),
  ...coded('dns', NO_LOOKUP, 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP', 'ETIMEOUT', 'EBADRESP', 'EAI_AGAIN'),
  ...coded('dns', 'the name of the target is not a valid host name', 'EBADNAME', 'EBADQUERY'),
  ...coded('refused', 'the target refused the connection: nothing listens at this address and port', 'ECONNREFUSED'),
  ...coded('time-out', 'the target did not accept a connection in time', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'),
  ...coded('connection', UNREACHABLE, 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'),
  ...coded('connection', CLOSED, 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET'),
  ...coded(
    'connection',
    'the target closed the connection before the end of its answer; it may have received the request',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'HPE_INVALID_EOF_STATE',
  ),
  ...coded(
    'connection',
    'the headers of the answer are too large; the target may have received the request',
    'HPE_HEADER_OVERFLOW',
    'UND_ERR_HEADERS_OVERFLOW',
  ),
  ...coded('tls', 'the certificate of the target has expired', 'CERT_HAS_EXPIRED'),
  ...coded('tls', 'the certificate of the target is not valid yet', 'CERT_NOT_YET_VALID'),
  ...coded(
    'tls',
    'the certificate of the target is self-signed; a certificate of a known authority is needed',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ),
  ...coded(
    'tls',
    UNTRUSTED,
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_UNTRUSTED',
  ),
  ...coded('tls', 'the certificate of the target was revoked', 'CERT_REVOKED'),
  ...coded(
    'tls',
    'the certificate of the target is for another host name',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
  ),
]);

function coded(failure: SendFailure, message: string, ...codes: readonly string[]): [string, Explained][] {
  return codes.map((code) => [code, { failure, message }]);
}

const CERTIFICATE = /CERT_|_CERT/;
const HANDSHAKE = /^(?:ERR_TLS|ERR_SSL|EPROTO)/;

/**
 * @param secure whether the target is an https address
 * @returns null when the fault is ours, so that nothing is known about the target
 */
function explainFailure(error: Error, secure: boolean): Explained | null {
  const code = codeOf(error);
  if (error.name === 'ResolverOutOfReachError' || OURS.has(code)) return null;
  if (code === 'BLOCKED_ADDRESS') return { failure: 'blocked', message: error.message };
  // The server closed the connection during the handshake, which has the code of any other connection that was closed.
  if (secure && /secure TLS connection/i.test(error.message)) return { failure: 'tls', message: CLOSED_IN_HANDSHAKE };
  // A 100 Continue that was not asked for, or an answer that changes the protocol.
  if (/^bad (?:response|upgrade)$/.test(error.message)) return { failure: 'connection', message: UNREADABLE };
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (HANDSHAKE.test(code)) return { failure: 'tls', message: NO_TLS };
  if (CERTIFICATE.test(code))
    return { failure: 'tls', message: `the certificate of the target is not accepted (${code})` };
  if (code.startsWith('EAI_')) return { failure: 'dns', message: NO_LOOKUP };
  if (error.name === 'HTTPParserError') return { failure: 'connection', message: UNREADABLE };
  const named = code === '' ? '' : ` (${code})`;
  return {
    failure: 'connection',
    message: `the connection to the target failed${named}; it may have received the request`,
  };
}

/** If several addresses were tried, this is the code of the first failure. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first instanceof Error ? codeOf(first) : '';
}
