/** The scenario of the demo: sets up a whole catalog over HTTP, in the recommended order. */
import { randomUUID } from 'node:crypto';
import { type ApiAccess, ApiClient, download } from './api-client.js';
import { checkDeliveries, type Deliveries, defineWebhooks } from './define-webhooks.js';
import { expectEqual } from './expect-equal.js';
import { checkTemplate, importCorrected, importFile, importItems, showEnd } from './import-file.js';
import { type Job, waitForJob } from './jobs.js';
import { Receiver } from './receiver.js';
import {
  type AlternateTree,
  type CategoryNode,
  readSampleCatalog,
  type SampleCatalog,
  type Totals,
} from './sample-catalog.js';
import { count, type Screen } from './screen.js';

interface ScenarioAccess {
  readonly baseUrl: string;
  readonly account: string;
  readonly token: string;
}

/**
 * @returns the stage that was used
 * @throws Mismatch when an answer of the API is not as expected; ApiError when it refuses a request
 */
export async function runScenario(access: ScenarioAccess, screen: Screen): Promise<string> {
  const catalog = readSampleCatalog();
  const stage = await chooseStage(access);
  const api = new ApiClient({ ...access, stage });
  screen.line(`Longshore runs at ${access.baseUrl}. The sample catalog goes into stage ${stage}.`);
  screen.line();

  const receiver = await Receiver.start();
  const { orders, jobs } = await defineWebhooks(api, receiver, stage, screen);
  await placeOrder(api, access.account, screen);
  await defineAttributes(api, catalog, screen);
  await mapAttributes(api, catalog, screen);
  const categories = await createPrimaryTree(api, catalog.categories.primary, screen);
  await assignAttributes(api, categories, screen);
  await insertItems(api, catalog, screen);
  const saleNodeIds = await createSale(api, catalog.categories.alternate, screen);
  await checkTemplate(api, catalog, screen);
  const job = await importItems(api, catalog, screen);
  expectEqual('items after the import', await readTotals(api), catalog.expected.afterImport);
  await importCorrected(api, job, catalog, screen);
  await exportItems(api, await readTotals(api), screen);

  const tops = categories.filter(({ node }) => catalog.categories.primary.includes(node));
  const found = await readBack(api, catalog, tops, saleNodeIds);
  const jobEvents = Array<string>(found.jobs).fill('JOB_COMPLETED');
  const deliveries = [
    await checkDeliveries(api, receiver, orders, orders.events, screen),
    await checkDeliveries(api, receiver, jobs, jobEvents, screen),
  ];
  showSummary(found, deliveries, screen);
  return stage;
}

function showSummary(found: ReadBack, deliveries: readonly Deliveries[], screen: Screen): void {
  const total = (field: keyof Deliveries) => deliveries.reduce((sum, one) => sum + one[field], 0);
  screen.line();
  screen.line('Read from the API, and as expected:');
  screen.table([
    ['items', count(found.items), `${count(found.live)} live, ${count(found.draft)} drafts`],
    ['on sale', count(found.onSale)],
    ['categories', count(found.categories)],
    ['attributes', count(found.attributes)],
    ['item rows', count(found.rows), 'sent by JSON and by file'],
    ['jobs', count(found.jobs)],
    [
      'webhook calls',
      count(total('calls')),
      `${total('events')} events, ${total('refused')} calls refused and repeated`,
    ],
  ]);
}

// Bulk requests

/** The longest time that the API waits. A job that takes longer is followed by its id. */
const WAIT_SECONDS = 25;

/**
 * Sends rows in one bulk request and waits for the result.
 * @param idempotencyKey a repeated request with the same key creates no second job, so it is safe after a time-out
 * @returns the job's result, in the shape of the operation
 * @throws ApiError, also when every row failed
 */
