/** A shop with 20,000 items and some that are hard to show, and somebody who looks at it in the console. */
import { createToken } from '../../../src/domain/access/tokens.js';
import type { Shop } from '../http/shop.js';
import { ConsolePerson } from './console-person.js';
import { startTestBrowser, type TestBrowser } from './test-browser.js';
import { startWorld, type World } from './world.js';

export const ITEMS = 20_000;
export const MARKUP = '<img src=x onerror="document.title=\'broken\'"><b>bold</b>';
const RTL = '\u202Eשלום\u200F (abc)';
export const LONG = `begin ${'x'.repeat(1_000_000)} end`;

export interface ConsoleCatalog {
  readonly world: World;
  readonly browser: TestBrowser;
  readonly shop: Shop;
  readonly token: string;
  readonly person: ConsolePerson;
  stop(): Promise<void>;
}

export async function openConsoleCatalog(): Promise<ConsoleCatalog> {
  const world = await startWorld({ workers: true, files: 'in a folder', chunkRows: 500 });
  const shop = await world.newShop();
  await fill(world, shop);
  const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' });
  const browser = await startTestBrowser(world.api.url);
  const person = await ConsolePerson.open(browser);
  const stop = async () => {
    await browser.stop();
    await world.stop();
  };
  return { world, browser, shop, token, person, stop };
}

async function fill(world: World, shop: Shop): Promise<void> {
  const values = ['Title!', 'Price', 'Stock', 'On sale', 'Launch', 'Colour', 'Text'];
  await shop.define({
    attributes: [
      'Title',
      { name: 'Price', type: 'DECIMAL' },
      { name: 'Stock', type: 'INTEGER' },
      { name: 'On sale', type: 'BOOLEAN' },
      { name: 'Launch', type: 'DATETIME' },
      { name: 'Colour', type: 'OPTIONS', optionsType: 'TEXT', options: ['red', 'green', 'blue'] },
      'Text',
    ],
    categories: { 'Storage->Disk': values, 'Storage->Tape': values, 'Cables->HDMI': values },
    mapping: { title: 'Title' },
  });
  const first = { Price: '1899.5', Stock: 12345, 'On sale': true, Launch: '2026-03-04', Colour: 'red' };
  const rows = [
    { sku: 'A', nodeName: 'Storage->Disk', attributes: { Title: 'Disk', ...first } },
    { sku: 'B', nodeName: 'Storage->Tape', attributes: { Title: 'Tape' } },
    { sku: '<b>markup</b>', nodeName: 'Storage->Disk', attributes: { Title: MARKUP, Text: MARKUP } },
    { sku: 'RTL', nodeName: 'Storage->Disk', attributes: { Title: RTL, Text: 'long' } },
  ];
  const { failed } = (await shop.bulk('insert', rows)).body;
  if (failed.length > 0) throw new Error(JSON.stringify(failed).slice(0, 500));
  // Longer than the API accepts today: it may be there from another time.
  await world.db.raw(
    `UPDATE item SET attributes = jsonb_set(attributes, ARRAY[(SELECT id FROM attribute WHERE name = 'Text' AND site_id = item.site_id)], to_jsonb(?::text))
     WHERE sku = 'RTL' AND site_id = ?`,
    [LONG, shop.siteId],
  );
  await world.db.raw(
    `INSERT INTO item (site_id, sku, node_id, attributes)
     SELECT site_id, 'X-' || to_char(n, 'FM00000'), node_id,
       attributes || jsonb_build_object((SELECT id FROM attribute WHERE name = 'Title' AND site_id = item.site_id), 'Title ' || n)
     FROM item, generate_series(1, ?::integer) AS n WHERE sku = CASE WHEN n % 1000 = 0 THEN 'B' ELSE 'A' END AND site_id = ?`,
    [ITEMS, shop.siteId],
  );
}
