/** The scenario of the demo: sets up a whole catalog over HTTP, in the recommended order. */
import { randomUUID } from 'node:crypto';
import { createClient, type InputOf, type LongshoreClient } from '@longshore/client';
import { checkDeliveries, type Deliveries, defineWebhooks } from './define-webhooks.js';
import { expectEqual } from './expect-equal.js';
import { checkTemplate, importCorrected, importFile, importItems, showEnd } from './import-file.js';
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
 * @throws Mismatch when an answer of the API is not as expected; LongshoreError when it refuses a request
 */
export async function runScenario(access: ScenarioAccess, screen: Screen): Promise<string> {
  const catalog = readSampleCatalog();
  const { baseUrl, token, account } = access;
  const client = createClient({ baseUrl, token, site: { account } });
  const stage = await chooseStage(client);
  const api = client.at({ stage });
  screen.line(`Longshore runs at ${access.baseUrl}. The sample catalog goes into stage ${stage}.`);
  screen.line();

  const receiver = await Receiver.start();
  const { orders, jobs } = await defineWebhooks(api, receiver, stage, screen);
  await placeOrder(api, screen);
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

// Step 7: items as JSON, in several requests that answer the outcome of each row

async function insertItems(api: LongshoreClient, { items, expected }: SampleCatalog, screen: Screen): Promise<void> {
  const key = { idempotencyKey: randomUUID() };
  const { jobIds, rows, failed } = await api.bulk('insertItems', items, key);
  // A client that got no answer sends the same rows again, and gets the same jobs.
  const again = await api.bulk('insertItems', items, key);
  expectEqual('jobs of rows sent again with their idempotency key', again.jobIds, jobIds);
  const created = rows - failed.length;
  screen.step(
    'Items as JSON',
    `${count(created)} of ${count(items.length)} created in ${jobIds.length === 1 ? 'one request' : `${jobIds.length} requests`}`,
  );
  screen.table(failed.map(({ key: sku, errors: [first] }) => [sku ?? '', first?.code ?? '', first?.message ?? '']));
  expectEqual('items created from JSON', created, expected.jsonInsert.created);
  expectEqual(
    'items refused from JSON',
    failed.map(({ key: sku, errors: [first] }) => ({ sku, code: first?.code })),
    expected.jsonInsert.failed,
  );
}

// Step 2: an order, and a notification of its customer

const ORDER = { documentType: 'ORDER', id: 'SO-1001' } as const;
const CUSTOMER = { name: { first: 'Ada', last: 'Sample' }, email: 'ada@example.com' };
const NEIGHBOUR = { name: { first: 'Charles' }, phone: { number: '4915100000000', type: 'MOBILE' as const } };

async function placeOrder(api: LongshoreClient, screen: Screen): Promise<void> {
  const order = { ...ORDER, payload: { total: '89.90', currency: 'EUR' }, contactInfo: [CUSTOMER] };
  await api.createDocument({ body: order });
  const notification = { ...ORDER, notificationType: 'ORDER_SHIPPED', overrideContactInfo: [NEIGHBOUR] };
  const sent = await api.sendNotifications({ body: notification });
  expectEqual('notification that was sent', sent, [notification]);
  screen.step('Order', `${ORDER.id} registered, and a notification sent that it was shipped`);
}

// Steps 5, 6 and 8: the primary tree, the attributes of its categories, and an alternate tree for a sale

/** A category that was created, with its node id. */
interface CreatedCategory {
  readonly nodeId: number;
  readonly node: CategoryNode;
}

/** @returns the categories, parents before their children */
async function createPrimaryTree(
  api: LongshoreClient,
  nodes: readonly CategoryNode[],
  screen: Screen,
): Promise<CreatedCategory[]> {
  const made: CreatedCategory[] = [];
  for (const node of nodes) await createBranch(api, node, undefined, made);
  screen.step('Categories', `${made.length} in the primary tree, ${nodes.length} of them at the top`);
  return made;
}

async function createBranch(
  api: LongshoreClient,
  node: CategoryNode,
  parentNodeId: number | undefined,
  made: CreatedCategory[],
): Promise<void> {
  const parent = parentNodeId === undefined ? {} : { parentNodeId };
  const { nodeId } = await api.createCategory({ body: { name: node.name, ...parent } });
  made.push({ nodeId, node });
  for (const child of node.children) await createBranch(api, child, nodeId, made);
}

/** Assigns attributes to categories. Categories below inherit them. */
async function assignAttributes(
  api: LongshoreClient,
  categories: readonly CreatedCategory[],
  screen: Screen,
): Promise<void> {
  const assigned = categories.filter(({ node }) => node.assign.length > 0);
  for (const { nodeId, node } of assigned) {
    const itemAttributes = node.assign.map(({ name, mandatory }) => ({ action: 'SET' as const, name, mandatory }));
    await api.setCategoryAttributes({ body: { nodeId, itemAttributes } });
  }
  screen.step('Assignment', `attributes assigned to ${assigned.length} categories; those below inherit them`);
}

/** @returns node ids of the sale's categories, in order */
async function createSale(api: LongshoreClient, sale: AlternateTree, screen: Screen): Promise<number[]> {
  const root = await api.createCategory({ body: { name: sale.name, type: 'ALTERNATE' } });
  const nodeIds: number[] = [];
  for (const { name, skus } of sale.children) {
    const { nodeId } = await api.createCategory({ body: { name, parentNodeId: root.nodeId } });
    const items = skus.map((sku) => ({ sku, action: 'SET' as const }));
    const { failed } = await api.setCategoryItems({ body: { nodeId, items } });
    expectEqual(`items that could not go into "${name}"`, failed, []);
    nodeIds.push(nodeId);
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

/** @throws Mismatch when a total differs from examples/expected.json */
async function readBack(
  api: LongshoreClient,
  catalog: SampleCatalog,
  tops: readonly CreatedCategory[],
  saleNodeIds: readonly number[],
): Promise<ReadBack> {
  const { expected, categories } = catalog;
  const totals = await readTotals(api);
  const { byCategory, ...expectedTotals } = expected.afterCorrection;
  expectEqual('items after the correction', totals, expectedTotals);
  for (const { nodeId, node } of tops) {
    expectEqual(`items in ${node.name}`, await countOf(api, { nodeId }), byCategory[node.name]);
  }
  let onSale = 0;
  for (const [index, { name, skus }] of categories.alternate.children.entries()) {
    const found = await countOf(api, { nodeId: saleNodeIds[index] ?? 0 });
    expectEqual(`items in "${name}"`, found, skus.length);
    onSale += found;
  }
  await checkShowcase(api, catalog);
  const attributes = (await api.listAttributes({ limit: 1 })).count;
  expectEqual('attributes', attributes, expected.attributes);
  const inTree = (await api.listCategories({ type: 'PRIMARY', limit: 1 })).count;
  expectEqual('categories of the primary tree', inTree, expected.categories);
  return { ...totals, onSale, attributes, categories: inTree, ...(await readJobs(api)) };
}

async function readTotals(api: LongshoreClient): Promise<Totals> {
  return {
    items: await countOf(api),
    live: await countOf(api, { status: 'LIVE' }),
    draft: await countOf(api, { status: 'DRAFT' }),
  };
}

/** Checks an item whose values are easily damaged on their way. */
async function checkShowcase(api: LongshoreClient, { expected: { showcase } }: SampleCatalog): Promise<void> {
  const item = await api.getItem({ sku: showcase.sku });
  for (const [name, value] of Object.entries(showcase.attributes)) {
    expectEqual(`${name} of ${showcase.sku}`, item.attributes[name], value);
  }
}

async function readJobs(api: LongshoreClient): Promise<Pick<ReadBack, 'jobs' | 'rows'>> {
  const { data, count } = await api.listJobs({ limit: 100 });
  const items = data.filter(({ type }) => type.startsWith('ITEM') && type !== 'ITEM_EXPORT');
  return { jobs: count, rows: items.reduce((sum, job) => sum + (job.progressTracker.totalCount ?? 0), 0) };
}

/** The number of items. */
async function countOf(api: LongshoreClient, query: InputOf<'listItems'> = {}): Promise<number> {
  return (await api.listItems({ ...query, limit: 1 })).count;
}

// Steps 3 and 4: the attributes, in one bulk request, and their mapping to SKU, title, image and active flag

async function defineAttributes(api: LongshoreClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const { rows, failed } = await api.bulk('createAttributes', catalog.attributes);
  expectEqual('attributes that were refused', failed, []);
  screen.step('Attributes', `${rows} created in one bulk request`);
}

async function mapAttributes(api: LongshoreClient, catalog: SampleCatalog, screen: Screen): Promise<void> {
  const { mappings } = await api.setAttributeMapping({ body: catalog.mapping });
  expectEqual('attributes mapped', mappings.length, catalog.mapping.mappings.length);
  screen.step('Mapping', mappings.map(({ attribute, mapping }) => `${attribute} → ${mapping}`).join(', '));
}

// Chooses an empty stage. Each stage is a separate data set, so that the demo can run any number of times.

/** The first of demo-1, demo-2, … that was never used. */
async function chooseStage(client: LongshoreClient): Promise<string> {
  for (let number = 1; ; number++) {
    const stage = `demo-${number}`;
    if (await isUntouched(client.at({ stage }))) return stage;
  }
}

async function isUntouched(api: LongshoreClient): Promise<boolean> {
  const jobs = await api.listJobs({ limit: 1 });
  // Old jobs are deleted, but their attributes stay.
  const attributes = await api.listAttributes({ limit: 1 });
  return jobs.count === 0 && attributes.count === 0;
}

// Step 12: exports all items to a file and imports it again, which changes nothing.

async function exportItems(api: LongshoreClient, { items }: Totals, screen: Screen): Promise<void> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const [{ rows }, text] = await Promise.all([
    api.exportTo({ what: 'items', match: {}, format: 'CSV' }, writable),
    new Response(readable).text(),
  ]);
  expectEqual('items in the export', rows, items);
  screen.step(
    'Export',
    `${count(items)} items as CSV, ${(Buffer.byteLength(text) / 1_000_000).toFixed(1)} MB, imported again`,
  );
  const again = await importFile(api, 'items-exported.csv', text, screen);
  showEnd(again, screen);
  expectEqual('items that their own export leaves unchanged', again.progressTracker.unchangedCount, items);
}
