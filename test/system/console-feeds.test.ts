/** Feeds and published files in a real Chromium: a merchandiser makes a feed, tests it, sees what it did, and gives an address to others. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../support/worlds/feed-folder.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { skipWithoutSshd, startTestSshd, type TestSshd } from '../support/worlds/test-sshd.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('feeds in the console', function () {
  this.timeout(120_000);
  // Each step goes on where the one before has ended.
  this.bail(true);
  let world: World;
  let folders: FeedFolder;
  let folder: ShopFolder;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    folders = await makeFeedFolder();
    const environment = { FEED_FOLDERS: folders.allowed, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    world = await startWorld({ workers: true, files: 'in a folder', environment });
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
    folder = await folders.of(shop);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(20_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
    await folders?.remove();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const page = () => person.page;
  const text = (what: string | RegExp) => page().getByText(what).first().waitFor();
  const choose = async (label: string, option: string) => {
    await page().getByRole('button', { name: label }).click();
    await page().getByRole('option', { name: option, exact: true }).click();
  };

  it('are tested before they are saved, and say what they see', async () => {
    for (const sku of ['A', 'B']) await folder.putItem(sku);
    await folder.put('notes.txt', 'nothing');
    await page().getByRole('link', { name: 'Feeds', exact: true }).click();
    await text('No file comes by itself yet');
    await page().getByRole('link', { name: 'Add a feed' }).first().click();
    await page().getByLabel('Name', { exact: true }).fill('ERP');
    await page().getByText('Of the machine on which Longshore runs').click();
    await page().getByLabel('Folder', { exact: true }).fill('/etc');
    await person.button('Test the connection').click();
    await text(/connection\.path: is not one of the folders/);
    await page().getByLabel('Folder', { exact: true }).fill(folder.path);
    await page().getByLabel('Seconds between the looks').fill('0');
    await person.button('Test the connection').click();
    await text('The connection works: 3 files are there, and a run would take 2');
    await page()
      .getByRole('row', { name: /A\.csv takes it/ })
      .waitFor();
    await page()
      .getByRole('row', { name: /notes\.txt leaves it/ })
      .waitFor();
    assert.equal((await shop.ask('GET', '/feeds')).count, 0, 'nothing is saved');
  });

  it('have a schedule in words, whose next times are shown before it is saved', async () => {
    const times = page().locator('.next-times li');
    await times.nth(4).waitFor();
    assert.equal(await times.count(), 5);
    await choose('How often', 'By a cron expression');
    const cron = page().getByRole('textbox', { name: 'Cron expression' });
    assert.equal(await cron.inputValue(), '30 2 * * *');
    await cron.fill('61 * * * *');
    await text(/minute: 61/);
    await choose('How often', 'Monday to Friday');
    await page().getByLabel('At', { exact: true }).fill('04:15');
    await page().getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page().keyboard.press('Tab');
    await page()
      .getByText(/04:15.* in Asia.Tokyo/)
      .first()
      .waitFor();
    await person.assertOpenToAll('the form of a feed');
    await person.button('Save the feed').click();
    await page().getByRole('heading', { name: 'ERP', exact: true }).waitFor();
    const [feed] = (await shop.ask('GET', '/feeds')).data;
    assert.deepEqual(feed.schedule, { cron: '15 4 * * 1-5', timeZone: 'Asia/Tokyo' });
    assert.deepEqual([feed.connection, feed.pick.settleSeconds], [{ kind: 'folder', path: folder.path }, 0]);
  });

  it('run now, say what they changed with the imports, and are paused', async () => {
    await person.button('Run now').click();
    await text('2 new files · 2 created, 0 changed');
    await text(/1 left: notes\.txt/);
    await page()
      .getByRole('row', { name: /B\.csv Done 1 \/ 0/ })
      .waitFor();
    await person.picture('console-feed');
    await page().getByRole('link', { name: 'Import 1' }).first().click();
    await text('All rows are imported');
    await page().goBack();
    await person.button('Pause').click();
    await text('It is paused');
    await page().getByRole('link', { name: 'All feeds' }).click();
    await text('Somebody has paused it.');
    await text('2 new files · 2 created, 0 changed');
    await person.picture('console-feeds');
    await person.button('Go on: ERP').click();
    await person.button('Run now: ERP').waitFor();
    assert.equal((await shop.ask('GET', '/feeds')).data[0].state, 'ACTIVE');
  });

  it('take a file again when the feed was corrected after its import went wrong', async () => {
    const [{ id, options }] = (await shop.ask('GET', '/feeds')).data;
    await page().getByRole('link', { name: 'ERP', exact: true }).click();
    await folder.put('C.csv', 'Artikel,Gruppe,Name\nA,Shelf,Three\n');
    await person.button('Run now').click();
    await page()
      .getByRole('row', { name: /C\.csv Rejected/ })
      .waitFor();
    assert.equal(await person.button('Take again: A.csv').count(), 0, 'what was imported needs no second time');
    const columns = [
      { to: 'SKU', from: 'Artikel' },
      { to: 'Category Node', from: 'Gruppe' },
      { to: 'Title', from: 'Name' },
    ];
    const profile = { fileType: 'ITEM_IMPORT', columns };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Own', profile } });
    await shop.ask('PATCH', `/feeds/${id}`, { body: { options: { ...options, profile: 'Own' } } });
    await person.button('Take again: C.csv').click();
    await text('ERP takes the file again');
    await page()
      .getByRole('row', { name: /C\.csv.* Done 0 \/ 1/ })
      .waitFor();
    await shop.ask('PATCH', `/feeds/${id}`, { body: { options } });
  });

  it('are the whole truth about what they have brought, with all limits', async () => {
    const feed = (await shop.ask('GET', '/feeds')).data[0];
    const snapshot = { scope: 'feed', missing: 'delete', maxMissingPercent: 7, maxMissing: 20 };
    const options = { ...feed.options, snapshot };
    await shop.ask('PATCH', `/feeds/${feed.id}`, { body: { options } });
    await page().goto(`/console/production/feeds/${feed.id}/edit`);
    const own = page().getByRole('radio', { name: /^Yes, of what this feed has brought/ });
    await own.waitFor({ state: 'attached' });
    assert.equal(await own.isChecked(), true);
    const most = page().getByLabel('Remove nothing if more than so many items would go');
    assert.equal(await most.inputValue(), '20');
    await most.fill('30');
    await page().getByLabel('Remove nothing if a file has fewer rows').fill('1');
    await person.button(/^Save (the feed|without a test)/).click();
    await page().getByRole('heading', { name: 'ERP', exact: true }).waitFor();
    const saved = (await shop.ask('GET', '/feeds')).data[0];
    assert.deepEqual(saved.options.snapshot, { ...snapshot, maxMissing: 30, minRows: 1 });
    await page().getByRole('link', { name: 'Edit' }).click();
    await page().getByText('No: what it lacks stays', { exact: true }).click();
    await person.button(/^Save (the feed|without a test)/).click();
    await page().getByRole('heading', { name: 'ERP', exact: true }).waitFor();
    assert.equal((await shop.ask('GET', '/feeds')).data[0].options.snapshot, undefined);
  });

  it('have an address by which others have them run, which is replaced and ended', async () => {
    await person.button('Make an address').click();
    const shown = page().locator('.one-time-text');
    const first = (await shown.textContent()) ?? '';
    assert.equal((await fetch(first, { method: 'POST' })).status, 202);
    await text('its address was called');
    await person.button('New address').click();
    await person.button('Yes, make another address').click();
    await until('another address is shown', async () => (await shown.textContent()) !== first, 10_000);
    assert.equal((await fetch(first, { method: 'POST' })).status, 404);
    await person.button('End this address').click();
    await person.button('Yes, end it').click();
    await text('It has no such address.');
  });

  it('send files as well, after a test that writes and removes one', async () => {
    await page().goto('/console/production/feeds/new-destination');
    await page().getByLabel('Name', { exact: true }).fill('Shop');
    await page().getByText('Of the machine on which Longshore runs').click();
    await page().getByLabel('Folder', { exact: true }).fill(folder.path);
    await page().getByLabel('Name of each file').fill('out-{sequence}.csv');
    await page().getByLabel('How many files stay there').fill('2');
    await choose('Also after the imports of', 'ERP');
    await choose('How often', 'Only when somebody asks');
    await person.button('Test the connection').click();
    await text('The connection works: files can be sent there');
    await person.button('Save the feed').click();
    await page().getByRole('heading', { name: 'Shop', exact: true }).waitFor();
    await person.button('Run now').click();
    await text(/out-000001\.csv: 2 rows, \d+/);
    assert.deepEqual((await folder.names()).includes('out-000001.csv'), true);
    await page().getByRole('link', { name: 'Edit' }).click();
    await page().getByLabel('How many files stay there').fill('3');
    await person.button('Save without a test').click();
    await text('The feed is changed');
    const { data } = await shop.ask('GET', '/feeds');
    const saved = data.find(({ name }: { name: string }) => name === 'Shop');
    assert.deepEqual([saved.keep, saved.after, saved.export.match], [3, { feed: 'ERP' }, {}]);
    await shop.ask('DELETE', `/feeds/${saved.id}`);
  });

  it('that fail are named in the overview, with the reason in the language, and those that follow others say whom', async () => {
    const { id } = await folder.make({ name: 'Gone', connection: { kind: 'folder', path: `${folder.path}/gone` } });
    await folder.run(id);
    await folder.makeDestination({ name: 'Follows', fileName: 'to-{sequence}.csv', after: { feed: 'Gone' } });
    await page().goto('/console/production/overview');
    await page().getByRole('link', { name: 'Gone', exact: true }).waitFor();
    await text(/There is no such file, folder or bucket/);
    await page().goto('/console/production/feeds');
    const follows = page().getByRole('row', { name: /^Follows/ });
    await follows.getByText('after imports of Gone').waitFor();
    assert.equal(await follows.getByText('on request').count(), 0);
    await person.setLooks('de', 'dark');
    await follows.getByText('nach Importen von Gone').waitFor();
    await page().goto('/console/production/overview');
    await text(/Diese Datei, diesen Ordner oder diesen Bucket gibt es nicht/);
    assert.doesNotMatch((await page().getByRole('main').allInnerTexts()).join(), /is not there/);
    await person.setLooks('en', 'light');
    for (const { id: feed, name } of (await shop.ask('GET', '/feeds')).data)
      if (['Gone', 'Follows'].includes(name)) await shop.call('DELETE', `/feeds/${feed}`);
  });

  describe('of an SFTP server', () => {
    let sshd: TestSshd;
    let path: string;
    before(async function () {
      skipWithoutSshd(this);
      sshd = await startTestSshd();
      path = sshd.newFolder();
      writeFileSync(join(path, 'items.csv'), 'Category Node,SKU,Title\nShelf,S,One\n');
    });
    after(() => sshd?.stop());

    it('ask whether the key of the server is the right one before they log in', async () => {
      await page().goto('/console/production/feeds/new');
      await page().getByLabel('Name', { exact: true }).fill('Supplier');
      await page().getByLabel('Server', { exact: true }).fill('127.0.0.1');
      await page().getByLabel('Port', { exact: true }).fill(String(sshd.port));
      await page().getByLabel('User', { exact: true }).fill(sshd.user);
      await page().getByLabel('Folder on the server').fill(path);
      await page().getByText('With a private key').click();
      await page().getByRole('textbox', { name: 'Private key' }).fill(sshd.key);
      await person.button('Test the connection').click();
      await text('Is this the key of 127.0.0.1?');
      const shown = (await page().locator('.answer code').textContent()) ?? '';
      assert.ok(Object.values(sshd.hostKeys).includes(shown), shown);
      await person.button('Yes, trust this key').click();
      assert.equal(await page().getByLabel("Fingerprint of the server's key").inputValue(), shown);
      await person.button('Test the connection').click();
      await text('The connection works: 1 file is there, and a run would take 1');
      await choose('How often', 'Only when somebody asks');
      await person.button('Save the feed').click();
      await page().getByRole('heading', { name: 'Supplier' }).waitFor();
      const { data } = await shop.ask('GET', '/feeds');
      const saved = data.find(({ name }: { name: string }) => name === 'Supplier');
      assert.deepEqual([saved.connection.hostKey, saved.hasSecret, saved.schedule], [shown, true, null]);
    });

    it('never show their secret, keep it where it stays, and ask for it again for another server', async () => {
      await page().getByRole('link', { name: 'Edit' }).click();
      const password = page().getByLabel('Password', { exact: true });
      await password.waitFor();
      assert.equal(await password.inputValue(), '');
      await text('Empty: what is stored stays.');
      await person.button('Test the connection').click();
      await text('The connection works: 1 file is there, and a run would take 1');
      await page().getByLabel('Name', { exact: true }).fill('Supplier 2');
      await page().getByLabel('User', { exact: true }).fill('somebody');
      await text(/Enter the password or key again/);
      await page().getByLabel('User', { exact: true }).fill(sshd.user);
      await person.button('Save the feed').click();
      await page().getByRole('heading', { name: 'Supplier 2' }).waitFor();
      await person.button('Delete').click();
      await page().getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page().getByRole('link', { name: 'ERP', exact: true }).waitFor();
      assert.equal((await shop.ask('GET', '/feeds')).count, 1);
    });
  });

  it('are met by published files, whose address is copied and fetched by others', async () => {
    await page().context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page().getByRole('link', { name: 'Exports', exact: true }).click();
    await page().getByRole('link', { name: 'Published files' }).click();
    await person.button('Make an address').first().click();
    await page().getByRole('dialog').getByLabel('Name').fill('Marketplace');
    await page().getByRole('dialog').getByRole('button', { name: 'Make an address' }).click();
    await text('nothing yet: choose it in an export');
    await person.button('Copy: address of Marketplace').click();
    await person.button('Copied: address of Marketplace').waitFor();
    const address = await page().evaluate<string>('navigator.clipboard.readText()');
    assert.equal((await fetch(address)).status, 404);
    await page().goto('/console/production/exports/new');
    await choose('Publish as', 'Marketplace');
    await person.button('Write the file').click();
    await text(/The file is ready: 2 rows/);
    const answer = await fetch(address);
    assert.deepEqual([answer.status, (await answer.text()).includes('SKU')], [200, true]);
    await page().goto('/console/production/exports/published');
    await text(/2 rows, \d/);
    await person.picture('console-published');
    await person.button('New address: Marketplace').click();
    await page().getByRole('dialog').getByRole('button', { name: 'New address' }).click();
    await until('the former address finds nothing', async () => (await fetch(address)).status === 404, 10_000);
    assert.ok(!(await page().locator('.one-time-text').allTextContents()).includes(address));
  });
});
