/** Sends requests: the token, the site context, repetitions after `Retry-After`, and errors as one class. */
import { blockedPage } from './blocked-page.js';
import { errorOf, LongshoreError } from './error.js';
import { newIdempotencyKey } from './idempotency-key.js';

/** Which data set to work on. */
export interface SiteContext {
  /** The account's id. */
  readonly account: string;
  /** Each stage of an account is a data set of its own. Default: production */
  readonly stage?: string | undefined;
  readonly channel?: number | undefined;
  /** Narrows exports and lists to what was changed up to this instant. */
  readonly date?: Date | string | undefined;
}

export interface ClientOptions {
  /** The address of the system: `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** A token of the account, or a function that gets one. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  readonly site?: SiteContext | undefined;
  /** How often a request is repeated that was answered 429 or 503 with Retry-After, or not at all. Default: 3 */
  readonly retries?: number | undefined;
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/** What can be said of each request besides its values. */
export interface CallOptions {
  /** Replaces keys of the client's site context. */
  readonly site?: Partial<SiteContext> | undefined;
  /**
   * The same request with the same key is done once, and gets the same answer, within 24 hours. Operations that accept
   * one have a random key by default, so that a repetition after a lost answer is safe.
   */
  readonly idempotencyKey?: string | undefined;
  /** Waits so many seconds for the end of a job (at most 25), and answers its result. */
  readonly wait?: number | undefined;
  /** Returned with the answer, and part of the server's logs. */
  readonly requestId?: string | undefined;
  /** Default: that of the client. */
  readonly retries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a request of an operation needs. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  /** What the last value of the path may not be, because another operation has that path. */
  readonly taken?: readonly string[];
  readonly site?: boolean;
  readonly tenant?: boolean;
  readonly idempotent?: boolean;
  readonly token?: boolean;
  readonly body?: string;
  readonly answer: string | null;
}

const DEFAULT_RETRIES = 3;
/** The longest time that a request waits before it is repeated, whatever Retry-After says. */
const MAX_RETRY_SECONDS = 60;
const FIRST_BACKOFF_MS = 250;

/** Sends a request of an operation. @throws LongshoreError for an answer other than 2xx, and if there is none */
export async function sendOperation(
  client: ClientOptions,
  facts: OperationFacts,
  input: Readonly<Record<string, unknown>>,
  options: CallOptions,
): Promise<Response> {
  const key = options.idempotencyKey ?? (facts.idempotent ? newIdempotencyKey() : undefined);
  const headers = await headersOf(client, facts, options, key);
  const { body, ...parameters } = input;
  const init: RequestInit = { method: facts.method, headers };
  if (body !== undefined) {
    headers.set('Content-Type', facts.body ?? 'application/json');
    init.body = bodyOf(facts, body);
  }
  if (options.signal !== undefined) init.signal = options.signal;
  const isSafe = facts.method === 'GET' || facts.method === 'PUT' || facts.method === 'DELETE' || key !== undefined;
  return sendRequest(client, `${client.baseUrl.replace(/\/+$/, '')}${addressOf(facts, parameters)}`, init, {
    name: `${facts.method} ${facts.path}`,
    retries: isStreamed(init.body) ? 0 : (options.retries ?? client.retries ?? DEFAULT_RETRIES),
    isSafe,
  });
}

interface RequestFacts {
  /** As errors name it. */
  readonly name: string;
  readonly retries: number;
  /** Whether it may be sent again although it may have arrived. */
  readonly isSafe: boolean;
}

/** Sends a request to any address. @throws LongshoreError */
export async function sendRequest(
  client: Pick<ClientOptions, 'fetch'>,
  url: string,
  init: RequestInit,
  { name, retries, isSafe }: RequestFacts,
): Promise<Response> {
  const send = client.fetch ?? fetch;
  for (let attempt = 0; ; attempt++) {
    const outcome = await send(url, init).catch((error: unknown) =>
      unreachable(error, name, url, init.signal, client.fetch),
    );
    if (outcome instanceof Response && outcome.ok) return outcome;
    const error = outcome instanceof Response ? await errorOf(outcome, name) : outcome;
    const delayMs = attempt < retries ? delayBefore(error, attempt, isSafe) : undefined;
    if (delayMs === undefined) throw error;
    await pause(delayMs, init.signal);
  }
}

/** After how long the request is repeated; undefined: it is not. */
function delayBefore(error: LongshoreError, attempt: number, isSafe: boolean): number | undefined {
  const backoff = FIRST_BACKOFF_MS * 2 ** attempt;
  if (error.status === 0) return isSafe && error.code !== 'BLOCKED' ? backoff : undefined;
  // 429 is answered before anything was done; 503 may concern an answer that was lost on its way.
  const isBusy = error.status === 429 || (error.status === 503 && isSafe);
  if (!isBusy || error.retryAfterSeconds === undefined) return undefined;
  return error.retryAfterSeconds > MAX_RETRY_SECONDS ? undefined : Math.max(error.retryAfterSeconds * 1000, backoff);
}

async function unreachable(
  error: unknown,
  request: string,
  url: string,
  signal: AbortSignal | null | undefined,
  send: typeof fetch | undefined,
): Promise<LongshoreError> {
  if (signal?.aborted) throw error;
  const blocked = await blockedPage(url, send);
  if (blocked !== undefined) {
    const { page, server } = blocked;
    const message = `${request} was blocked by the browser: ${server} answers, but does not allow calls from pages of ${page}; its operator adds this origin to CORS_ORIGINS, or to the CORS rule of the file store`;
    return new LongshoreError(message, { code: 'BLOCKED', request }, { cause: error });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why =
    cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code ?? '') : String(cause);
  // OpenSSL begins with addresses in memory and ends with lines of its own source.
  const reason = why.replace(/^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[\s\S]*$/, 'TLS: $1');
  return new LongshoreError(`${request} got no answer: ${reason}`, { code: 'NETWORK', request }, { cause: error });
}

/** Waits, and ends at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

async function headersOf(
  client: ClientOptions,
  facts: OperationFacts,
  options: CallOptions,
  key: string | undefined,
): Promise<Headers> {
  const headers = new Headers();
  const { token } = client;
  if (facts.token && token !== undefined) {
    headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
  }
  const site = { ...client.site, ...options.site };
  if (facts.site && site.account !== undefined) headers.set('x-site-context', siteHeader(site));
  if (facts.tenant && site.account !== undefined) headers.set('tenant-key', site.account);
  if (key !== undefined && facts.idempotent) headers.set('Idempotency-Key', key);
  if (options.wait !== undefined) headers.set('Prefer', `wait=${Math.floor(options.wait)}`);
  if (options.requestId !== undefined) headers.set('X-Request-Id', options.requestId);
  return headers;
}

/** JSON in which other characters than those of ASCII are escaped, because it is the value of a header. */
function siteHeader({ date, ...site }: Partial<SiteContext>): string {
  const text = JSON.stringify({ ...site, ...(date === undefined ? {} : { date: new Date(date).toISOString() }) });
  return text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function bodyOf(facts: OperationFacts, body: unknown): BodyInit {
  if (facts.body === 'application/json') return JSON.stringify(body);
  if (facts.body !== 'application/x-www-form-urlencoded') return body as BodyInit;
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    if (value !== undefined) form.set(name, String(value));
  }
  return form;
}

function isStreamed(body: RequestInit['body']): boolean {
  return typeof ReadableStream !== 'undefined' && body instanceof ReadableStream;
}

function addressOf(facts: OperationFacts, parameters: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  const path = facts.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(parameters[name]);
    return isInQuery(facts, name, value) ? IN_QUERY : encodeURIComponent(value);
  });
  for (const name of facts.query ?? []) {
    if (facts.path.includes(`{${name}}`) && !isInQuery(facts, name, String(parameters[name]))) continue;
    const value = parameters[name];
    if (value === undefined) continue;
    for (const text of Array.isArray(value) ? listsOf(value) : [String(value)]) search.append(name, text);
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Stands in a path for a value that the query has. */
const IN_QUERY = '-';

/**
 * Whether a value of the path goes into the query: `.` and `..` are left out of paths on the way, encoded or not, and proxies change or
 * refuse encoded slashes. Some values make another operation's path.
 */
function isInQuery({ query, taken }: OperationFacts, name: string, value: string): boolean {
  if (query?.includes(name) !== true) return false;
  return value === '.' || value === '..' || /[/\\%]/.test(value) || taken?.includes(value) === true;
}

/**
 * The values of a list, in one text: a comma inside a value is escaped. A backslash at the end of one would escape the comma behind
 * it, so that each value of such a list has a parameter of its own.
 */
function listsOf(values: readonly unknown[]): readonly string[] {
  const texts = values.map((value) => String(value).replaceAll(',', '\\,'));
  return texts.some((text) => text.endsWith('\\')) ? texts : [texts.join(',')];
}
