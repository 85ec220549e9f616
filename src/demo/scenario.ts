/** The scenario of the demo: sets up a whole catalog over HTTP, in the recommended order. */
import { createClient } from '@longshore/client';
import { expectEqual } from './expect-equal.js';
import { Receiver } from './receiver.js';
import { readSampleCatalog } from './sample-catalog.js';
import { count, type Screen } from './screen.js';
import { checkDeliveries, type Deliveries } from './steps/check-deliveries.js';
import { chooseStage } from './steps/choose-stage.js';
import { assignAttributes, createPrimaryTree, createSale } from './steps/create-categories.js';
import { defineAttributes, mapAttributes } from './steps/define-attributes.js';
import { defineWebhooks } from './steps/define-webhooks.js';
import { exportItems } from './steps/export-items.js';
import { checkTemplate, importCorrected, importItems } from './steps/import-file.js';
import { insertItems } from './steps/insert-items.js';
import { placeOrder } from './steps/place-order.js';
import { type ReadBack, readBack, readTotals } from './steps/read-back.js';

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
    ['categories', count(found.categories), 'in the primary tree, with its root'],
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
