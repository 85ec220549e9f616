/** Saved views and exports, and the relations of an item, in a real Chromium. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const NAME = '<b>Drafts</b> of Kim';

describe('saved views and what belongs to an item, in the console', function () {
  this.timeout(180_000);
  // Each step goes on where the one before has ended.
  this.bail(true);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await fill(shop);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const page = () => person.page;
  const views = async () => (await shop.ask('GET', '/views')).data;

  it('keep filters and columns under a name, and show them again with one click', async () => {
    await page().goto('/console/production/items?status=DRAFT&show=%5B%22Title%22%2C%22Colour%22%5D');
    await page().getByRole('link', { name: 'DRAFT-1', exact: true }).waitFor();
    await person.button('Save this view').click();
    await page().getByLabel('Name', { exact: true }).fill(NAME);
    await page().getByText('Share it with everybody').click();
    await person.assertOpenToAll('the dialog that saves a view');
    await page().getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page().getByRole('link', { name: NAME }).waitFor();
    const [saved] = await views();
    assert.deepEqual(saved.content, { status: 'DRAFT', show: ['Title', 'Colour'] });
    assert.deepEqual([saved.own, saved.shared, saved.ownerName], [false, true, 'Kim']);
    await page().goto('/console/production/items');
    await page().getByRole('link', { name: 'SHIRT', exact: true }).waitFor();
    await page().getByRole('link', { name: NAME }).click();
    await page().waitForURL(/status=DRAFT/);
    await page().getByRole('link', { name: 'SHIRT', exact: true }).waitFor({ state: 'detached' });
    await person.assertOpenToAll('the items with their views');
  });

  it('are no longer shared, deleted, and got back', async () => {
    await person.button('All views').click();
    await person.button(`Stop sharing “${NAME}”`).click();
    await person.button(`Share “${NAME}”`).waitFor();
    assert.deepEqual(await views(), []);
    await person.button(`Share “${NAME}”`).click();
    await person.button(`Stop sharing “${NAME}”`).waitFor();
    await person.assertOpenToAll('all views');
    await person.button(`Delete “${NAME}”`).click();
    await page().getByText(`“${NAME}” is deleted`).waitFor();
    assert.deepEqual(await views(), []);
    await person.button('Undo').click();
    await person.button(`Delete “${NAME}”`).waitFor();
    assert.equal((await views()).length, 1);
    await person.button('Close').click();
  });

  it('are exports as well, which are written again with one click, also only what has changed', async () => {
    await page().goto('/console/production/exports/new?status=LIVE');
    await page().getByText('All columns').click();
    await page().getByLabel('Colour', { exact: true }).check();
    await person.button('Save this export').click();
    await page().getByLabel('Name', { exact: true }).fill('For the shop');
    await page().getByText('Each time only what has changed').click();
    await person.assertOpenToAll('the dialog that saves an export');
    await page().getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page().getByText('“For the shop” is saved').waitFor();
    await page().getByRole('link', { name: 'Exports', exact: true }).click();
    await person.button('Write the file: For the shop').click();
    await page().getByText('The file is ready: 4 rows').waitFor();
    await person.assertOpenToAll('the saved exports');
    await shop.bulk('update', [{ sku: 'SHIRT-M', attributes: { Colour: 'green' } }]);
    await person.button('Write the file: For the shop').click();
    await page().getByText('The file is ready: 1 row').waitFor();
    const waiting = page().waitForEvent('download');
    await person.button('Download').first().click();
    const text = await readFile(await (await waiting).path(), 'utf8');
    assert.match(text, /SHIRT-M[\s\S]*green/);
    assert.doesNotMatch(text, /SHIRT-L/);
  });

  it('open with what they keep, and are changed', async () => {
    await page().getByRole('link', { name: 'Open: For the shop' }).click();
    await page().getByRole('listitem').filter({ hasText: 'Live' }).first().waitFor();
    assert.equal(await page().getByLabel('Colour', { exact: true }).isChecked(), true);
    await page().getByText('Excel', { exact: true }).click();
    await person.button('Save this export').click();
    await page().getByText('You have one of this name already').waitFor();
    await page().getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page().getByRole('dialog').waitFor({ state: 'hidden' });
    await page().getByText('“For the shop” is saved').waitFor();
    await page().getByRole('link', { name: 'Exports', exact: true }).click();
    await page()
      .getByRole('row', { name: /For the shop.*XLSX/ })
      .waitFor();
  });

  it('say what each was asked for, and open the form with all of it', async () => {
    await page()
      .getByRole('link', { name: /^Items/ })
      .last()
      .click();
    const asked = page().getByRole('main').getByRole('region').filter({ hasText: 'The file is ready' });
    await page().getByText('Filter: Status is live').first().waitFor();
    await page().getByText('Columns: SKU, Category, Colour').waitFor();
    await page().getByRole('link', { name: 'Use again' }).last().click();
    await page().getByRole('listitem').filter({ hasText: 'Live' }).first().waitFor();
    assert.equal(await page().getByLabel('Colour', { exact: true }).isChecked(), true);
    assert.equal(await page().getByLabel('Size', { exact: true }).isChecked(), false);
    assert.equal(await asked.count(), 0);
  });

  it('tells exports of one kind apart, and asks for the same channel and time again', async () => {
    const context = { channel: 3, date: '2100-01-31T12:00:00.000Z' };
    const body = { match: { status: 'LIVE' } };
    const asked = await shop.call('POST', '/jobs/product/actions/filter-export', { body, context });
    await page().goto('/console/production/exports');
    const again = page().getByRole('link', { name: /^Use again: Items, / });
    await again.nth(1).waitFor();
    const names = await page().evaluate<string[]>(
      `[...document.querySelectorAll('a[aria-label^="Use again: "]')].map((link) => link.ariaLabel)`,
    );
    assert.equal(new Set(names).size, await again.count(), JSON.stringify(names));
    await page()
      .getByRole('row', { name: /^Items.* Filter: Status is live/ })
      .first()
      .getByRole('link', { name: /^Use again/ })
      .click();
    await page().getByRole('switch', { name: 'Only what channel 3 shows' }).waitFor();
    await page()
      .getByRole('switch', { name: /^Only what was changed up to Jan 31, 2100/ })
      .waitFor();
    await person.assertOpenToAll('an export for a channel and a time');
    await person.button('Write the file').click();
    // The form has the same words as the export.
    await page().waitForURL(/\/exports\?job=/);
    await page().getByText('Only what channel 3 shows').waitFor();
    await page()
      .getByText(/^Only what was changed up to Jan 31, 2100/)
      .waitFor();
    const { data } = await shop.ask('GET', '/jobs/product?type=ITEM_EXPORT');
    assert.notEqual(data[0].id, asked.body.jobId);
    assert.deepEqual(data[0].request, { ...body, ...context });
  });

  it('keep since when changes are wanted, and what was chosen, when the filter is changed', async () => {
    await page().goto('/console/production/exports');
    await page().getByRole('link', { name: 'Changes since' }).first().click();
    await page().getByText('Excel', { exact: true }).click();
    await page().getByRole('button', { name: 'All Status' }).click();
    await page().getByRole('option', { name: 'Live', exact: true }).click();
    await page().getByRole('listitem').filter({ hasText: 'Live' }).first().waitFor();
    assert.equal(
      await page()
        .getByRole('radio', { name: /^Excel/ })
        .isChecked(),
      true,
    );
    await person.button('Write the file').click();
    await page().getByText('The file is ready: 0 rows').waitFor();
    await page().getByText('Only what changed since an earlier export').waitFor();
    await person.assertOpenToAll('an export with what it was asked for');
  });

  it('shows the variants of an item and what tells them apart, its sets, categories and pictures', async () => {
    await page().goto('/console/production/items/item?sku=SHIRT');
    await page().getByText('They differ in Size and Colour.').waitFor();
    await page()
      .getByRole('row', { name: /SHIRT-L L red/ })
      .waitFor();
    await person.assertOpenToAll('an item with variants');
    await page().getByRole('link', { name: 'SHIRT-M', exact: true }).click();
    await page().getByRole('heading', { name: 'Variants of SHIRT' }).waitFor();
    await page().getByText('this one').waitFor();
    await page().getByRole('heading', { name: 'Bundles that contain it' }).waitFor();
    await page().getByRole('link', { name: 'OUTFIT', exact: true }).waitFor();
    await page().getByRole('link', { name: 'Summer › Sale' }).waitFor();
    const picture = page().getByRole('link', { name: 'blue shirt.jpg (img.example.com)' });
    assert.equal(await picture.first().getAttribute('href'), 'https://img.example.com/a/blue%20shirt.jpg');
    await person.assertOpenToAll('a variant');
  });

  it('has asked no other host for anything', () => {
    const others = browser.asked.filter(
      (address) => !/^(?:data|blob):/.test(address) && !address.startsWith(world.api.url),
    );
    assert.deepEqual(others, []);
  });
});

async function fill(shop: Shop): Promise<void> {
  const options = { type: 'OPTIONS', optionsType: 'TEXT' };
  await shop.define({
    attributes: [
      'Title',
      { name: 'Size', ...options, options: ['M', 'L'] },
      { name: 'Colour', ...options, options: ['red', 'green', 'blue'] },
      { name: 'Picture', type: 'URL' },
    ],
    categories: { Clothes: ['Title!', 'Size', 'Colour', 'Picture'] },
    mapping: { title: 'Title' },
  });
  const root = await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Summer', type: 'ALTERNATE' } });
  await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Sale', parentId: root.id } });
  const item = (sku: string, attributes: object, more: object = {}) => ({
    sku,
    nodeName: 'Clothes',
    attributes,
    ...more,
  });
  const variant = { parentSku: 'SHIRT' };
  const picture = { Picture: 'https://img.example.com/a/blue%20shirt.jpg' };
  const rows = [
    item('SHIRT', { Title: 'Shirt' }),
    item(
      'SHIRT-M',
      { Title: 'Shirt M', Size: 'M', Colour: 'blue', ...picture },
      { ...variant, alternateCategories: ['Summer->Sale'] },
    ),
    item('SHIRT-L', { Title: 'Shirt L', Size: 'L', Colour: 'red' }, variant),
    item('CAP', { Title: 'Cap' }),
    item('DRAFT-1', {}),
    item(
      'OUTFIT',
      { Title: 'Outfit' },
      {
        type: 'BUNDLE',
        bundleItems: [
          { sku: 'SHIRT-M', quantity: 1 },
          { sku: 'CAP', quantity: 2 },
        ],
      },
    ),
  ];
  const { failed } = (await shop.bulk('insert', rows)).body;
  if (failed.length > 0) throw new Error(JSON.stringify(failed).slice(0, 500));
}
