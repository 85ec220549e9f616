/** The order management side under test: accounts that register documents and send notifications over HTTP. */
import type { Db } from '../../../db/connection.js';
import { startTestApi, type TestApi, type TestApiOptions } from './test-api.js';

export const DOCUMENTS = '/api/v2/document';
export const SEND = '/api/v2/notification/send';

/** An event as it was recorded. */
export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly source: string;
  readonly channel: number | null;
  readonly orderNumber: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came, and fail where it is not there
  readonly body: any;
}

export interface CallOptions {
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
  /** Instead of, or beside, the usual ones; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** One account and what its programs do. */
export class Merchant {
  constructor(
    readonly api: TestApi,
    readonly account: string,
    readonly token: string,
  ) {}

  /** Asks with the headers that interface.md names. */
  async call(method: string, path: string, { body, headers = {} }: CallOptions = {}): Promise<Called> {
    const sent = {
      authorization: `Bearer ${this.token}`,
      'tenant-key': this.account,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await this.api.fetch(path, {
      method,
      headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** @throws Error when it is not registered */
  async register(document: Readonly<Record<string, unknown>>): Promise<void> {
    const { status, text } = await this.call('POST', DOCUMENTS, { body: { documentType: 'ORDER', ...document } });
    if (status !== 200) throw new Error(`${status} ${text}`);
  }

  send(body: unknown, headers: CallOptions['headers'] = {}): Promise<Called> {
    return this.call('POST', SEND, { body, headers });
  }

  /** The text of an x-site-context of this account. */
  context(over: { readonly stage?: string; readonly channel?: number } = {}): string {
    return JSON.stringify({ account: this.account, ...over });
  }

  /** Everything that was emitted for this account, the oldest first. */
  async events(): Promise<RecordedEvent[]> {
    const rows = await this.api.db('event').where({ account_id: this.account }).orderBy(['triggered_at', 'id']);
    return rows.map(({ id, event, source, channel, order_number, payload }) => ({
      id,
      event,
      source,
      channel,
      orderNumber: order_number,
      payload: JSON.parse(payload),
    }));
  }
}

export interface OmsWorld {
  readonly api: TestApi;
  readonly db: Db;
  newMerchant(scopes?: readonly string[]): Promise<Merchant>;
  stop(): Promise<void>;
}

/** To be stopped in `after`. */
export async function startOmsWorld(options: TestApiOptions = {}): Promise<OmsWorld> {
  const api = await startTestApi(options);
  return {
    api,
    db: api.db,
    newMerchant: async (scopes) => {
      const { account, token } = await api.newAccount(scopes);
      return new Merchant(api, account, token);
    },
    stop: () => api.stop(),
  };
}