async function sendBulk<Result extends object>(
  api: ApiClient,
  path: string,
  rows: readonly unknown[],
  idempotencyKey: string,
): Promise<Result & { jobId: string }> {
  const headers = { Prefer: `wait=${WAIT_SECONDS}`, 'Idempotency-Key': idempotencyKey };
  const { status, body } = await api.post<Result & { jobId: string }>(path, rows, headers);
  if (status !== 202) return body;
  await waitForJob(api, body.jobId, () => undefined);
  return api.get(`/jobs/${body.jobId}/result`, { limit: 1_000 });
}

// Step 7: items as JSON, in several requests that answer the outcome of each row

const INSERT = '/api-product/v1/product/bulk/insert';
/** The API accepts 10,000. This is one page of a job's result, for jobs that take longer than the API waits. */
const ROWS_A_REQUEST = 1_000;

interface InsertResult {
  readonly success: readonly unknown[];
  readonly failed: readonly {
    readonly sku: string;
    readonly code: string;
    readonly message: string;
  }[];
}

async function insertItems(api: ApiClient, { items, expected }: SampleCatalog, screen: Screen): Promise<void> {
  const results: InsertResult[] = [];
  for (let start = 0; start < items.length; start += ROWS_A_REQUEST) {
    const rows = items.slice(start, start + ROWS_A_REQUEST);
    const key = randomUUID();
    const result = await sendBulk<InsertResult>(api, INSERT, rows, key);
    results.push(result);
    if (start > 0) continue;
    // A client that got no answer sends the same request again, and gets the same job.
    const again = await sendBulk<InsertResult>(api, INSERT, rows, key);
    expectEqual('job of a request sent again with its Idempotency-Key', again.jobId, result.jobId);
  }
  const failed = results.flatMap((result) => result.failed);
  const created = results.reduce((sum, { success }) => sum + success.length, 0);
  screen.step('Items as JSON', `${count(created)} of ${count(items.length)} created in ${results.length} requests`);
  screen.table(failed.map(({ sku, code, message }) => [sku, code, message]));
  expectEqual('items created from JSON', created, expected.jsonInsert.created);
  expectEqual(
    'items refused from JSON',
    failed.map(({ sku, code }) => ({ sku, code })),
    expected.jsonInsert.failed,
  );
}

// Step 2: an order, and a notification of its customer

const ORDER = { documentType: 'ORDER', id: 'SO-1001' } as const;
const CUSTOMER = { name: { first: 'Ada', last: 'Sample' }, email: 'ada@example.com' };
const NEIGHBOUR = { name: { first: 'Charles' }, phone: { number: '4915100000000', type: 'MOBILE' } };

async function placeOrder(api: ApiClient, account: string, screen: Screen): Promise<void> {
  const tenant = { 'tenant-key': account };
  const order = { ...ORDER, payload: { total: '89.90', currency: 'EUR' }, contactInfo: [CUSTOMER] };
  await api.post('/api/v2/document', order, tenant);
  const notification = { ...ORDER, notificationType: 'ORDER_SHIPPED', overrideContactInfo: [NEIGHBOUR] };
  const { body: sent } = await api.post('/api/v2/notification/send', notification, tenant);
  expectEqual('notification that was sent', sent, [notification]);
  screen.step('Order', `${ORDER.id} registered, and a notification sent that it was shipped`);
}

// Steps 5, 6 and 8: the primary tree, the attributes of its categories, and an alternate tree for a sale

const CATEGORY = '/api-category/v1/category';

/** A category that was created, with its node id. */
interface CreatedCategory {
  readonly nodeId: number;
  readonly node: CategoryNode;
}

/** @returns the categories, parents before their children */
async function createPrimaryTree(
  api: ApiClient,
  nodes: readonly CategoryNode[],
  screen: Screen,
): Promise<CreatedCategory[]> {
  const made: CreatedCategory[] = [];
  for (const node of nodes) await createBranch(api, node, undefined, made);
  screen.step('Categories', `${made.length} in the primary tree, ${nodes.length} of them at the top`);
  return made;
}

