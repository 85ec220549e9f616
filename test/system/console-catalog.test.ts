/** Categories, attributes and exports in a real Chromium: moved and taken back, changed with a check before, downloaded. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Request } from 'playwright-core';
import { until } from '../support/until.js';
import { type ConsoleCatalog, openConsoleCatalog } from '../support/worlds/console-catalog.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

describe('the catalog in the console', function () {
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
  const menu = (name: string) => page().getByRole('link', { name, exact: true }).click();
  const branch = (name: string) => page().getByRole('row', { name, exact: true });
  const outline = async () => JSON.stringify(await catalog.shop.outline());

  it('moves a category by dragging, after it has said what that does, and takes it back', async () => {
    const before = await outline();
    await menu('Categories');
    await branch('Storage').getByRole('button', { name: 'Open or close' }).click();
    await branch('Tape').click();
    await page().getByRole('heading', { name: 'Tape' }).waitFor();
    await catalog.person.assertOpenToAll('the categories');
    await branch('Tape').dragTo(branch('Cables'));
    await page().getByText('Move “Tape”?').waitFor();
    await page().getByText('21 items stay in it and move with it.').waitFor();
    await catalog.person.assertOpenToAll('the question before a category is moved');
    await catalog.person.button('Move').click();
    await page().getByText('“Tape” is below “Cables” now').waitFor();
    await catalog.person.holdUndo();
    assert.match(await outline(), /"Cables",(?:\["HDMI"\],)?\["Tape"\]/);
    await catalog.person.button('Undo').click();
    await page().getByText('“Tape” is below “Cables” now').waitFor({ state: 'detached' });
    assert.equal(await outline(), before);
  });

  it('moves a category by keyboard alone', async () => {
    await branch('Tape').click();
    await page().getByLabel('Move to').focus();
    await page().keyboard.type('Cab');
    await page().getByRole('option', { name: 'Cables', exact: true }).waitFor();
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    await page().getByText('Move “Tape”?').waitFor();
    await page().keyboard.press('Escape');
    await page().getByText('Move “Tape”?').waitFor({ state: 'detached' });
  });

  const dialog = () => page().getByRole('dialog');
  const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const undo = async () => {
    await catalog.person.button('Undo').click();
    await page().getByText('It is as it was before').waitFor();
  };

  it('creates a category after it has said what that does, once, and takes it back', async () => {
    const before = await outline();
    const create = async () => {
      await page().getByLabel('New category below it').fill('<i>USB</i>');
      await catalog.person.button('Create').click();
      await dialog().getByText('Main tree › Cables › <i>USB</i>').waitFor();
    };
    await branch('Cables').click();
    await create();
    await dialog().getByRole('row', { name: 'Cables › <i>USB</i> Category, new Tree – main tree' }).first().waitFor();
    assert.equal(await outline(), before, 'it is a preview');
    await press('Back');
    assert.equal(await page().getByLabel('New category below it').inputValue(), '<i>USB</i>');
    await create();
    // Until its answer is there, a second press does nothing.
    const asked: Request[] = [];
    page().on('request', (request) => request.method() === 'GET' || asked.push(request));
    await dialog().getByRole('button', { name: 'Create' }).dblclick();
    await page().getByText('“<i>USB</i>” is created').waitFor();
    assert.deepEqual(
      asked.map((request) => new URL(request.url()).pathname),
      ['/api-category/v1/category/bulk/upsert'],
    );
    await branch('<i>USB</i>').waitFor();
    await undo();
    await branch('<i>USB</i>').waitFor({ state: 'detached' });
    assert.equal(await outline(), before);
    await create();
    await press('Create');
    await branch('<i>USB</i>').waitFor();
  });

  it('renames a category after it has said what that does, says why it refuses to, and takes it back', async () => {
    await branch('<i>USB</i>').click();
    await page().getByRole('heading', { name: '<i>USB</i>' }).waitFor();
    const rename = async (name: string) => {
      await page().getByLabel('Name', { exact: true }).fill(name);
      await catalog.person.button('Rename').click();
    };
    await rename('hdmi');
    await dialog().getByText('There is already a category called “hdmi” here').waitFor();
    assert.equal(await dialog().getByRole('button', { name: 'Rename' }).count(), 0);
    await press('Back');
    assert.equal(await page().getByLabel('Name', { exact: true }).inputValue(), 'hdmi');
    await rename('USB');
    await dialog().getByText('Main tree › Cables › USB').waitFor();
    assert.match(await outline(), /<i>USB/);
    await press('Rename');
    await page().getByText('“<i>USB</i>” is called “USB” now').waitFor();
    await branch('USB').waitFor();
    await catalog.person.button('Undo').click();
    await branch('<i>USB</i>').waitFor();
    await rename('USB');
    await press('Rename');
    await branch('USB').waitFor();
    const { data } = await catalog.shop.ask('GET', '/api-category/v1/category?keyword=USB');
    await catalog.shop.ask('PUT', '/api-category/v1/category', { body: { nodeId: data[0].nodeId, name: 'USB-C' } });
    await catalog.person.button('Undo').click();
    await page().getByText('Somebody else has changed it since').waitFor();
    await branch('USB-C').waitFor();
  });

  it('changes what a category is by its place now, though somebody else has renamed it meanwhile', async () => {
    await branch('USB-C').click();
    await page().getByRole('heading', { name: 'USB-C' }).waitFor();
    const { data } = await catalog.shop.ask('GET', '/api-category/v1/category?keyword=USB-C');
    await catalog.shop.ask('PUT', '/api-category/v1/category', { body: { nodeId: data[0].nodeId, name: 'USB 4' } });
    await page().getByText('Active', { exact: true }).click();
    await dialog().getByRole('row', { name: 'Cables › USB 4 Category, changed Active yes no' }).waitFor();
    await press('Write this change');
    await page().getByText('“USB 4” is not active any more').waitFor();
    await branch('USB 4').waitFor();
    assert.equal(JSON.stringify(await outline()).split('USB').length, 2, 'no other category was made of the old name');
    await undo();
    await page().getByLabel('Order number').fill('7');
    await catalog.person.button('Set the order number').click();
    await dialog().getByRole('row', { name: 'Cables › USB 4 Category, changed Place in the order 0 7' }).waitFor();
    await press('Write this change');
    await page().getByText('“USB 4” has the order number 7').waitFor();
    await undo();
    const order = page().getByLabel('Order number');
    await until('the order number is that of before', async () => (await order.inputValue()) === '0', 45_000);
  });

  it('says in the address what is looked at, so that the link shows it to somebody else', async () => {
    await page().goto('/console/production/categories');
    await branch('Storage').press('ArrowRight');
    await branch('Tape').click();
    await page().getByRole('heading', { name: 'Tape' }).waitFor();
    const shared = page().url();
    await page().goto('about:blank');
    await page().goto(shared);
    await page().getByRole('heading', { name: 'Tape' }).waitFor();
    await branch('Tape').waitFor();
    await menu('Attributes');
    await page().getByLabel('Search', { exact: true }).fill('col');
    await page().waitForURL(/attributes\?q=col$/);
    await page().getByRole('button', { name: 'All Type' }).click();
    await page().getByRole('option', { name: 'One of several options' }).click();
    await page().waitForURL(/attributes\?q=col&type=OPTIONS$/);
    const found = page().url();
    await page().goto('about:blank');
    await page().goto(found);
    await page().getByRole('button', { name: 'Colour' }).waitFor();
    assert.equal(await page().getByLabel('Search', { exact: true }).inputValue(), 'col');
    assert.equal(await page().getByRole('rowheader').count(), 1);
    // Each step is one: to the page before, to what was there without the type.
    for (let steps = 0; steps < 3; steps++) await page().goBack();
    await page().waitForURL(/attributes\?q=col$/);
  });

  it('shows attributes with where they are used, and changes one after a check', async () => {
    await menu('Attributes');
    await page().getByLabel('Search', { exact: true }).fill('col');
    await catalog.person.assertOpenToAll('the attributes');
    await page().getByRole('button', { name: 'Colour' }).click();
    await catalog.person.button('Where is it used?').click();
    await page().getByText('3 categories have it').waitFor();
    await page().getByLabel('Options, one on each line').fill('red\ngreen\nblue\nblack');
    const add = catalog.person.button('Add a name in another language');
    await add.click();
    await page().getByLabel('Language, 1').fill('german!');
    await page().getByText('This is no language. Write one such as de or fr-FR.').waitFor();
    assert.equal(await catalog.person.button('Change').isDisabled(), true);
    await page().getByLabel('Language, 1').fill('de-DE');
    await page().getByText('German (Germany)').waitFor();
    await page().getByLabel('Name in it, 1').fill('Farbe');
    for (const [nth, code, name] of [
      [2, 'fr', 'Couleur'],
      [3, 'DE-de', 'Farbton'],
    ] as const) {
      await add.click();
      await page().getByLabel(`Language, ${nth}`).fill(code);
      await page().getByLabel(`Name in it, ${nth}`).fill(name);
    }
    await page().getByText('This language is there already.').waitFor();
    await catalog.person.button('Remove: DE-de').click();
    assert.match(await page().evaluate<string>('document.activeElement.textContent'), /^Add a name/);
    await catalog.person.button('Only check').click();
    await page().getByText('This would be accepted').waitFor();
    await catalog.person.assertOpenToAll('an attribute');
    await catalog.person.button('Change').click();
    await page().getByText('It is written').waitFor();
    const { data } = await catalog.shop.ask('GET', '/api-product/v1/product/attribute?names=Colour');
    assert.deepEqual(data[0].options, ['red', 'green', 'blue', 'black']);
    assert.deepEqual(data[0].locales, [
      { locale: 'de-DE', name: 'Farbe' },
      { locale: 'fr', name: 'Couleur' },
    ]);
    await catalog.person.button('Close').click();
  });

  it('tells who changes an attribute that somebody else has saved it since, and overwrites nothing unseen', async () => {
    const colour = async () =>
      (await catalog.shop.ask('GET', '/api-product/v1/product/attribute?names=Colour')).data[0];
    const saveElsewhere = (description: string) =>
      catalog.shop.bulkAttributes([{ action: 'UPDATE', name: 'Colour', description }]);
    await page().getByRole('button', { name: 'Colour' }).click();
    await saveElsewhere('of the cover');
    await page().getByLabel('Options, one on each line').fill('red\ngreen\nblue\nblack\nwhite');
    await catalog.person.button('Change').click();
    await page().getByText('Somebody else has saved this since you opened it').waitFor();
    await catalog.person.assertOpenToAll('an attribute that somebody else has saved');
    assert.equal((await colour()).description, 'of the cover');
    await press('Show what is saved now');
    assert.equal(await page().getByLabel('Description', { exact: true }).inputValue(), 'of the cover');
    await saveElsewhere('of the back');
    await page().getByLabel('Description', { exact: true }).fill('of both');
    await catalog.person.button('Change').click();
    await press('Write mine over it');
    await page().getByText('It is written').waitFor();
    assert.equal((await colour()).description, 'of both');
    await catalog.person.button('Close').click();
  });

  it('creates an attribute, and says by row why one is refused', async () => {
    await catalog.person.button('New attribute').click();
    await page().getByLabel('Name', { exact: true }).fill('Weight');
    await page().getByRole('dialog').getByRole('button', { name: 'Text Type' }).click();
    await page().getByRole('option', { name: 'One of several options' }).click();
    await page().getByLabel('Options, one on each line').fill('same\nsame');
    await page().getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page().getByText('1 row was refused').waitFor();
    await page().getByLabel('Options, one on each line').fill('light\nheavy');
    await page().getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page().getByText('It is written').waitFor();
    await catalog.person.button('Close').click();
  });

  it('exports what a search has found, and gives the file', async () => {
    await menu('Exports');
    await page().getByText('Nothing was exported here yet').waitFor();
    await catalog.person.assertOpenToAll('no exports');
    await page().goto('/console/production/exports/new?q=Title%20777');
    await catalog.person.button('Count').click();
    await page().getByText('11 match').waitFor();
    await catalog.person.assertOpenToAll('a new export');
    await page().getByText('All columns').click();
    await page().getByLabel('Price', { exact: true }).check();
    await catalog.person.button('Write the file').click();
    await page().getByText('The file is ready: 11 rows').waitFor();
    await catalog.person.assertOpenToAll('a file that is ready');
    const waiting = page().waitForEvent('download');
    await catalog.person.button('Download').first().click();
    const text = await readFile(await (await waiting).path(), 'utf8');
    assert.match(text, /^SKU,.*Price\r?\nX-00777,.*1899\.5\r?\n/);
  });

  it('exports what a search finds, however many items that are', async () => {
    await page().goto('/console/production/exports/new?q=Title');
    await catalog.person.assertOpenToAll('an export of a search');
    await catalog.person.button('Count').click();
    const counted = page().getByText(/^[\d,]+ match$/);
    await counted.waitFor();
    const count = (await counted.allInnerTexts()).join().replace(' match', '');
    assert.ok(Number(count.replaceAll(',', '')) > 10_000, count);
    await catalog.person.button('Write the file').click();
    await page().getByText(`The file is ready: ${count} rows`).waitFor({ timeout: 60_000 });
    await page().goto('/console/production/exports');
  });

  it('exports only what has changed since an earlier export', async () => {
    await catalog.shop.bulk('update', [{ sku: 'X-00001', attributes: { Price: '1' } }]);
    await page().getByRole('link', { name: 'Changes since' }).first().click();
    await catalog.person.button('Write the file').click();
    await page().getByText('The file is ready: 1 row').waitFor();
    await page().getByRole('link', { name: 'Changes since' }).nth(2).waitFor();
    assert.equal(await page().getByRole('link', { name: 'Changes since' }).count(), 3);
    // What tells one export from another, and who has asked for it.
    await page()
      .getByRole('row', { name: /^Items.* Filter: SKU or title contains Title 777 Done 11 CSV Kim from purchasing/ })
      .waitFor();
  });

  it('shows the rows per second and the time left of an import, and asks no more than once a second', async () => {
    const { shop, world } = catalog;
    // Somebody else holds an item of each chunk but the first two: the import waits there, and again two chunks further. Which
    // chunks are begun first is not said.
    const hold = async (first: number, last: number) => {
      const held = await world.db.transaction();
      const skus = Array.from({ length: (last - first) / 500 + 1 }, (_, n) => `X-0${first + n * 500}`);
      await held.raw('SELECT 1 FROM item WHERE sku = ANY (?) AND site_id = ? FOR UPDATE', [skus, shop.siteId]);
      return held;
    };
    const locks = [await hold(1_250, 1_750), await hold(2_250, 5_750)];
    let [isAsked, most, count] = [0, 0, 0];
    const rows = Array.from({ length: 6_000 }, (_, n) => `X-${String(n + 1).padStart(5, '0')},7\n`);
    const job = await shop.upload('prices.csv', `SKU,Price\n${rows.join('')}`, { mode: 'update' });
    const isOf = (request: Request) => new URL(request.url()).pathname === `/jobs/${job}`;
    const begins = (request: Request) => {
      if (!isOf(request)) return;
      count++;
      most = Math.max(most, ++isAsked);
    };
    const ends = (request: Request) => {
      if (isOf(request)) isAsked--;
    };
    page().on('request', begins).on('requestfinished', ends).on('requestfailed', ends);
    const begun = performance.now();
    try {
      await page().goto(`/console/production/imports/${job}`);
      await page()
        .getByText(/^[\d,]+ of 6,000 rows/)
        .waitFor();
      // So long that the page can say how fast it is.
      await page().evaluate('new Promise((go) => setTimeout(go, 700))');
      await locks.shift()?.rollback();
      await page()
        .getByText(/^[\d,]+ of 6,000 rows · [\d,]+ rows per second · [\d.]+ .*left$/)
        .waitFor();
      await catalog.person.assertOpenToAll('a running import');
    } finally {
      for (const lock of locks) await lock.rollback();
    }
    await page().getByText('All rows are imported').waitFor();
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(count > 1 && count <= 4 + seconds, `${count} requests in ${seconds.toFixed(1)} seconds`);
    assert.equal(most, 1, 'one request waits at a time');
    const asked = count;
    // It has ended: nobody asks any more.
    await page().evaluate('new Promise((go) => setTimeout(go, 1_500))');
    assert.equal(count, asked);
    page().off('request', begins).off('requestfinished', ends).off('requestfailed', ends);
  });
});
