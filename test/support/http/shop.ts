/** One account of the service under test, and what its people do: define a catalog, send rows and files, look at what came of it. */
import assert from 'node:assert/strict';
import type { SiteContext } from '../../../src/domain/access/site-context.js';
import type { TestApi } from '../worlds/test-api.js';
import { type Answer, callApi } from './call-api.js';

const PRODUCT = '/api-product/v1/product';
const CATEGORY = '/api-category/v1/category';
const WAIT = { prefer: 'wait=25' };
const ROWS_A_PAGE = 1000;

export interface CallOptions {
  /** Sent as JSON; bytes and text as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the site context. */
  readonly context?: { readonly stage?: string; readonly channel?: number; readonly date?: string };
}

/** What a category asks of its items: the names of its attributes; a `!` behind one makes it mandatory. */
export interface CatalogPlan {
  /** Elements of a bulk attribute request; a text stands for a TEXT attribute of that name. */
  readonly attributes?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Path → names of attributes. Parents are made as they are needed. */
  readonly categories?: Readonly<Record<string, readonly string[]>>;
  /** Part → name of the attribute that plays it. */
  readonly mapping?: Readonly<Record<string, string>>;
}

export interface RowError {
  readonly row: number;
  readonly key: string | null;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
  readonly value: string | null;
}

interface SummaryLine {
  readonly code: string;
  readonly path: string | null;
  readonly count: number;
  readonly rows: string;
  readonly example: string;
}

/** How a job ended. */
export interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly message: string;
  readonly total: number | null;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly errors: readonly RowError[];
  readonly summary: readonly SummaryLine[];
  readonly warnings: readonly SummaryLine[];
  /** Id of the error file; null when there is none. */
  readonly errorFile: string | null;
}

export interface Item {
  readonly sku: string;
  readonly type: 'ITEM' | 'BUNDLE';
  readonly status: 'LIVE' | 'DRAFT';
  readonly nodeName: string | null;
  readonly parentSku: string | null;
  readonly channels: number[] | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The attributes whose values are those of its parent. */
  readonly inherited?: readonly string[];
  readonly bundleItems?: readonly { readonly sku: string; readonly quantity: number }[];
}

/** Options of a file, as POST /files/product takes them. */
export type FileOptions = Readonly<Record<string, unknown>>;

/** A file that was announced, and waits to be imported once it is uploaded. */
interface HeldUpload {
  readonly id: string;
  readonly jobId: string;
  readonly location: string;
}

export type WriteMode = 'insert' | 'upsert' | 'update';

export class Shop {
  readonly #nodes = new Map<string, number>();

  constructor(
    readonly api: Pick<TestApi, 'fetch'>,
    readonly account: string,
    readonly token: string,
    readonly siteId: number,
  ) {}

  /** The context in which the API sees what this shop sends. */
  get site(): SiteContext {
    return { siteId: this.siteId, accountId: this.account, stage: 'production', channel: null, date: null };
  }

