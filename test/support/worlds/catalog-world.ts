/** Accounts that call the API's catalog, each in a site of its own. */
import type { Db } from '../../../db/connection.js';
import type { SiteContext } from '../../../src/domain/access/site-context.js';
import { resolveSite } from '../../../src/domain/access/sites.js';
import { startTestApi, type TestApi } from './test-api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; its text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came, and fail where it is not there
  readonly body: any;
  readonly bytes: Buffer;
}

interface CallOptions {
  readonly body?: unknown;
  /** Added to the site context. */
  readonly context?: { readonly stage?: string; readonly channel?: number; readonly date?: string };
}

/** One account's way to call the API. */
export interface Caller {
  readonly site: SiteContext;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
}

export interface CatalogWorld {
  readonly db: Db;
  newCaller(): Promise<Caller>;
  stop(): Promise<void>;
}

/** Starts the world; to be stopped in `after`. */
export async function startCatalogWorld(): Promise<CatalogWorld> {
  const api = await startTestApi();
  return { db: api.db, newCaller: () => makeCaller(api), stop: () => api.stop() };
}

async function makeCaller(api: TestApi): Promise<Caller> {
  const { account, token } = await api.newAccount();
  const stage = 'production';
  const siteId = await resolveSite(api.db, account, stage);
  const call = async (method: string, path: string, { body, context }: CallOptions = {}): Promise<Answer> => {
    const response = await api.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-site-context': JSON.stringify({ account, ...context }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, body: jsonOrText(bytes) };
  };
  return {
    site: { siteId, accountId: account, stage, channel: null, date: null },
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
  };
}

function jsonOrText(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