async function createBranch(
  api: ApiClient,
  node: CategoryNode,
  parentNodeId: number | undefined,
  made: CreatedCategory[],
): Promise<void> {
  const { body } = await api.post<{ nodeId: number }>(CATEGORY, { name: node.name, parentNodeId });
  made.push({ nodeId: body.nodeId, node });
  for (const child of node.children) await createBranch(api, child, body.nodeId, made);
}

/** Assigns attributes to categories. Categories below inherit them. */
async function assignAttributes(api: ApiClient, categories: readonly CreatedCategory[], screen: Screen): Promise<void> {
  const assigned = categories.filter(({ node }) => node.assign.length > 0);
  for (const { nodeId, node } of assigned) {
    const itemAttributes = node.assign.map(({ name, mandatory }) => ({ action: 'SET', name, mandatory }));
    await api.post(`${CATEGORY}/item-attribute`, { nodeId, itemAttributes });
  }
  screen.step('Assignment', `attributes assigned to ${assigned.length} categories; those below inherit them`);
}

/** @returns node ids of the sale's categories, in order */
async function createSale(api: ApiClient, sale: AlternateTree, screen: Screen): Promise<number[]> {
  const { body: root } = await api.post<{ nodeId: number }>(CATEGORY, { name: sale.name, type: 'ALTERNATE' });
  const nodeIds: number[] = [];
  for (const { name, skus } of sale.children) {
    const { body } = await api.post<{ nodeId: number }>(CATEGORY, { name, parentNodeId: root.nodeId });
    const items = skus.map((sku) => ({ sku, action: 'SET' }));
    const answer = await api.post<{ failed: unknown[] }>(`${CATEGORY}/item`, { nodeId: body.nodeId, items });
    expectEqual(`items that could not go into "${name}"`, answer.body.failed, []);
    nodeIds.push(body.nodeId);
  }
  const items = sale.children.reduce((sum, { skus }) => sum + skus.length, 0);
  screen.step(sale.name, `an alternate tree of ${sale.children.length} categories with ${count(items)} items`);
  return nodeIds;
}

// The last step: reads the totals from the API and compares them with what is expected

/** The totals that the API reports. */
interface ReadBack extends Totals {
  readonly attributes: number;
  readonly categories: number;
  readonly jobs: number;
  /** The rows of items in all jobs. */
  readonly rows: number;
  readonly onSale: number;
}

const PRODUCT = '/api-product/v1/product';

interface List {
  readonly count: number;
}

/** @throws Mismatch when a total differs from examples/expected.json */
async function readBack(
  api: ApiClient,
  catalog: SampleCatalog,
  tops: readonly CreatedCategory[],
  saleNodeIds: readonly number[],
): Promise<ReadBack> {
  const { expected, categories } = catalog;
  const totals = await readTotals(api);
  const { byCategory, ...expectedTotals } = expected.afterCorrection;
  expectEqual('items after the correction', totals, expectedTotals);
  for (const { nodeId, node } of tops) {
    expectEqual(`items in ${node.name}`, await countOf(api, PRODUCT, { nodeId }), byCategory[node.name]);
  }
  let onSale = 0;
  for (const [index, { name, skus }] of categories.alternate.children.entries()) {
    const found = await countOf(api, PRODUCT, { nodeId: saleNodeIds[index] ?? 0 });
    expectEqual(`items in "${name}"`, found, skus.length);
    onSale += found;
  }
  await checkShowcase(api, catalog);
  const attributes = await countOf(api, `${PRODUCT}/attribute`);
  expectEqual('attributes', attributes, expected.attributes);
  const inTree = await countOf(api, '/api-category/v1/category', { type: 'PRIMARY' });
  expectEqual('categories of the primary tree', inTree, expected.categories);
  return { ...totals, onSale, attributes, categories: inTree, ...(await readJobs(api)) };
}

async function readTotals(api: ApiClient): Promise<Totals> {
  return {
    items: await countOf(api, PRODUCT),
    live: await countOf(api, PRODUCT, { status: 'LIVE' }),
    draft: await countOf(api, PRODUCT, { status: 'DRAFT' }),
  };
}