  call(method: string, path: string, { body, context, headers }: CallOptions = {}): Promise<Answer> {
    const site = {
      authorization: `Bearer ${this.token}`,
      'x-site-context': JSON.stringify({ account: this.account, ...context }),
    };
    return callApi(this.api, method, path, { body, headers: { ...site, ...headers } });
  }

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body });
  }

  /** Calls, and fails when the answer is not 200. @returns the answer's body */
  async ask(method: string, path: string, options: CallOptions = {}): Promise<Answer['body']> {
    const { status, body } = await this.call(method, path, options);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Makes attributes, categories, assignments and mapping. */
  async define({ attributes = [], categories = {}, mapping }: CatalogPlan): Promise<this> {
    const elements = attributes.map((given) => (typeof given === 'string' ? { name: given, type: 'TEXT' } : given));
    if (elements.length > 0) {
      const body = await this.ask('POST', `${PRODUCT}/attribute/bulk`, { body: elements, headers: WAIT });
      assert.deepEqual(body.attributes.failed, []);
    }
    for (const [path, names] of Object.entries(categories)) await this.category(path, names);
    if (mapping !== undefined) {
      const mappings = Object.entries(mapping).map(([part, name]) => ({ mapping: part, name }));
      await this.ask('POST', `${PRODUCT}/attribute/mapping`, { body: { mappings } });
    }
    return this;
  }

  /** Makes a category and those above it that are missing. @returns its node id */
  async category(path: string, attributes: readonly string[] = []): Promise<number> {
    const nodeId = await this.#node(path);
    if (attributes.length > 0) {
      const itemAttributes = attributes.map((name) => ({
        name: name.replace(/!$/, ''),
        mandatory: name.endsWith('!'),
      }));
      await this.ask('POST', `${CATEGORY}/item-attribute`, { body: { nodeId, itemAttributes } });
    }
    return nodeId;
  }

  async #node(path: string): Promise<number> {
    const known = this.#nodes.get(path);
    if (known !== undefined) return known;
    const names = path.split('->');
    const name = names.pop();
    const parentNodeId = names.length === 0 ? undefined : await this.#node(names.join('->'));
    const { nodeId } = await this.ask('POST', CATEGORY, { body: { name, parentNodeId } });
    this.#nodes.set(path, nodeId);
    return nodeId;
  }

  /** Sends items in bulk and waits for what comes of them. */
  bulk(mode: WriteMode, body: unknown, options: CallOptions & { readonly query?: string } = {}): Promise<Answer> {
    const path = `${PRODUCT}/bulk/${mode}${options.query === undefined ? '' : `?${options.query}`}`;
    return this.call('POST', path, { ...options, body, headers: { ...WAIT, ...options.headers } });
  }

  bulkAttributes(body: unknown): Promise<Answer> {
    return this.call('POST', `${PRODUCT}/attribute/bulk`, { body, headers: WAIT });
  }

  bulkCategories(body: unknown, query = ''): Promise<Answer> {
    return this.call('POST', `${CATEGORY}/bulk/upsert${query}`, { body, headers: WAIT });
  }

  /** The trees of the site as nested arrays: [name, ...children]; roots as they are listed. */
  async outline(): Promise<unknown[]> {
    interface Node {
      readonly name: string;
      readonly children: readonly Node[];
    }
    const nested = (nodes: readonly Node[]): unknown[] =>
      nodes.map(({ name, children }) => [name, ...nested(children)]);
    return nested((await this.ask('GET', `${CATEGORY}/tree?limit=100`)).data);
  }

  /** Announces a file of items, uploads it and waits for the end of its job. */
  async importFile(
    name: string,
    content: string | Buffer,
    options: FileOptions = {},
    { type = 'ITEM_IMPORT', context }: { type?: string; context?: CallOptions['context'] } = {},
  ): Promise<Outcome> {
    return this.outcome(await this.upload(name, content, options, { type, context }));
  }

  /** Announces a file and uploads it. @returns its job's id */
  async upload(
    name: string,
    content: string | Buffer,
    options: FileOptions = {},
    { type = 'ITEM_IMPORT', context }: { type?: string; context?: CallOptions['context'] | undefined } = {},
  ): Promise<string> {
    const body = { fileName: name, fileType: type, options };
    const announced = await this.ask('POST', '/files/product', { body, ...(context ? { context } : {}) });
    const { status, text } = await this.put(announced, content, context);
    assert.equal(status, 200, text);
    return announced.jobId;
  }

  /**
   * Uploads an announced file. A file that goes to the store directly is complete when the API is told.
   * @returns the last answer
   */
  async put(
    { id, location }: { readonly id: string; readonly location: string },
    content: string | Buffer,
    context?: CallOptions['context'],
  ): Promise<{ readonly status: number; readonly text: string }> {
    const put = await fetch(location, { method: 'PUT', body: Buffer.from(content) });
    const text = await put.text();
    if (put.status !== 200 || !location.includes('X-Amz-Signature=')) return { status: put.status, text };
    return this.call('POST', `/files/product/${id}/actions/complete`, context ? { context } : {});
  }

  /** Announces a file that is held, and uploads it. @param over members of the announcement in place of these */
  async hold(content: string | Buffer, over: object = {}): Promise<HeldUpload> {
    const body = { fileName: 'shop.csv', fileType: 'ITEM_IMPORT', hold: true, ...over };
    const file = await this.ask('POST', '/files/product', { body });
    const { status, text } = await this.put(file, content);
    assert.equal(status, 200, text);
    return file;
  }

  /** Says how a held file is imported. */
  importHeld({ id }: Pick<HeldUpload, 'id'>, body: object): Promise<Answer> {
    return this.post(`/files/product/${id}/actions/import`, body);
  }

  /** Says how a held file is imported, and waits for the end of its job. */
  async imported(file: HeldUpload, body: object): Promise<Outcome> {
    const { status, text } = await this.importHeld(file, body);
    assert.equal(status, 202, text);
    return this.outcome(file.jobId);
  }

  /** Waits for the end of a job. Whatever the test is about: nothing of it may be silent. */
  async outcome(jobId: string): Promise<Outcome> {
    let job = await this.ask('GET', `/jobs/${jobId}`, { headers: WAIT });
    // The machine may be slow, or a worker was killed: the API lets a client wait for less than it may take.
    for (let more = 2; job.completedAt === null && more > 0; more--) {
      job = await this.ask('GET', `/jobs/${jobId}`, { headers: WAIT });
    }
    assert.notEqual(job.completedAt, null, `the job does not end: ${JSON.stringify(job)}`);
    const { totalCount, createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
    const outcome: Outcome = {
      id: job.id,
      status: job.status,
      reason: job.reason,
      message: job.statusMessage ?? '',
      total: totalCount,
      created: createdCount,
      updated: updatedCount,
      unchanged: unchangedCount,
      failed: errorCount,
      errors: await this.errors(jobId),
      summary: job.errorSummary,
      warnings: job.warnings,
      errorFile: job.errorFiles[0] ?? null,
    };
    if (job.status.startsWith('COMPLETED')) await this.#assertNothingSilent(outcome);
    return outcome;
  }

  /** All errors of a job. */
  async errors(jobId: string): Promise<RowError[]> {
    const all: RowError[] = [];
    for (let after = ''; ; ) {
      const page = await this.ask('GET', `/jobs/${jobId}/errors?limit=${ROWS_A_PAGE}${after}`);
      all.push(...page.data);
      if (page.next === undefined) return all;
      after = `&after=${page.next}`;
    }
  }

  result(jobId: string, query = `limit=${ROWS_A_PAGE}`): Promise<Answer['body']> {
    return this.ask('GET', `/jobs/${jobId}/result?${query}`);
  }

  /** The name and the bytes of a file of the shop. */
  async download(fileId: string, context?: CallOptions['context']): Promise<{ name: string; bytes: Buffer }> {
    const options = context ? { context } : {};
    const { name } = await this.ask('GET', `/files/product/${fileId}`, options);
    const { location } = await this.ask('GET', `/files/product/${fileId}/actions/download`, options);
    const response = await fetch(location);
    assert.equal(response.status, 200);
    return { name, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  /** An item; undefined: there is none. */
  async item(sku: string, context?: CallOptions['context']): Promise<Item | undefined> {
    const answer = await this.call('GET', `${PRODUCT}/${encodeURIComponent(sku)}`, context ? { context } : {});
    return answer.status === 404 ? undefined : answer.body;
  }

  /** Every item, in the byte order of SKUs. */
  async items(context?: CallOptions['context']): Promise<Item[]> {
    const all: Item[] = [];
    for (let after = ''; ; ) {
      const page = await this.ask('GET', `${PRODUCT}?limit=100${after}`, context ? { context } : {});
      all.push(...page.data);
      if (page.next === undefined) return all;
      after = `&after=${encodeURIComponent(page.next)}`;
    }
  }

  /** The values of one attribute by SKU. */
  async values(attribute: string): Promise<Record<string, unknown>> {
    return Object.fromEntries((await this.items()).map(({ sku, attributes }) => [sku, attributes[attribute]]));
  }

  /** Every row is applied, unchanged or in the error report, and the result tells of each exactly once. */
  async #assertNothingSilent({ id, total, created, updated, unchanged, failed, errors }: Outcome): Promise<void> {
    assert.equal(created + updated + unchanged + failed, total, 'the counts add up to the total');
    assert.equal(new Set(errors.map(({ row }) => row)).size, failed, 'every row that failed is in the error report');
    if ((total ?? 0) > ROWS_A_PAGE) return;
    const { success, failed: told, attributes, categories, count } = await this.result(id);
    const named = attributes ?? categories;
    assert.equal(count, total);
    assert.equal((named?.success ?? success).length, (total ?? 0) - failed, 'the result tells of every row');
    assert.equal((named?.failed ?? told).length, failed, 'the result tells of every row that failed');
  }
}

/** What is told of each error, but for its message and value. */
export function places({ errors }: Pick<Outcome, 'errors'>): [row: number, column: string | null, code: string][] {
  return errors.map(({ row, column, code }) => [row, column, code]);
}
