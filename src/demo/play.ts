/** The play: a whole catalog, set up over HTTP in the order that the interface recommends. */
import { ApiClient } from './api-client.js';
import { assignAttributes, createPrimaryTree, createSale } from './build-categories.js';
import { checkDeliveries, type Deliveries } from './check-deliveries.js';
import { chooseStage } from './choose-stage.js';
import { defineAttributes, mapAttributes } from './define-attributes.js';
import { defineWebhooks } from './define-webhooks.js';
import { expectEqual } from './expect-equal.js';
import { exportItems } from './export-items.js';
import { checkTemplate, importItems, importMended } from './import-file.js';
import { insertItems } from './insert-items.js';
import { placeOrder } from './place-order.js';
import { type ReadBack, readBack, readTotals } from './read-back.js';
import { Receiver } from './receiver.js';
import { readSampleCatalog } from './sample-catalog.js';
import { count, type Screen } from './screen.js';

interface PlayAccess {
  readonly baseUrl: string;
  readonly account: string;
  readonly token: string;
}

/**
 * @returns the stage that it was played in
 * @throws Mismatch when the API says something else than it must; ApiError when it refuses a request
 */
export async function play(access: PlayAccess, screen: Screen): Promise<string> {
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
  await importMended(api, job, catalog, screen);
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
  screen.line('Read back from the API, and as it must be:');
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
      `${total('events')} events, ${total('refused')} calls refused and made again`,
    ],
  ]);
}