/** Checks an item whose values are easily damaged on their way. */
async function checkShowcase(api: ApiClient, { expected: { showcase } }: SampleCatalog): Promise<void> {
  const item = await api.get<{ attributes: Record<string, unknown> }>(`${PRODUCT}/${encodeURIComponent(showcase.sku)}`);
  for (const [name, value] of Object.entries(showcase.attributes)) {
    expectEqual(`${name} of ${showcase.sku}`, item.attributes[name], value);
  }
}

async function readJobs(api: ApiClient): Promise<Pick<ReadBack, 'jobs' | 'rows'>> {
  const { data, count } = await api.get<List & { data: Job[] }>('/jobs/product', { limit: 100 });
  const items = data.filter(({ type }) => type.startsWith('ITEM') && type !== 'ITEM_EXPORT');
  return { jobs: count, rows: items.reduce((sum, job) => sum + (job.progressTracker.totalCount ?? 0), 0) };
}

async function countOf(
  api: ApiClient,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<number> {
  return (await api.get<List>(path, { ...query, limit: 1 })).count;
}

// Steps 3 and 4: the attributes, in one bulk request, and their mapping to SKU, title, image and active flag

interface AttributeResult {
  readonly attributes: { readonly success: readonly unknown[]; readonly failed: readonly unknown[] };
}

async function defineAttributes(api: ApiClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const path = '/api-product/v1/product/attribute/bulk';
  const { attributes } = await sendBulk<AttributeResult>(api, path, catalog.attributes, randomUUID());
  expectEqual('attributes that were refused', attributes.failed, []);
  screen.step('Attributes', `${attributes.success.length} created in one bulk request`);
}

async function mapAttributes(api: ApiClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const path = '/api-product/v1/product/attribute/mapping';
  const { body } = await api.post<{ mappings: { attribute: string; mapping: string }[] }>(path, catalog.mapping);
  expectEqual('attributes mapped', body.mappings.length, catalog.mapping.mappings.length);
  screen.step('Mapping', body.mappings.map(({ attribute, mapping }) => `${attribute} → ${mapping}`).join(', '));
}

// Chooses an empty stage. Each stage is a separate data set, so that the demo can run any number of times.

/** The first of demo-1, demo-2, … that was never used. */
async function chooseStage(access: Omit<ApiAccess, 'stage'>): Promise<string> {
  for (let number = 1; ; number++) {
    const stage = `demo-${number}`;
    if (await isUntouched(new ApiClient({ ...access, stage }))) return stage;
  }
}

async function isUntouched(api: ApiClient): Promise<boolean> {
  const jobs = await api.get<{ count: number }>('/jobs/product', { limit: 1 });
  // Old jobs are deleted, but their attributes stay.
  const attributes = await api.get<{ count: number }>('/api-product/v1/product/attribute', { limit: 1 });
  return jobs.count === 0 && attributes.count === 0;
}

// Step 12: exports all items to a file and imports it again, which changes nothing.

async function exportItems(api: ApiClient, { items }: Totals, screen: Screen): Promise<void> {
  const { body } = await api.post<{ jobId: string }>('/jobs/product/actions/filter-export', {
    match: {},
    format: 'CSV',
  });
  const job = await waitForJob(api, body.jobId, () => undefined);
  expectEqual('status of the export', job.status, 'COMPLETED');
  expectEqual('items in the export', job.progressTracker.totalCount, items);
  const [fileId] = job.outputFiles;
  const { location } = await api.get<{ location: string }>(`/files/product/${fileId}/actions/download`);
  const text = await download(location);
  screen.step(
    'Export',
    `${count(items)} items as CSV, ${(Buffer.byteLength(text) / 1_000_000).toFixed(1)} MB, imported again`,
  );
  const again = await importFile(api, 'items-exported.csv', text, screen);
  showEnd(again, screen);
  expectEqual('items that their own export leaves unchanged', again.progressTracker.unchangedCount, items);
}
