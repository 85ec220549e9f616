/** Files that are the whole truth, in the console in a real Chromium: what they lack is counted, listed, stopped by the brake, and brought back. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** More than the page shows of them at first. */
const ITEMS = 140;
const ALL = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 } as const;

describe('files that are the whole truth, in the console', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder', chunkRows: 50 });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', 'State'],
      categories: { Shelf: ['Title', 'State'] },
      mapping: { title: 'Title' },
    });
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
  beforeEach(async () => {
    const skus = Array.from({ length: ITEMS }, (_, n) => skuOf(n));
    const rows = skus.map((sku) => ({ sku, nodeName: 'Shelf', attributes: { Title: `title of ${sku}` } }));
    assert.deepEqual((await shop.bulk('upsert', rows)).body.failed, []);
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const skuOf = (n: number) => `S-${String(n).padStart(3, '0')}`;
  const page = () => person.page;
  const text = (what: string | RegExp) => page().getByText(what).first().waitFor();
  const mainText = async () => (await page().getByRole('main').allInnerTexts()).join();
  const count = async () => (await shop.ask('GET', '/api-product/v1/product?limit=1')).count;
  /** The first items as they are, and no others. */
  const first = (items: number) =>
    `SKU,Category Node,Title\n${Array.from({ length: items }, (_, n) => `${skuOf(n)},Shelf,title of ${skuOf(n)}\n`).join('')}`;
  const open = async (content: string, options: Readonly<Record<string, unknown>>) => {
    const job = await shop.upload('all.csv', content, options);
    const ended = async () => (await shop.ask('GET', `/jobs/${job}`)).completedAt !== null;
    const waits = async () => (await shop.ask('GET', `/jobs/${job}`)).status === 'AWAITING_APPROVAL';
    await until('the job has ended or waits', async () => (await ended()) || (await waits()), 20_000);
    await page().goto(`/console/production/imports/${job}`);
    return job;
  };

  it('say what they have deleted although no row has changed anything, list it, and are undone', async () => {
    await open(first(20), { snapshot: ALL });
    await text('All rows are imported');
    assert.match(await mainText(), /Unchanged\s+20[\s\S]*Failed\s+0[\s\S]*Deleted\s+120/);
    assert.doesNotMatch(await mainText(), /Nothing has changed/);
    await page().getByRole('heading', { name: '120 items that the file lacks were deleted' }).waitFor();
    await page().locator('.removed-items').getByText('S-020', { exact: true }).waitFor();
    await person.button('Show more of them').click();
    await page().locator('.removed-items').getByText('S-139', { exact: true }).waitFor();
    await person.assertOpenToAll('an import that has deleted items');
    assert.equal(await count(), 20);
    await person.button('Undo').click();
    await text('120 items are created again');
    await page().getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await text('It is taken back');
    assert.equal(await count(), ITEMS);
  });

  it('say why the brake has stopped them, and what to do, and offer no retry that would do nothing', async () => {
    const job = await open(first(100), {
      snapshot: { ...ALL, maxMissingPercent: 5, maxMissing: 30, minRows: 120 },
    });
    await text('The rows are imported, and nothing was removed: the brake has stopped it');
    await text(
      'The file lacks 40 items of 140. That is more than 5 percent. That is more than 30. The file has 100 rows: fewer than 120.',
    );
    await text(/send the whole file again/);
    assert.equal(await person.button('Try all again').count(), 0);
    assert.equal(await count(), ITEMS);
    await person.assertOpenToAll('an import that the brake has stopped');
    await page().getByRole('link', { name: 'All imports' }).click();
    await page()
      .locator('tr', { has: page().locator(`a[href$="${job}"]`) })
      .getByText('Nothing removed')
      .waitFor();
  });

  it('say so where nothing at all was written', async () => {
    await open(first(100), { snapshot: { ...ALL, maxMissingPercent: 5 }, onError: 'abort' });
    await text('Nothing was written at all: the brake has stopped it');
    await text(/The file lacks 40 items of 140\. That is more than 5 percent\./);
  });

  it('list what would go before somebody approves it, and what is approved is deleted', async () => {
    await open(first(130), { snapshot: { ...ALL, maxMissingPercent: 5 }, requireApproval: true });
    await text('The brake would stop the removal of what the file lacks: an approval releases it');
    await text('The file lacks 10 items of 140. That is more than 5 percent.');
    assert.match(await mainText(), /Would be deleted\s+10/);
    await page().getByRole('heading', { name: '10 items that the file lacks would be deleted' }).waitFor();
    await page().locator('.removed-items').getByText('S-139', { exact: true }).waitFor();
    await person.assertOpenToAll('an approval of a removal');
    await person.button('Approve and import').click();
    await page().getByRole('heading', { name: '10 items that the file lacks were deleted' }).waitFor();
    assert.equal(await count(), 130);
  });

  it('say that a newer file has ended the waiting for what an older one would remove', async () => {
    await open(first(120), { snapshot: { ...ALL, maxMissingPercent: 5, onBrake: 'approve' } });
    await text('The rows are imported, and the brake has stopped the removal of what the file lacks');
    const old = new URL(page().url()).pathname;
    await open(first(130), { snapshot: ALL });
    await page().getByRole('heading', { name: '10 items that the file lacks were deleted' }).waitFor();
    await page().goto(old);
    await text('The rows are imported, and nothing was removed: a newer file of the same scope says what is to go');
    assert.match(await mainText(), /superseded by job \w+, which is newer/);
    assert.equal(await count(), 130);
  });

  it('list what a dry run would give a value, and what the import has given one', async () => {
    const snapshot = { ...ALL, missing: { set: { attribute: 'State', value: 'gone' } } };
    await open(first(138), { snapshot, validateOnly: true });
    await page().getByRole('heading', { name: '2 items that the file lacks would get a value' }).waitFor();
    assert.match(await mainText(), /Would get a value\s+2/);
    await page().locator('.removed-items').getByRole('link', { name: 'S-138' }).waitFor();
    await open(first(138), { snapshot });
    await text('All rows are imported');
    await page().getByRole('heading', { name: '2 items that the file lacks were given a value' }).waitFor();
    await person.button('Undo').waitFor();
    assert.deepEqual((await shop.values('State'))['S-139'], 'gone');
  });
});
