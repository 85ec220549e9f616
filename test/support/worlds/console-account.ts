/** An account of which every page of the console has something to show, with names that are hard to show in each place. */

import { ROLES, type Role } from '../../../src/domain/access/roles.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { answerWith, type Receiver, startReceiver } from '../http/receiver.js';
import type { Shop } from '../http/shop.js';
import { until } from '../until.js';
import { ConsolePerson } from './console-person.js';
import { type FeedFolder, makeFeedFolder } from './feed-folder.js';
import { startTestBrowser, type TestBrowser } from './test-browser.js';
import { startWorld, type World } from './world.js';

/** Names of files have no signs that are not seen or turn text around. */
const HARD_FILE = '<img src=x onerror="hacked=1">שלום.csv';
/** Runs as a program where it is set as HTML, has a sign that is not seen, and turns around what follows it where it is not kept apart. */
export const HARD = '<img src=x onerror="hacked=1">\u200B\u202Eשלום';

export interface ConsoleAccount {
  readonly world: World;
  readonly browser: TestBrowser;
  readonly shop: Shop;
  /** The values of the parameters in the addresses of pages. */
  readonly places: Readonly<Record<string, string>>;
  /** The id of an import that waits for an approval. */
  readonly waiting: string;
  /** A page of somebody who is logged in with this role. */
  logIn(role: Role, address?: string): Promise<ConsolePerson>;
  stop(): Promise<void>;
}

export async function openConsoleAccount(): Promise<ConsoleAccount> {
  const folders = await makeFeedFolder();
  const world = await startWorld({
    workers: true,
    files: 'in a folder',
    environment: { WEBHOOK_SCHEDULE_SECONDS: '0,600', FEED_FOLDERS: folders.allowed },
  });
  const shop = await world.newShop();
  const receiver = await startReceiver(answerWith(200, {}, `I answer ${HARD}`));
  const catalog = await fillCatalog(shop);
  const sent = await fillWebhooks(shop, receiver);
  const feeds = await fillFeeds(shop, folders);
  const browser = await startTestBrowser(world.api.url);
  return {
    ...{ world, browser, shop, waiting: catalog.waiting },
    places: { stage: 'production', jobId: catalog.failed, fileId: catalog.held, ...sent, ...feeds },
    logIn: async (role, address = '/console/') => {
      const given = { accountId: shop.account, name: `Kim ${HARD}`, scopes: ROLES[role], role };
      const { token } = await createToken(world.db, given);
      const person = await ConsolePerson.open(browser, address);
      person.page.setDefaultTimeout(45_000);
      await person.logIn(token);
      return person;
    },
    stop: async () => {
      await browser.stop();
      await receiver.stop();
      await world.stop();
      await folders.remove();
    },
  };
}

async function fillCatalog(shop: Shop) {
  await shop.define({
    attributes: [
      'Title',
      HARD,
      { name: 'Price', type: 'DECIMAL' },
      { name: `N ${HARD}`, type: 'DECIMAL' },
      { name: 'Colour', type: 'OPTIONS', optionsType: 'TEXT', options: ['red', HARD] },
    ],
    categories: { [`Disk ${HARD}->Fast`]: ['Title!', 'Price', 'Colour', HARD, `N ${HARD}`], Tape: ['Title'] },
    mapping: { title: 'Title' },
  });
  const sale = [`Season ${HARD}`, `Season ${HARD}->Sale`].map((place) => ({ path: place, type: 'ALTERNATE' }));
  await shop.bulkCategories(sale);
  const hard = `"${HARD.replaceAll('"', '""')}"`;
  const path = `"Disk ${HARD.replaceAll('"', '""')}->Fast"`;
  const header = `SKU,Category Node,Title,Price,${hard},${hard.replace('"', '"N ')}`;
  const file = (rows: readonly string[]) => [header, ...rows].join('\n');
  const profile = {
    fileType: 'ITEM_IMPORT',
    columns: [
      { to: 'SKU', from: 'SKU' },
      { to: 'Title', from: HARD },
    ],
  };
  await shop.ask('POST', '/import-profiles', { body: { name: `ERP ${HARD}`, profile } });
  await shop.importFile('first.csv', file(['A-1', 'A-2', hard].map((sku) => `${sku},${path},${hard},1,${hard},3`)));
  // Lists have files, exports and events that are called the same.
  await shop.importFile('first.csv', file([`A-1,${path},A-1,1,${hard},3`]));
  const alike = ['Z-1', 'Z-1\u200B'].map((sku, index) => ({
    ...{ sku, nodeName: 'Tape', attributes: { Title: `number ${index}` } },
  }));
  const { failed: refused } = (await shop.bulk('insert', alike)).body;
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
  const failed = await shop.upload(
    HARD_FILE,
    file([
      `A-1,${path},T,x,${hard},1`,
      `A-9,Nowhere,${hard},${hard},y,2`,
      `A-2,${path},U,900,${hard},${hard}`,
      `A-3,${path},V,1,${hard},7`,
    ]),
  );
  await shop.outcome(failed);
  const waiting = await shop.upload(
    'ask.csv',
    file([`A-1,${path},New,99,${hard},5`, `${hard},${path},${hard},900,z,6`]),
    {
      requireApproval: true,
    },
  );
  await until('the import waits', async () => (await stateOf(shop, waiting)) === 'AWAITING_APPROVAL', 20_000);
  const { id: held } = await shop.hold(`SKU;${HARD};Category;Angebot\nB-1;${HARD};Disk;03.04.2026\n`, {
    fileName: HARD_FILE,
  });
  await shop.post('/jobs/product/actions/filter-export', {});
  const { jobId } = (await shop.post('/jobs/product/actions/filter-export', {})).body;
  await until('the export is there', async () => (await stateOf(shop, jobId)) === 'COMPLETED', 20_000);
  for (const kind of ['ITEMS', 'EXPORT']) {
    await shop.ask('POST', '/views', { body: { kind, name: `${kind} ${HARD}`, content: { q: HARD }, shared: true } });
  }
  return { failed, waiting, held };
}

