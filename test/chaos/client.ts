/** A client that does what the documentation tells clients: it repeats a request until it is answered, under one key. */
import { setTimeout as delay } from 'node:timers/promises';
import { workbookOf } from '../support/models/written-workbook.js';
import type { ChaosRow, Work } from './site-model.js';

/** A web process that is stopped keeps its connections open and answers nothing. */
const ANSWER_WITHIN_MS = 8_000;
const PAUSE_MS = 150;
const SLOW_MS = 4_000;

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the caller reads what the API documents
  readonly body: any;
}

export interface Credentials {
  readonly account: string;
  readonly token: string;
}

export interface ClientOptions {
  readonly baseUrl: string;
  /** Is notified of answers that no fault excuses, such as 500. */
  readonly onViolation: (text: string) => void;
  /** Is notified of requests that took long to be answered: they belong to the story of a run. */
  readonly onSlow: (text: string) => void;
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** A path, or a whole URL that the API has given out. */
  readonly path: string;
  readonly body?: unknown;
  /** Sent with every repetition. */
  readonly key?: string;
}

/** A request was not answered in time, although it was repeated. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

export class ChaosClient {
  /** Requests that are repeated no longer after this time. */
  endsAt = Number.POSITIVE_INFINITY;

  constructor(
    readonly options: ClientOptions,
    readonly credentials: Credentials,
  ) {}

  /** Repeats a request while the answer is 503, 429 or none. @throws Unanswered */
  async send(request: Request): Promise<Reply> {
    let last = '';
    const startedAt = Date.now();
    while (Date.now() < this.endsAt) {
      const reply = await this.#once(request).catch((error: unknown) => {
        last = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
        return undefined;
      });
      if (reply !== undefined && ![429, 503].includes(reply.status)) {
        if (reply.status >= 500) this.#complain(request, reply);
        const tookMs = Date.now() - startedAt;
        if (tookMs > SLOW_MS) this.options.onSlow(`${nameOf(request)} took ${tookMs} ms; before: ${last || 'nothing'}`);
        return reply;
      }
      if (reply !== undefined) last = `${reply.status} ${JSON.stringify(reply.body)}`;
      await delay(PAUSE_MS);
    }
    throw new Unanswered(`${nameOf(request)} was not answered; at last: ${last}`);
  }

  /** @throws an error with the answer, unless the status is the one that is expected */
  async expect(status: number, request: Request): Promise<Reply['body']> {
    const reply = await this.send(request);
    if (reply.status === status) return reply.body;
    throw new Error(`${nameOf(request)}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }

  async #once({ method = 'POST', path, body, key }: Request): Promise<Reply> {
    const { account, token } = this.credentials;
    const isOurs = path.startsWith('/');
    const response = await fetch(isOurs ? `${this.options.baseUrl}${path}` : path, {
      method,
      headers: {
        ...(isOurs
          ? {
              authorization: `Bearer ${token}`,
              'x-site-context': JSON.stringify({ account }),
              'tenant-key': account,
              'content-type': 'application/json',
            }
          : {}),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? Buffer.from(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    return { status: response.status, body: parsed(text) };
  }

  #complain(request: Request, { status, body }: Reply): void {
    this.options.onViolation(`${nameOf(request)} was answered with ${status} ${JSON.stringify(body)}`);
  }
}

function nameOf({ method = 'POST', path }: Request): string {
  return `${method} ${path}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Asking for a job

const PRODUCT = '/api-product/v1/product';

/** Has a job accepted. @returns its id @throws Unanswered; an error with any other answer */
export async function acceptWork(client: ChaosClient, work: Work, key: string): Promise<string> {
  switch (work.kind) {
    case 'delete':
      return accepted(client, `${PRODUCT}/bulk/delete`, { skus: work.skus }, key);
    case 'categories':
      return accepted(
        client,
        '/api-category/v1/category/bulk/upsert',
        work.names.map((name) => ({ name })),
        key,
      );
    case 'import': {
      const { form, mode, onError, validateOnly, rows } = work;
      if (form === 'request') {
        const path = `${PRODUCT}/bulk/${mode}?onError=${onError}&validateOnly=${validateOnly}`;
        return accepted(client, path, rows.map(elementOf), key);
      }
      const file = { fileName: `${key}.${form}`, fileType: 'ITEM_IMPORT', options: { mode, onError, validateOnly } };
      const { id, location, jobId } = await client.expect(200, { path: '/files/product', body: file, key });
      const put = await client.send({ method: 'PUT', path: location, body: await bytesOf(form, rows) });
      // A file that went to S3 is noticed by itself sooner or later.
      if (put.status === 200 && !location.startsWith(client.options.baseUrl)) {
        await client.expect(200, { path: `/files/product/${id}/actions/complete` });
      }
      // The answer to a first, complete upload may have been lost.
      if (put.status === 200 || put.status === 409) return jobId;
      throw new Error(`the upload of ${key} was answered with ${put.status} ${JSON.stringify(put.body)}`);
    }
  }
}

async function accepted(client: ChaosClient, path: string, body: unknown, key: string): Promise<string> {
  const { jobId } = await client.expect(202, { path, body, key });
  return jobId;
}

function elementOf({ sku, nodeName, title, colour, stock }: ChaosRow): unknown {
  return { sku, nodeName, attributes: { Title: title, Colour: colour, Stock: stock } };
}

const COLUMNS = ['SKU', 'Category Node', 'Title', 'Colour', 'Stock'];

async function bytesOf(form: 'csv' | 'jsonl' | 'xlsx', rows: readonly ChaosRow[]): Promise<Buffer> {
  if (form === 'jsonl') return Buffer.from(rows.map((row) => `${JSON.stringify(elementOf(row))}\n`).join(''));
  const cells = rows.map(({ sku, nodeName, title, colour, stock }) => [
    ...[sku, nodeName, title ?? null, colour ?? null, stock ?? null],
  ]);
  if (form === 'xlsx') return workbookOf(COLUMNS, cells);
  return Buffer.from([COLUMNS, ...cells].map((line) => `${line.map((cell) => cell ?? '').join(',')}\n`).join(''));
}
