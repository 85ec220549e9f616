/** The items of a large stage in a real Chromium: found, looked at, changed in place, and taken back. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import { Shop } from '../support/http/shop.js';
import { SCROLL_TO_THE_END } from '../support/models/scroll-items.js';
import { type ConsoleCatalog, ITEMS, LONG, MARKUP, openConsoleCatalog } from '../support/worlds/console-catalog.js';
import { tabMemory } from '../support/worlds/tab-memory.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

const LAST = 'X-20000';
/** On a quiet machine it is a tenth of this; tests run beside many others. */
const MOST_BLANK_MS = 2_000;

describe('the items in the console', function () {
  this.timeout(180_000);
  let catalog: ConsoleCatalog;

  before(async function () {
    skipWithoutChromium(this);
    catalog = await openConsoleCatalog();
    catalog.person.page.setDefaultTimeout(45_000);
    await catalog.person.logIn(catalog.token);
  });
  after(() => catalog?.stop());
  afterEach(() => assert.deepEqual(catalog?.person.wrong ?? [], []));

  const page = () => catalog.person.page;
  const row = (sku: string) =>
    page()
      .getByRole('row')
      .filter({ has: page().getByRole('rowheader', { name: sku, exact: true }) });
  const open = (address: string) => page().goto(`/console/production/${address}`);
  const price = async (sku: string) => (await catalog.shop.item(sku))?.attributes.Price;

  it('shows the first of them, with values as one reads them', async () => {
    await page().getByRole('link', { name: 'Items', exact: true }).click();
    await row('X-00001').waitFor();
    assert.match(
      (await row('X-00001').textContent()) ?? '',
      /Title 1LiveStorage › Disk1,899\.512,345yes(?:4 Mar 2026|Mar 4, 2026)/,
    );
    await catalog.person.assertOpenToAll('the items');
  });

  it('goes to the last of them and back up, without all of them being there', async () => {
    await catalog.person.button('To the end').click();
    await row(LAST).waitFor();
    for (const sku of ['X-19890', 'X-19790', 'X-19690']) {
      await page().waitForFunction(SCROLL_UP, sku);
    }
    assert.ok((await page().getByRole('row').count()) < 120, 'only the rows that are seen exist');
  });

  it('reaches the last row by scrolling alone, and never shows a blank for long', async () => {
    await open('items?from=X-19000');
    await row('X-19000').waitFor();
    const longest = await page().evaluate<number>(SCROLL_TO_THE_END);
    assert.ok(longest < MOST_BLANK_MS, `a blank of ${longest} ms`);
    await row(LAST).waitFor();
  });

  it('goes to a SKU, and shows what is before it', async () => {
    await page().getByLabel('Go to SKU').fill('X-10000');
    await catalog.person.button('Go').click();
    await row('X-10000').waitFor();
    assert.match(page().url(), /from=X-10000/);
    assert.match((await row('X-10000').textContent()) ?? '', /Tape/);
    await catalog.person.picture('console-items');
  });

  it('searches in SKUs and titles, and finds SKUs that begin so at once', async () => {
    await open('items');
    await page().getByLabel('Search in SKU and title').fill('X-1999');
    await page().getByText('SKU begins with it').waitFor();
    await row('X-19999').waitFor();
    await page().getByLabel('Search in SKU and title').fill('title 777');
    await row('X-00777').waitFor();
    await page().getByText('X-00001').waitFor({ state: 'detached' });
    assert.match(page().url(), /q=title/);
    await page().getByLabel('Search in SKU and title').fill('nothing like this');
    await page().getByText('No item is like this').waitFor({ timeout: 30_000 });
    await catalog.person.assertOpenToAll('a search that finds nothing');
  });

  it('filters by the conditions of exports, all of which are in the address, and counts', async () => {
    await open('items');
    await catalog.person.button('Add a condition').click();
    await page().getByLabel('Attribute', { exact: true }).fill('Pri');
    await page().getByRole('option', { name: 'Price' }).click();
    await page()
      .getByRole('button', { name: /^is Condition|Condition/ })
      .click();
    await page().getByRole('option', { name: 'is at least' }).click();
    await page().getByLabel('Value', { exact: true }).fill('1,899.5');
    await catalog.person.assertOpenToAll('the condition');
    await catalog.person.button('Add').click();
    await page().getByText('Price is at least 1,899.5').waitFor();
    await catalog.person.button('Count').click();
    await page().getByText('19,981 items').waitFor();
    const shared = page().url();
    await page().goto('about:blank');
    await page().goto(shared);
    await page().getByText('Price is at least 1,899.5').waitFor();
    await catalog.person.button('Remove: Price is at least 1,899.5').click();
    await catalog.person.button('Count').click();
    await page()
      .getByText(`${(ITEMS + 4).toLocaleString('en')} items`)
      .waitFor();
  });

  it('changes values in place, after it has shown what would change, and takes it back', async () => {
    await open('items?from=X-00100');
    await row('X-00100').waitFor();
    await catalog.person.button('Edit').click();
    await page().getByLabel('Price of X-00100').fill('2,000.75');
    await page().getByLabel('Colour of X-00100').selectOption('blue');
    await page().getByLabel('Price of X-00101').fill('cheap');
    await page().getByText('1 value is missing or not a number').waitFor();
    await page().getByLabel('Price of X-00101').fill('7');
    await page().getByText('3 changes in 2 items').waitFor();
    await catalog.person.assertOpenToAll('the fields');
    await catalog.person.button('See what would change').click();
    await page().getByRole('heading', { name: 'The first differences' }).waitFor();
    assert.equal(await price('X-00100'), '1899.5');
    await catalog.person.assertOpenToAll('what would change');
    await catalog.person.button('Write these changes').click();
    await page().getByText('2 items were changed').waitFor();
    await catalog.person.holdUndo();
    assert.equal(await price('X-00100'), '2000.75');
    await catalog.person.button('Undo').click();
    await page().getByText('It is as it was before').waitFor();
    assert.equal(await price('X-00100'), '1899.5');
    await catalog.person.button('Close').click();
    assert.equal(await page().getByLabel('Price of X-00100').inputValue(), '1899.5');
  });

  it('tells what somebody else has changed meanwhile, and overwrites nothing silently', async () => {
    await page().getByLabel('Price of X-00102').fill('5');
    await catalog.shop.bulk('update', [{ sku: 'X-00102', attributes: { Price: '6' } }]);
    await catalog.person.button('See what would change').click();
    await page().getByText('Somebody else has changed this meanwhile').first().waitFor();
    await catalog.person.assertOpenToAll('what somebody else has changed');
    assert.equal(await catalog.person.button('Go on').isDisabled(), true);
    await catalog.person.button('Write mine').click();
    await catalog.person.button('Go on').click();
    await catalog.person.button('Write these changes').click();
    await page().getByText('1 item was changed').waitFor();
    assert.equal(await price('X-00102'), '5');
    await catalog.person.button('Close').click();
  });

  it('loses nothing that was typed when the session ends', async () => {
    await page().getByLabel('Price of X-00103').fill('8');
    await page().context().clearCookies();
    await catalog.person.button('See what would change').click();
    await page().getByText('Your session has ended').waitFor();
    await page().getByLabel('Token or code').fill(catalog.token);
    await catalog.person.button('Log in').click();
    await catalog.person.button('Write these changes').click();
    await page().getByText('1 item was changed').waitFor();
    assert.equal(await price('X-00103'), '8');
    await catalog.person.button('Close').click();
  });

  it('shows one item with its history, and sets a change back', async () => {
    await open('items/item?sku=X-00102');
    await page().getByRole('heading', { name: 'Title 102' }).waitFor();
    await page().getByText('History').waitFor();
    await catalog.person.assertOpenToAll('an item');
    await catalog.person.picture('console-item');
    await page()
      .getByRole('button', { name: /^Set back these values: Changed / })
      .first()
      .click();
    await page().getByText('1 change in 1 item').waitFor();
    await catalog.person.button('See what would change').click();
    await catalog.person.button('Write these changes').click();
    await page().getByText('1 item was changed').waitFor();
    assert.equal(await price('X-00102'), '6');
  });

  it('shows in the history what was said when a change was approved', async () => {
    const { shop, world } = catalog;
    const rows = [{ sku: 'X-00104', attributes: { Price: '9' } }];
    const { jobId } = (await shop.bulk('update', rows, { query: 'requireApproval=true' })).body;
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Robin' });
    const robin = new Shop(world.api, shop.account, token, shop.siteId);
    const note = `as agreed ${MARKUP}`;
    await robin.post(`/jobs/${jobId}/actions/approve`, { note }, { headers: { prefer: 'wait=20' } });
    await open('items/item?sku=X-00104');
    await page().locator('.history-entry', { hasText: 'Approved' }).getByText(note).waitFor();
  });

  it('finds what was changed since a day, which is in the address', async () => {
    const longAgo =
      "UPDATE item SET updated_at = updated_at - interval '40 days' WHERE site_id = ? AND sku NOT IN ('X-00102', 'X-00103')";
    await catalog.world.db.raw(longAgo, [catalog.shop.siteId]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await open('items');
    await page().getByLabel('Changed since', { exact: true }).fill(yesterday);
    await row('X-00102').waitFor();
    await row('X-00001').waitFor({ state: 'detached' });
    assert.equal(await page().locator('.item-row').count(), 2);
    assert.equal(new URL(page().url()).searchParams.get('changed'), yesterday);
    await page()
      .getByRole('button', { name: /^Remove: changed since/ })
      .click();
    await row('X-00001').waitFor();
  });

  it('needs little memory for all that was shown', async () => {
    const used = await tabMemory(page());
    assert.ok(used < 300_000_000, `the tab needs ${used} bytes`);
  });

  it('shows markup, directions and very long texts as text', async () => {
    await open('items?from=%3Cb%3Emarkup%3C%2Fb%3E');
    await page().getByText(MARKUP).first().waitFor();
    await open(`items/item?sku=${encodeURIComponent('<b>markup</b>')}`);
    await page().getByRole('heading', { name: MARKUP }).waitFor();
    assert.equal(await page().locator('main img, main b').count(), 0);
    await open('items/item?sku=RTL');
    await page()
      .getByRole('button', { name: /^Show all/ })
      .click();
    assert.equal((await page().locator('.long-text').last().textContent())?.length, LONG.length);
    await catalog.person.assertOpenToAll('a very long text');
  });

  it('shows an item whose SKU has commas and backslashes', async () => {
    const skus = ['one, two', 'three\\,'];
    await catalog.shop.bulk(
      'insert',
      skus.map((sku) => ({ sku, nodeName: 'Storage->Disk' })),
    );
    for (const sku of skus) {
      await open(`items/item?sku=${encodeURIComponent(sku)}`);
      await page().getByRole('heading', { name: sku, exact: true }).waitFor();
      await catalog.person.button('Edit').waitFor();
    }
  });
});

/** Goes up as far as there are rows, until one of those is there. */
const SCROLL_UP = `(sku) => {
  document.querySelector('.item-scroll').scrollTop -= 1500;
  return [...document.querySelectorAll('.item-row')].some((row) => row.textContent < sku);
}`;