/** A feed that has taken a file, one that fails, and an address at which an export is found. */
async function fillFeeds(shop: Shop, folders: FeedFolder) {
  const folder = await folders.of(shop);
  await folder.put(HARD_FILE, 'SKU,Category Node,Title\nF-1,Tape,One\nF-2,Nowhere,Two\n');
  await folder.put(`notes ${HARD_FILE}`.replace('.csv', '.txt'), 'nothing');
  const schedule = { cron: '30 2 * * *', timeZone: 'Asia/Tokyo' };
  const { id: feedId } = await folder.make({ name: `ERP ${HARD}`, schedule, expectWithinMinutes: 1_500 });
  const { id: failing } = await folder.make({
    name: `Gone ${HARD}`,
    connection: { kind: 'folder', path: `${folder.path}/gone ${HARD_FILE}` },
  });
  for (const id of [feedId, failing]) await folder.run(id);
  await shop.ask('POST', '/published-files', { body: { name: `Shop ${HARD}`, whenEmpty: 'SKIP' } });
  await folder.makeDestination({ name: `To ${HARD}`, fileName: 'to-{sequence}.csv', after: { feed: `ERP ${HARD}` } });
  const body = { match: {}, publishAs: `Shop ${HARD}` };
  const { jobId } = (await shop.post('/jobs/product/actions/filter-export', body)).body;
  await until('the export is published', async () => (await stateOf(shop, jobId)) === 'COMPLETED', 20_000);
  return { feedId };
}

async function stateOf(shop: Shop, job: string): Promise<string> {
  return (await shop.ask('GET', `/jobs/${job}`)).status;
}

async function fillWebhooks(shop: Shop, receiver: Receiver) {
  const body = { target: `${receiver.url}/hooks`, protocol: 'HTTP', source: 'OMS', events: ['ORDER_CREATED'] };
  await shop.ask('POST', '/api/v2/webhook', { body });
  const [{ webhookId }] = await shop.ask('GET', '/api/v2/webhook');
  await shop.ask('POST', '/api/v2/webhook', { body: { ...body, source: 'ERP_SERVICE', events: ['X'] } });
  const event = { source: 'OMS', event: 'ORDER_CREATED', orderNumber: HARD, payload: { name: HARD } };
  for (let sent = 0; sent < 2; sent++)
    await shop.call('POST', '/api/v2/event', { body: event, headers: { 'tenant-key': shop.account } });
  await until('the events arrive', () => receiver.received.length > 1, 20_000);
  const { webhookEventLogs } = await shop.ask('POST', '/api/v2/webhook/event/query', { body: {} });
  for (let made = 0; made < 2; made++) {
    await shop.ask('POST', `/api/v2/webhook/${webhookId}/receiver-links`, { body: { name: `Partner ${HARD}` } });
    await shop.ask('POST', '/api/v2/access/people', { body: { name: `Robin ${HARD}`, role: 'viewer' } });
  }
  return { webhookId, eventId: webhookEventLogs[0].eventRequestId };
}
