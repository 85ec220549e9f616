/** One account of the order management side, and what its programs do: register documents and send notifications over HTTP. */
import type { TestApi } from '../worlds/test-api.js';
import { type Answer, callApi } from './call-api.js';

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

interface CallOptions {
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

  /** Calls the API with the headers of documents and notifications, as docs/use/notifications.md names them. */
  call(method: string, path: string, { body, headers }: CallOptions = {}): Promise<Answer> {
    const account = { authorization: `Bearer ${this.token}`, 'tenant-key': this.account };
    return callApi(this.api, method, path, { body, headers: { ...account, ...headers } });
  }

  /** @throws Error when it is not registered */
  async register(document: Readonly<Record<string, unknown>>): Promise<void> {
    const { status, text } = await this.call('POST', DOCUMENTS, { body: { documentType: 'ORDER', ...document } });
    if (status !== 200) throw new Error(`${status} ${text}`);
  }

  send(body: unknown, headers: CallOptions['headers'] = {}): Promise<Answer> {
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

/** Another account; it has a token of every scope, or of those given. */
export async function newMerchant(api: TestApi, scopes?: readonly string[]): Promise<Merchant> {
  const { account, token } = await api.newAccount(scopes);
  return new Merchant(api, account, token);
}
