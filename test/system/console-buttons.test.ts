/** What can be done with an import, pressed in a real Chromium: approve, reject, cancel, try again, and keep the answers as a profile. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { askedWhileHeld } from '../support/worlds/held-requests.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const HEADER = 'SKU,Category Node,Title,Price\n';

describe('the buttons of an import in the console', function () {
  this.timeout(240_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;
  let lock: pg.Client;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    await shop.importFile('first.csv', `${HEADER}A-1,Disk,One,10\nA-2,Disk,Two,10\n`);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(45_000);
    await person.logIn(token);
    lock = new pg.Client(world.services.config.databaseUrl);
    await lock.connect();
  });
  after(async () => {
    await lock?.end();
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  const heading = (name: string) => person.page.getByRole('heading', { name, exact: true });
  const see = (text: string | RegExp) => person.page.getByRole('main').getByText(text).first().waitFor();
  const open = (job: string) => person.page.goto(`/console/production/imports/${job}`);
  const price = async (sku: string) => (await shop.item(sku))?.attributes.Price;
  const mainText = async () => (await person.page.getByRole('main').allInnerTexts()).join();
  const jobOf = (id: string) => shop.ask('GET', `/jobs/${id}`);

  /** Nothing is written to items meanwhile. However it ends, the tests that follow can write. */
  async function whileItemsAreLocked<T>(act: () => Promise<T>): Promise<T> {
    await lock.query('BEGIN; LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE');
    try {
      return await act();
    } finally {
      await lock.query('ROLLBACK');
    }
  }

  async function waiting(rows: string): Promise<string> {
    const id = await shop.upload('ask.csv', HEADER + rows, { requireApproval: true });
    await until('it waits', async () => (await jobOf(id)).status === 'AWAITING_APPROVAL', 20_000);
    await open(id);
    await see('This import waits for an approval');
    return id;
  }

  it('approves an import with its difference in view, and keeps the note', async () => {
    const id = await waiting('A-1,Disk,One,90\nA-3,Disk,Three,5\nA-2,Disk,Two,x\n');
    await heading('The largest changes').waitFor();
    await heading('1 new item').waitFor();
    await heading('1 row failed').waitFor();
    await person.page.getByRole('row', { name: /A-1 Price 10 90 \+800%/ }).waitFor();
    assert.equal(await person.button(/^Send/).count(), 0, 'what is not decided yet has nothing to be sent again');
    await person.assertOpenToAll('an import that waits');
    await person.page.getByLabel('Note (kept with the import)').fill('spring prices');
    await person.button('Approve and import').click();
    await heading('What changed').waitFor();
    assert.equal(await focusIsKept(), true);
    assert.equal(await price('A-1'), '90');
    const { rows: kept } = await world.db.raw('SELECT options FROM job WHERE id = ?', [id]);
    assert.match(JSON.stringify(kept), /spring prices/);
    await see('approved by Kim: “spring prices”');
    await person.page.getByRole('link', { name: 'All imports' }).click();
    await person.page.getByRole('row', { name: /ask\.csv.*approved by Kim: “spring prices”/ }).waitFor();
  });

  it('writes numbers before and after a change as the language does, and no text that looks like one', async () => {
    const id = await shop.upload('trial.csv', `${HEADER}A-1,Disk,1.5,1234.5\nA-2,Disk,Two,0.25\n`, {
      validateOnly: true,
    });
    await shop.outcome(id);
    await open(id);
    for (const [language, large, fall, title] of [
      ['de', '1.234,5', /^A-2 Price 10 0,25 -97,5\s%$/, 'Die ersten Unterschiede'],
      ['en', '1,234.5', /^A-2 Price 10 0.25 -97.5%$/, 'The first differences'],
    ] as const) {
      await person.setLooks(language, 'light');
      const table = person.page.getByRole('table', { name: title });
      await table.getByRole('row', { name: `A-1 Price 90 ${large}`, exact: true }).waitFor();
      await table.getByRole('row', { name: 'A-1 Title One 1.5', exact: true }).waitFor();
      await person.page.getByRole('row', { name: fall }).waitFor();
    }
  });

  it('shows a value of a time when its attribute was of another type as it was stored', async () => {
    await shop.define({ attributes: [{ name: 'Code', type: 'TEXT' }], categories: { Disk: ['Code'] } });
    const write = (code: unknown) => shop.bulk('upsert', [{ sku: 'A-1', attributes: { Code: code } }]);
    assert.deepEqual((await write('00123')).body.failed, []);
    const { jobId } = (await write(null)).body;
    const { body } = await shop.bulkAttributes([{ action: 'UPDATE', name: 'Code', type: 'INTEGER' }]);
    assert.deepEqual(body.attributes.failed, []);
    await open(jobId);
    const table = person.page.getByRole('table', { name: 'The first differences' });
    await table.getByRole('row', { name: 'A-1 Code 00123 –', exact: true }).waitFor();
    await person.page.goto('/console/production/items/item?sku=A-1');
    await person.page.getByRole('row', { name: 'Code 00123 –', exact: true }).waitFor();
  });

  /** Whoever sent the failed rows alone would leave the others out. */
  async function assertNothingIsSaidToBeImported(): Promise<void> {
    await heading('1 row failed').waitFor();
    await see('Nothing of the file is imported, not even the rows without a mistake');
    assert.doesNotMatch(await mainText(), /The other rows are imported/);
    assert.equal(await person.button(/^(Send|Leave out)/).count(), 0);
  }

  it('rejects an import, of which nothing is written', async () => {
    const id = await waiting('A-1,Disk,One,1\nA-9,Disk,Nine,x\n');
    await person.button('Reject').click();
    await see('Nothing was imported');
    assert.equal((await jobOf(id)).status, 'REJECTED');
    await heading('What would change').waitFor();
    await assertNothingIsSaidToBeImported();
    await person.page.getByRole('row', { name: 'A-1 Price 90 1 -98.9%' }).waitFor();
    assert.equal(await price('A-1'), '90');
    assert.equal(
      await person.button('Try all again').count(),
      0,
      'what somebody has rejected is not sent again by a button',
    );
    await person.assertOpenToAll('a rejected import');
  });

  it('says what would have changed of an import that was cancelled while it waited, and nothing of one that was never shown', async () => {
    const shown = await waiting('A-1,Disk,One,2\n');
    await person.button('Cancel').click();
    await see('The import was cancelled');
    await heading('What would change').waitFor();
    assert.equal((await jobOf(shown)).status, 'CANCELLED');

    const isNotShown = async (job: string, text: string) => {
      await open(job);
      await see(text);
      // What is drawn with the counts is there with them.
      await see('Unchanged');
      assert.equal(await heading('What would change').count(), 0, text);
      assert.equal(await heading('What changed').count(), 0, text);
    };
    const rows = `${HEADER}A-1,Disk,One,2\nA-2,Disk,Two,x\n`;
    const failed = await shop.importFile('bad.csv', rows, { requireApproval: true, onError: 'abort' });
    assert.deepEqual([failed.status, failed.reason], ['REJECTED', 'ROWS_FAILED']);
    await isNotShown(failed.id, 'Nothing was imported');
    await assertNothingIsSaidToBeImported();

    const [first, second] = await whileItemsAreLocked(async () => {
      const id = await shop.upload('first.csv', `${HEADER}A-1,Disk,One,90\n`);
      await until('it runs', async () => (await jobOf(id)).status === 'IN_PROGRESS', 20_000);
      const query = { query: 'requireApproval=true', headers: { prefer: 'respond-async' } };
      const { body } = await shop.bulk('upsert', [{ sku: 'A-1', attributes: { Price: 2 } }], query);
      await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`);
      return [id, body.jobId];
    });
    await shop.outcome(first);
    await isNotShown(second, 'The import was cancelled');
  });

  it('says why the sender of an import may not approve it', async () => {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Sender' });
    const own = await ConsolePerson.open(browser, '/console/production/imports/new');
    await own.logIn(token);
    await own.drop({ name: 'own.csv', bytes: Buffer.from(`${HEADER}A-1,Disk,One,2\n`) });
    await own.page.getByText('Somebody else approves it first').click();
    await own.button('Import').click();
    await own.button('Approve and import').click();
    await own.page.getByText('Who has sent an import may not approve it').waitFor();
    assert.equal(await focusIsKept(own), true, 'the focus is lost');
    await own.button('Reject').click();
    await own.page.getByText('Nothing was imported').first().waitFor();
    assert.deepEqual(own.wrong, []);
  });

  it('cancels an import that runs, and tries it again', async () => {
    const id = await whileItemsAreLocked(async () => {
      const held = await shop.upload('held.csv', `${HEADER}A-1,Disk,One,30\n`);
      await open(held);
      await heading('Progress').waitFor();
      await person.assertOpenToAll('an import that runs');
      await person.button('Cancel').click();
      await see('The import was cancelled');
      return held;
    });
    assert.equal(await focusIsKept(), true, 'the button is gone, and the focus with it');
    assert.equal(await price('A-1'), '90');
    await person.assertOpenToAll('a cancelled import');
    const again = () => person.button('Try all again').dblclick();
    assert.equal(await askedWhileHeld(person.page, /actions\/retry/, again), 1, 'two clicks are one retry');
    await person.page.waitForURL((address) => !address.pathname.endsWith(id));
    await see('All rows are imported');
    assert.equal(await price('A-1'), '30');
  });

  it('says of an undo which changes stay, and has nothing of it to be sent again', async () => {
    const { id: changed } = await shop.importFile('two.csv', `${HEADER}A-1,Disk,Uno,30\nA-2,Disk,Duo,10\n`);
    await shop.importFile('later.csv', `${HEADER}A-2,Disk,Due,10\n`);
    const { body } = await shop.call('POST', `/jobs/${changed}/actions/revert`, { body: {} });
    await shop.outcome(body.jobId ?? body.id);
    await open(body.jobId ?? body.id);
    await heading('1 change stays').waitFor();
    await see('It was changed again or is used since. Everything else is taken back.');
    assert.doesNotMatch(await mainText(), /are imported|no longer kept|Import the file again/);
    assert.equal(await person.button(/^(Send|Leave out)/).count(), 0);
    assert.equal((await shop.item('A-1'))?.attributes.Title, 'One');
  });

  it('keeps the answers as a profile, and reads the next file by it without a question', async () => {
    const german = (price: string) =>
      `Nr;Gruppe;Preis;Ab\nA-1;Disk;${price};03.04.2026\nA-2;Disk;${price};05.06.2026\n`;
    await person.page.goto('/console/production/imports/new');
    await person.drop({ name: 'erp.csv', bytes: Buffer.from(german('41,5')) });
    await see(/questions? before it goes on|Everything is clear/);
    while ((await person.page.getByText(/still open/).count()) > 0) {
      await person.page.locator('.question.open .radio-card').first().click();
    }
    await person.page.getByLabel('Keep the answers as a profile').fill('ERP <b>');
    await person.button('Import').click();
    await see(/read by the profile ERP <b>/);
    await see('All rows are imported');
    await person.page.goto('/console/production/imports/new');
    await person.drop({ name: 'erp-2.csv', bytes: Buffer.from(german('42,5')) });
    await see('There is a profile for this kind of file');
    await person.assertOpenToAll('a file for which there is a profile');
    await person.page.getByRole('button', { name: /Read by/ }).click();
    await person.page.getByRole('option', { name: 'ERP <b>' }).click();
    await see('Everything is clear');
    assert.equal(await person.page.getByText(/questions? before it goes on/).count(), 0);
    await person.assertOpenToAll('a file that is read by a profile');
    await person.button('Import').click();
    await see('All rows are imported');
    const values = Object.values((await shop.item('A-1'))?.attributes ?? {});
    assert.ok(values.includes('42.5'), JSON.stringify(values));
    await person.page.goto('/console/production/imports/new');
    await person.drop({ name: 'erp-3.csv', bytes: Buffer.from(german('43,5')) });
    await person.button('Read the file by ERP <b>').click();
    await see('Everything is clear');
    assert.match(person.page.url(), /profile=ERP/);
    assert.equal(await person.page.getByText('There is a profile for this kind of file').count(), 0);
  });

  /** Whether something has the focus once the page has drawn what it shows: it is given back two frames after it was lost. */
  const focusIsKept = (whose = person) =>
    whose.page.evaluate(`new Promise((done) => {
      let frames = 5;
      const look = () => (frames-- > 0 ? requestAnimationFrame(look) : done(document.activeElement !== document.body));
      look();
    })`);
});
