/** Requests by https to addresses that the guard allows. Redirects are followed, and credentials stay at home. */
import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type AddressGuard, FORBIDDEN_PORTS } from '../../guard/address-guard.js';
import { answered } from '../calls.js';
import { connectionFailure } from '../connection-failure.js';
import { type Connection, RemoteFailure, type Secrets } from '../remote-folder.js';
import { type SentBody, SentChunks } from './sent-chunks.js';

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const IDLE_CONNECTION_MS = 4_000;
/** What the framing of requests needs, and what we say ourselves. */
const OUR_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|range|if-.*|accept-encoding)$/i;

type HttpsConnection = Extract<Connection, { readonly kind: 'https' }>;

export interface CallOptions {
  readonly guard: AddressGuard;
  /** How long a server may be silent. */
  readonly idleMs: number;
  /** The certificates of the authorities that are trusted, as PEM. Default: those of Node. */
  readonly authorities?: string | undefined;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Dispatcher.ResponseData['body'];
  /** Where it comes from, after all redirects. */
  readonly url: URL;
}

export class HttpsCalls {
  readonly url: URL;
  /** How long a server may be silent. */
  readonly idleMs: number;
  readonly #guard: AddressGuard;
  readonly #credentials: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  /** @throws RemoteFailure NOT_ALLOWED, REFUSED_LOGIN */
  constructor({ url, auth }: HttpsConnection, { secret }: Secrets, { guard, idleMs, authorities }: CallOptions) {
    this.url = allowed(url, guard);
    this.#credentials = credentialsOf(auth, secret);
    this.#guard = guard;
    this.idleMs = idleMs;
    this.#agent = new Agent({
      connect: { lookup: guard.lookup, timeout: idleMs, ...(authorities === undefined ? {} : { ca: authorities }) },
      keepAliveTimeout: IDLE_CONNECTION_MS,
      // Each answer, and each chunk of it, has a deadline here.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * The caller reads the body of the answer, or ends it.
   * @throws RemoteFailure; the reason of the signal
   */
  async send(
    method: 'GET' | 'HEAD',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpsAnswer> {
    let url = this.url;
    let credentials = this.#credentials;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#send(method, url, { ...headers, ...credentials }, signal);
      const location = answer.header('location');
      if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
      endBody(answer);
      if (redirects === MOST_REDIRECTS) {
        const message = `the server redirects more than ${MOST_REDIRECTS} times: give the address where the file really is`;
        throw new RemoteFailure('NOT_SUPPORTED', message);
      }
      const next = redirected(location, url, this.#guard);
      // Once it has led to somebody else they are gone, even if it comes back.
      if (next.origin !== url.origin) credentials = {};
      url = next;
    }
  }

  /**
   * Follows no redirect. The caller reads the body of the answer, or ends it.
   * @returns also whether all of the body was sent when the server answered
   * @throws RemoteFailure; what the source fails with; the reason of the signal
   */
  async sendOnce(
    method: 'HEAD' | 'PUT',
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: SentBody,
  ): Promise<HttpsAnswer & { readonly isSent: boolean }> {
    const all = { ...headers, ...this.#credentials };
    if (body === undefined) return { ...(await this.#send(method, url, all, signal)), isSent: true };
    const watched = new SentChunks(body, this.idleMs, signal);
    try {
      const answer = await this.#request(method, url, all, watched.signal, watched.chunks());
      return { ...answer, isSent: watched.isSent };
    } catch (error) {
      signal.throwIfAborted();
      throw watched.failure ?? connectionFailure(error);
    } finally {
      watched.end();
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #request(
    method: 'GET' | 'HEAD' | 'PUT',
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    chunks?: AsyncIterable<Buffer>,
  ): Promise<HttpsAnswer> {
    const sent = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'longshore', ...headers };
    const path = url.pathname + url.search;
    const body = chunks === undefined ? {} : { body: Readable.from(chunks) };
    const answer = await this.#agent.request({ origin: url.origin, path, method, headers: sent, signal, ...body });
    return { status: answer.statusCode, header: (name) => headerOf(answer.headers, name), body: answer.body, url };
  }

  async #send(
    method: 'GET' | 'HEAD' | 'PUT',
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpsAnswer> {
    // It ends the body as well: undici listens to it until the last byte.
    const ender = new AbortController();
    try {
      const answer = await answered(
        `a request to ${url.host}`,
        this.idleMs,
        signal,
        async (ends) => {
          ends.addEventListener('abort', () => ender.abort(ends.reason));
          return this.#request(method, url, headers, ender.signal);
        },
        endBody,
      );
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailure(error);
    }
  }
}

/** Ends an answer that is not read any further, and its connection unless it was complete. */
export function endBody({ body }: Pick<HttpsAnswer, 'body'>): void {
  body.on('error', () => undefined);
  body.destroy();
}

function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** @throws RemoteFailure NOT_ALLOWED. Its message does not repeat the address, which may hold a secret. */
function allowed(text: string, guard: AddressGuard): URL {
  if (!URL.canParse(text)) throw new RemoteFailure('NOT_ALLOWED', 'the address is not a URL: expected https://…');
  const url = new URL(text);
  if (url.protocol !== 'https:') {
    const message = `the address begins with ${url.protocol} and has to begin with https:, so that the file can be neither read nor changed on its way`;
    throw new RemoteFailure('NOT_ALLOWED', message);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RemoteFailure('NOT_ALLOWED', 'the address holds a user or password: give them as credentials instead');
  }
  if (FORBIDDEN_PORTS.has(url.port)) throw new RemoteFailure('NOT_ALLOWED', `port ${url.port} is not allowed`);
  try {
    guard.checkLiteral(url);
  } catch (error) {
    throw connectionFailure(error);
  }
  return url;
}

function redirected(location: string, from: URL, guard: AddressGuard): URL {
  if (!URL.canParse(location, from.href)) {
    throw new RemoteFailure('NOT_SUPPORTED', 'the server redirects to an address that is not a URL');
  }
  try {
    return allowed(new URL(location, from).href, guard);
  } catch (error) {
    const { code, message } = connectionFailure(error);
    throw new RemoteFailure(code, `the server redirects to where we do not follow: ${message}`, { cause: error });
  }
}

function credentialsOf(auth: HttpsConnection['auth'], secret: string | null): Readonly<Record<string, string>> {
  if (auth === undefined) return {};
  if (secret === null || secret === '') {
    throw new RemoteFailure('REFUSED_LOGIN', `the connection says how to log in (${auth.type}), and has no secret`);
  }
  const header = auth.type === 'header' ? auth.name : 'authorization';
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(header) || OUR_HEADERS.test(header)) {
    throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(header)} is no header that a secret can be sent in`);
  }
  const plain = auth.type === 'bearer' ? `Bearer ${secret}` : secret;
  const value = auth.type === 'basic' ? `Basic ${Buffer.from(`${auth.user}:${secret}`).toString('base64')}` : plain;
  if (!/^[\t\x20-\x7e]+$/.test(value)) {
    throw new RemoteFailure(
      'REFUSED_LOGIN',
      'the secret has characters that a header cannot carry: line breaks, or others than ASCII',
    );
  }
  return { [header]: value };
}
