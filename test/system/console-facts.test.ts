/** What the console says of who did what and how, of what waits for whom, and of errors that are too many: it is true. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Cell } from '../../src/domain/formats/xlsx/cell.js';
import type { Shop } from '../support/http/shop.js';
import { exportStage, importStage } from '../support/http/stages.js';
import { workbookOf } from '../support/models/written-workbook.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** More errors than the page loads. */
const MANY = 10_200;

describe('the facts that the console shows', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let kim: { readonly id: string; readonly token: string };
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    await world.db('account').where({ id: shop.account }).update({ name: 'Müller & Söhne' });
    kim = await createToken(world.db, { accountId: shop.account, name: 'Kim from purchasing' });
    await world
      .db('access_token')
      .where({ account_id: shop.account })
      .whereNot({ id: kim.id })
      .update({ name: 'Robin' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(30_000);
    await person.logIn(kim.token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const page = () => person.page;
  const text = (what: string | RegExp) => page().getByText(what).first().waitFor();
  const csv = (...rows: string[]) => `SKU,Category Node,Title,Price\n${rows.join('\n')}\n`;
  const stateOf = async (job: string) => (await shop.ask('GET', `/jobs/${job}`)).status;
  const waiting = async (content: string) => {
    const job = await shop.upload('ask.csv', content, { requireApproval: true });
    await until('it waits', async () => (await stateOf(job)) === 'AWAITING_APPROVAL', 20_000);
    return job;
  };
  /** Sent by Kim instead of the shop. */
  const asKim = (job: string) =>
    world
      .db('job')
      .where({ id: job })
      .update({ actor: `token:${kim.id}` });

  it('name the account beside the stage', async () => {
    await page().locator('.bar').getByText('Müller & Söhne').waitFor();
    await person.assertOpenToAll('the bar with the name of the account');
  });

  it('say who has changed an item, and who has approved it', async () => {
    const job = await waiting(csv('A-1,Disk,One,1'));
    await page().goto(`/console/production/imports/${job}`);
    await person.button('Approve and import').click();
    await text('All rows are imported');
    await page().goto('/console/production/items/item?sku=A-1');
    await text(/by .?Robin/);
    await text(/Approved by .?Kim from purchasing/);
  });

  it('say in the list and on the page of an import how it was asked for', async () => {
    const { id } = await shop.importFile('how.csv', csv('A-1,Disk,Two,2'), { mode: 'update', onError: 'abort' });
    await page().goto('/console/production/imports');
    const row = page().locator('tr', { has: page().locator(`a[href$="${id}"]`) });
    await row.getByText('Items · existing items only · all rows or none · CSV').waitFor();
    await page().goto(`/console/production/imports/${id}`);
    await text('existing items only · all rows or none · CSV');
  });

  it('count imports that have failed as many as they are, and show approvals to those who may give them', async () => {
    for (let n = 0; n < 7; n++) await shop.importFile(`${n}.csv`, csv(`F-${n},Disk,x,1`));
    await world
      .db('job')
      .where({ site_id: shop.siteId })
      .whereRaw("input_file_id IN (SELECT id FROM file WHERE name ~ '^[0-9].csv$')")
      .update({ status: 'FAILED' });
    const own = await waiting(csv('O-1,Disk,own,1'));
    await asKim(own);
    await page().goto('/console/production/overview');
    await page().getByRole('heading', { name: '7 imports have failed as a whole in the last 7 days' }).waitFor();
    assert.equal(
      await page()
        .getByRole('heading', { name: /approval/ })
        .count(),
      0,
      'nobody approves what they have sent',
    );
    const other = await waiting(csv('O-2,Disk,other,1'));
    await page().reload();
    await page().getByRole('heading', { name: '1 import needs approval' }).waitFor();
    assert.equal(await page().locator('.waiting').locator(`a[href$="${other}"]`).count(), 1);
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    await page().reload();
    await page().getByRole('heading', { name: '2 imports need approval' }).waitFor();
    for (const job of [own, other]) await shop.ask('POST', `/jobs/${job}/actions/cancel`);
  });

  it('import the error file of a workbook or of JSON at once, as the import was asked for', async () => {
    const workbook = await workbookOf(
      ['SKU', 'Category Node', 'Title', 'Price'],
      [
        ['W-1', 'Disk', 'one', 'many'],
        ['W-2', 'Disk', 'two', '2'],
      ],
    );
    const json = JSON.stringify([{ SKU: 'J-1', 'Category Node': 'Disk', Title: 'one', Price: 'many' }]);
    for (const [name, content] of [
      ['items.xlsx', workbook],
      ['items.json', Buffer.from(json)],
    ] as const) {
      const first = await shop.importFile(name, content, { mode: 'insert' });
      assert.equal(first.failed, 1, name);
      const { bytes, name: errorName } = await shop.download(first.errorFile ?? '');
      await page().goto('/console/production/imports/new');
      await person.drop({ name: errorName, bytes });
      await page().getByRole('heading', { name: '1 row failed' }).waitFor();
      const again = page().url().split('/').at(-1) ?? '';
      const { options } = await shop.ask('GET', `/jobs/${again}`);
      assert.deepEqual([options.retryOf, options.mode], [first.id, 'insert'], name);
    }
  });

  it('correct the failed rows of compressed files and of XML in the grid, and send the rest as it was', async () => {
    const header = ['SKU', 'Category Node', 'Title', 'Price'];
    const columns = header.map((name) => ({ to: name, from: name }));
    const latin = { fileType: 'ITEM_IMPORT', format: { encoding: 'windows-1252' }, columns };
    const paths = { SKU: 'sku', 'Category Node': 'category', Title: 'name/de', Price: 'price' };
    const nested = {
      ...{ fileType: 'ITEM_IMPORT', format: { rowPath: 'shop/item' } },
      columns: Object.entries(paths).map(([to, from]) => ({ to, from })),
    };
    const lines = (letter: string) => csv(`${letter}-1,Disk,Möbel,many`, `${letter}-2,Disk,"Ö; ""x""",few`);
    const elements = (letter: string) =>
      [1, 2].map((n) => ({ sku: `${letter}-${n}`, nodeName: 'Disk', attributes: { Title: 'Möbel', Price: 'many' } }));
    const item = (sku: string) =>
      `<item><sku>${sku}</sku><category>Disk</category><name><de>Möbel &amp; &lt;b&gt;</de></name><price>many</price></item>`;
    const xml = (letter: string) => `<shop>${item(`${letter}-1`)}${item(`${letter}-2`)}</shop>`;
    const sheet = await workbookOf(header, [
      ['GX-1', 'Disk', 'Möbel', 'many'],
      ['GX-2', 'Disk', 'Möbel', 'few'],
    ]);
    for (const [letter, name, bytes, options, titles] of [
      ['GC', 'a.csv.gz', gzipSync(lines('GC')), {}, ['Möbel', 'Ö; "x"']],
      ['GL', 'b.csv.gz', gzipSync(Buffer.from(lines('GL'), 'latin1')), { profile: latin }, ['Möbel', 'Ö; "x"']],
      ['GJ', 'c.json.gz', gzipSync(JSON.stringify(elements('GJ'))), {}, ['Möbel', 'Möbel']],
      ['GX', 'd.xlsx.gz', gzipSync(sheet), {}, ['Möbel', 'Möbel']],
      ['GM', 'e.xml', Buffer.from(xml('GM')), { profile: nested }, ['Möbel & <b>', 'Möbel & <b>']],
      ['GN', 'f.xml.gz', gzipSync(xml('GN')), { profile: nested }, ['Möbel & <b>', 'Möbel & <b>']],
    ] as const) {
      const first = await shop.importFile(name, bytes, { ...options, mode: 'upsert' });
      assert.equal(first.failed, 2, name);
      await page().goto(`/console/production/imports/${first.id}`);
      const price = page().getByLabel(/(?:^|\.)price, row \d+$/i);
      await price.first().waitFor();
      assert.deepEqual([await price.count(), await price.first().inputValue()], [2, 'many'], name);
      await price.first().fill('5.5');
      await price.nth(1).fill('6.5');
      await person.button('Send 2 rows again').click();
      await text('All rows are imported');
      const { options: sent } = await shop.ask('GET', `/jobs/${page().url().split('/').at(-1)}`);
      assert.equal(sent.retryOf, first.id, name);
      for (const [n, title] of titles.entries()) {
        const values = (await shop.item(`${letter}-${n + 1}`))?.attributes;
        assert.deepEqual(values, { Title: title, Price: n === 0 ? '5.5' : '6.5' }, name);
      }
    }
  });

  it('import the error file of a compressed file at once, when it is dropped', async () => {
    const first = await shop.importFile('dropped.csv.gz', gzipSync(csv('D-1,Disk,one,many')), { mode: 'insert' });
    const { bytes, name } = await shop.download(first.errorFile ?? '');
    await page().goto('/console/production/imports/new');
    await person.drop({ name, bytes });
    await page().getByRole('heading', { name: '1 row failed' }).waitFor();
    const { options } = await shop.ask('GET', `/jobs/${page().url().split('/').at(-1)}`);
    assert.deepEqual([options.retryOf, options.mode], [first.id, 'insert']);
  });

  it('correct the failed rows of a workbook in the grid, with a profile and without one', async () => {
    const header = ['SKU', 'Category Node', 'Title', 'Price'];
    const rowsOf = (letter: string): Cell[][] => [
      [`${letter}-0`, 'Disk', 'good', 1],
      [`${letter}-1`, 'Disk', 'one', 'many'],
      [`${letter}-2`, 'Nowhere', '2.50 <b>', 12.5],
      [`${letter}-3`, 'Disk', 'three', 'few'],
    ];
    const titles: Cell[][] = [['Price list', 2024], []];
    const steps = [{ step: 'number', decimal: ',', thousands: '.' }];
    const profile = {
      ...{ fileType: 'ITEM_IMPORT', format: { headerRow: 3 } },
      columns: header.map((name) => ({ to: name, from: name, ...(name === 'Price' ? { steps } : {}) })),
    };
    for (const [letter, options, above, typed] of [
      ['X', {}, [], '5.5'],
      ['Y', { profile }, titles, '1.005,5'],
    ] as const) {
      const workbook = await workbookOf(header, rowsOf(letter), { above });
      const first = await shop.importFile(`${letter}.xlsx`, workbook, { ...options, mode: 'upsert' });
      assert.equal(first.failed, 3, letter);
      const [one, two, three] = first.errors.map(({ row }) => row);
      await page().goto(`/console/production/imports/${first.id}`);
      assert.equal(await page().getByLabel(`SKU, row ${one}`).inputValue(), `${letter}-1`);
      await page().getByLabel(`Price, row ${one}`).fill(typed);
      await page().getByLabel(`Category Node, row ${two}`).fill('Disk');
      assert.equal(await page().getByLabel(`Price, row ${two}`).inputValue(), '12.5');
      await page().getByLabel(`Price, row ${two}`).fill('13.75');
      await person.button(`Leave out row ${three}`).click();
      await text('2 of 3 values corrected');
      await person.assertOpenToAll('failed rows of a workbook');
      await person.button('Send 2 rows again').click();
      await text('All rows are imported');
      const valuesOf = async (n: number) => (await shop.item(`${letter}-${n}`))?.attributes;
      assert.equal((await valuesOf(1))?.Price, letter === 'X' ? '5.5' : '1005.5');
      assert.deepEqual(await valuesOf(2), { Title: '2.50 <b>', Price: '13.75' });
      assert.equal(await valuesOf(3), undefined);
    }
  });

  it('correct the failed rows of JSON in the grid, and change nothing else of them', async () => {
    const element = (sku: string, category: string, price: string) =>
      `{"sku":"${sku}","nodeName":"${category}","attributes":{"Title":"one","Price":${price}}}`;
    // A program that reads the number and writes it again would change it.
    const long = '9007199254740993.5';
    const rows = [element('K-1', 'Disk', '"many"'), element('K-2', 'Nowhere', long), element('K-3', 'Disk', '"<b>"')];
    for (const [name, content] of [
      ['grid.json', `[${rows.join(',')}]`],
      ['grid.jsonl', rows.join('\n').replaceAll('K-', 'L-')],
    ] as const) {
      const first = await shop.importFile(name, content, { mode: 'upsert' });
      assert.equal(first.failed, 3, name);
      await page().goto(`/console/production/imports/${first.id}`);
      const letter = name === 'grid.json' ? 'K' : 'L';
      assert.equal(await page().getByLabel('sku, row 1').inputValue(), `${letter}-1`);
      await page().getByLabel('attributes.Price, row 1').fill('5.5');
      await page().getByLabel('nodeName, row 2').fill('Disk');
      await person.button('Leave out row 3').click();
      await text('2 of 3 values corrected');
      await person.assertOpenToAll('failed rows of JSON');
      await person.button('Send 2 rows again').click();
      await text('All rows are imported');
      assert.equal((await shop.item(`${letter}-1`))?.attributes.Price, '5.5', name);
      assert.equal((await shop.item(`${letter}-2`))?.attributes.Price, long, name);
      assert.equal(await shop.item(`${letter}-3`), undefined, name);
    }
  });

  it('say how many of many rows are corrected at once, and what becomes of the others', async () => {
    const { id } = await shop.importFile('many.csv', csv('M-1,Disk,one,x', 'M-2,Disk,two,y', 'M-3,Disk,three,z'));
    // As if these were the first of many: the page loads no more than 10,000.
    await world.db.raw(
      `UPDATE job SET error_count = :many,
         error_summary = (SELECT jsonb_agg(jsonb_set(entry, '{count}', to_jsonb(:many::integer))) FROM jsonb_array_elements(error_summary) AS entry)
       WHERE id = :id`,
      { many: MANY, id },
    );
    await page().goto(`/console/production/imports/${id}`);
    await text(/^Only 3 of these 10,200 rows can be corrected here\. The others fail again when you send these/);
    await page().getByLabel('New value for all').first().fill('5');
    await person.button('Correct 3 of 10,200 like this').click();
    await text('3 of 3 values corrected');
    assert.equal(await page().locator('.group.corrected').count(), 0, 'the group is not corrected as a whole');
    await person.assertOpenToAll('a group of which a part is corrected');
    await person.button('Send 3 rows again').click();
    await text('All rows are imported');
  });

  it('say what the import of an archive has changed around the catalog', async () => {
    const [from, to] = [{ stage: 'from' }, { stage: 'to' }];
    const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'No' }] };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Dealer', profile }, context: from });
    await shop.ask('PATCH', '/site-settings', { body: { aliases: { SKU: ['No'] } }, context: from });
    const job = await importStage(shop, (await exportStage(shop, from)).bytes, {}, to);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    await page().goto(`/console/to/imports/${job.id}`);
    const table = page().getByRole('table', { name: 'Definitions, import profiles, settings and webhooks' });
    await table.getByRole('row', { name: /^Dealer Import profile, new fileType – ITEM_IMPORT$/ }).waitFor();
    await table.getByRole('row', { name: /^Settings Settings, changed aliases – / }).waitFor();
    await person.assertOpenToAll('changes around the catalog');
  });
});
