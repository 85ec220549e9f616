/** The console when the line, the session or the other window gets in the way: nothing that was typed is lost, and one is told. */
import assert from 'node:assert/strict';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createToken, revokeToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const GIB = 2 ** 30;
/** How long a process may take a token for good that was revoked, and much more. */
const NOTICED_MS = 45_000;

describe('the console when something is away', function () {
  this.timeout(240_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let token: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    await shop.importFile('first.csv', 'SKU,Category Node,Title,Price\nA-1,Disk,One,1\nA-2,Disk,Two,2\n');
    ({ token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' }));
    browser = await startTestBrowser(world.api.url);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  async function logged(address: string, by = token): Promise<ConsolePerson> {
    const person = await ConsolePerson.open(browser, `/console/production/${address}`);
    person.page.setDefaultTimeout(45_000);
    await person.logIn(by);
    return person;
  }

  const price = async (sku: string) => (await shop.item(sku))?.attributes.Price;

  it('says that there is no answer, keeps what was typed, and goes on when the API is back', async () => {
    const { page, button, ...person } = await edited('A-1', '5');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'See what would change' }).click();
    await page.getByText('Longshore does not answer').waitFor();
    assert.equal(await page.getByLabel('Price of A-1').inputValue(), '5');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Write these changes' }).click();
    await page.getByText('1 item was changed').waitFor();
    assert.equal(await price('A-1'), '5');
    assert.deepEqual(person.wrong, []);
  });

  async function edited(sku: string, value: string, by = token): Promise<ConsolePerson> {
    const person = await logged(`items/item?sku=${sku}`, by);
    await person.button('Edit').click();
    await person.page.getByLabel(`Price of ${sku}`).fill(value);
    return person;
  }

  it('says that there is no answer where a page is opened, and shows it when the API is back', async () => {
    const { page } = await logged('imports');
    await page.getByRole('row', { name: /first\.csv/ }).waitFor();
    await page.getByRole('link', { name: 'Attributes', exact: true }).click();
    await page.getByRole('heading', { name: 'Attributes' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Sessions', exact: true }).click();
    await page.getByText('Longshore does not answer').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Your sessions' }).waitFor();
  });

  it('does not say that nothing waits where it was not told, and shows a form only with all that it needs', async () => {
    const { page, ...person } = await logged('imports');
    await page.getByRole('row', { name: /first\.csv/ }).waitFor();
    /** Requests of one kind get no answer, while the others do. */
    const without = async (asked: RegExp, place: string, shown: ReturnType<typeof page.getByText>) => {
      await page.route(asked, (route) => route.abort());
      await page.goto(`/console/production/${place}`);
      await page.getByText('Longshore does not answer').waitFor();
      assert.equal(await shown.count(), 0, place);
      await page.unroute(asked);
      await page.getByRole('button', { name: 'Try again' }).click();
      await shown.waitFor();
      await page.getByText('Longshore does not answer').waitFor({ state: 'detached' });
    };
    await without(/\/jobs\/product\?.*status=/, 'overview', page.getByText('Nothing waits for you'));
    await without(/\/webhook\?/, 'overview', page.getByText('Nothing waits for you'));
    const attributes = /\/product\/attribute(\/mapping)?\?/;
    await without(attributes, 'items/item?sku=A-1', page.getByRole('heading', { name: 'History' }));
    await without(attributes, 'exports/new', page.getByRole('heading', { name: 'Which ones' }));
    const body = { target: 'https://hooks.example/in', protocol: 'HTTP', source: 'OMS', events: ['ORDER_CREATED'] };
    await shop.ask('POST', '/api/v2/webhook', { body });
    const [{ webhookId }] = await shop.ask('GET', '/api/v2/webhook');
    await without(/\/event-types/, `webhooks/${webhookId}/edit`, page.getByLabel('Address that is called'));
    const noEvents = page.getByText('There is no event of this webhook yet');
    await without(/\/event\/query/, `webhooks/${webhookId}/filter`, noEvents);
    assert.deepEqual(person.wrong, []);
  });

  it('says that it waits as long as nothing of a page has come', async () => {
    let answer = () => {};
    const person = await logged('overview');
    const { page } = person;
    await page.getByText('Nothing waits for you').waitFor();
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked = /\/jobs\/product\?/;
    await page.route(asked, async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    const waiting = page.getByRole('progressbar', { name: 'Waiting for an answer' });
    await waiting.waitFor();
    await person.assertOpenToAll('a page that waits');
    answer();
    await page.getByRole('row', { name: /first\.csv/ }).waitFor();
    await waiting.waitFor({ state: 'detached' });
    assert.deepEqual(person.wrong, []);
  });

  it('follows an import again after the line was cut', async () => {
    const lock = new pg.Client(world.services.config.databaseUrl);
    await lock.connect();
    try {
      await lock.query('BEGIN; LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE');
      const id = await shop.upload('line.csv', 'SKU,Category Node,Title,Price\nL-1,Disk,One,1\n');
      const { page } = await logged(`imports/${id}`);
      await page.getByRole('heading', { name: 'Progress' }).waitFor();
      await page.context().setOffline(true);
      await page.getByText('Longshore does not answer').waitFor();
      await page.context().setOffline(false);
      await lock.query('ROLLBACK');
      await page.getByText('All rows are imported').waitFor();
      await page.getByText('Longshore does not answer').waitFor({ state: 'detached' });
    } finally {
      await lock.end();
    }
  });

  it('keeps what was typed when the token is revoked in the middle of an edit', async () => {
    const mine = await createToken(world.db, { accountId: shop.account, name: 'Robin' });
    const { page } = await edited('A-2', '7', mine.token);
    await revokeToken(world.db, mine.id);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    // Processes notice it within seconds: until then, the preview is shown once more.
    const preview = page.getByRole('button', { name: 'Write these changes' });
    // The answer to another request may come first, and its dialog covers the button in the middle of a click.
    const pressUnlessEnded = (name: string) =>
      page
        .getByRole('button', { name, exact: true })
        .click({ timeout: 10_000 })
        .catch(async (error: unknown) => {
          if ((await dialog.count()) === 0) throw error;
        });
    await page.getByRole('button', { name: 'See what would change' }).click();
    for (const last = performance.now() + NOTICED_MS; performance.now() < last; ) {
      await preview.or(dialog).first().waitFor();
      if ((await dialog.count()) > 0) break;
      for (const name of ['Back', 'See what would change']) await pressUnlessEnded(name);
    }
    await dialog.waitFor();
    await dialog.getByLabel('Token or code').fill(mine.token);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.getByText('This token or code is not valid').waitFor();
    const renewed = await createToken(world.db, { accountId: shop.account, name: 'Robin' });
    await dialog.getByLabel('Token or code').fill(renewed.token);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Write these changes' }).click();
    await page.getByText('1 item was changed').waitFor();
    assert.equal(await price('A-2'), '7');
  });

  it('shows nothing of what was typed to another person who logs in, and all of it to the first one again', async () => {
    const robin = await createToken(world.db, { accountId: shop.account, name: 'Robin' });
    const { page, ...person } = await edited('A-1', '13', robin.token);
    await page.goto('/console/production/webhooks/new');
    await page.getByLabel('Address that is called').fill('https://typed.example/robin');
    for (const { id, name } of (await shop.ask('GET', '/api/v2/sessions')).data) {
      if (name === 'Robin') await shop.call('DELETE', `/api/v2/sessions/${id}`);
    }
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    const enter = async (by: string) => {
      await page.getByLabel('Token or code').fill(by);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('link', { name: 'Imports', exact: true }).waitFor();
    };
    await dialog.waitFor();
    await enter(token);
    await dialog.waitFor({ state: 'detached' });
    const typed = async () => {
      await page.goto('/console/production/webhooks/new');
      const target = await page.getByLabel('Address that is called').inputValue();
      await page.goto('/console/production/items/item?sku=A-1');
      const [edit, field] = [page.getByRole('button', { name: 'Edit', exact: true }), page.getByLabel('Price of A-1')];
      await edit.or(field).first().waitFor();
      if ((await field.count()) === 0) await edit.click();
      return [target, await field.inputValue()];
    };
    const before = await price('A-1');
    assert.notEqual(before, '13');
    assert.deepEqual(await typed(), ['', before]);
    await page.getByRole('button', { name: /^You and how it looks/ }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await enter(robin.token);
    assert.deepEqual(await typed(), ['https://typed.example/robin', '13']);
    assert.deepEqual(person.wrong, []);
  });

  it('asks for the login in each window when one of them has logged out, and keeps what was typed there', async () => {
    const first = await edited('A-1', '9');
    const second = await first.page.context().newPage();
    await second.goto('/console/production/imports');
    await second.getByRole('button', { name: /^You and how it looks/ }).click();
    await second.getByRole('button', { name: 'Log out' }).click();
    await second.getByLabel('Token or code').waitFor();
    // Nobody who looks at the first window sees data of somebody who has logged out.
    const dialog = first.page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    assert.equal(await first.page.getByLabel('Price of A-1').inputValue(), '9');
    await second.getByLabel('Token or code').fill(token);
    await second.getByRole('button', { name: 'Log in' }).click();
    await second.getByRole('link', { name: 'Imports', exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await first.button('See what would change').click();
    await first.button('Write these changes').click();
    await first.page.getByText('1 item was changed').waitFor();
    assert.equal(await price('A-1'), '9');
  });

  it('stays on its stage when another is chosen in another window', async () => {
    await shop.call('GET', '/api-product/v1/product', { context: { stage: 'draft' } });
    await shop
      .importFile('draft.csv', 'SKU,Category Node\nD-1,Disk\n', {}, { context: { stage: 'draft' } })
      .catch(() => undefined);
    const first = await edited('A-2', '11');
    const second = await first.page.context().newPage();
    await second.goto('/console/production/items');
    await second.getByRole('button', { name: /Stage/ }).click();
    await second.getByRole('option', { name: 'draft' }).click();
    await second.waitForURL(/console\/draft/);
    await first.button('See what would change').click();
    await first.button('Write these changes').click();
    await first.page.getByText('1 item was changed').waitFor();
    assert.match(first.page.url(), /console\/production/);
    assert.equal(await price('A-2'), '11');
    await second.goto('/console/draft/items/item?sku=A-2');
    await second.getByText('There is no item with this SKU').waitFor();
  });

  it('says why a file of more than 1 GiB is refused', async () => {
    const { page } = await logged('imports/new');
    const path = join(tmpdir(), `longshore-large-${process.pid}.csv`);
    try {
      await sparse(path, GIB + 1);
      await page.locator('input[type=file]').setInputFiles(path);
      await page.getByText('at most 1 GB can be uploaded').waitFor();
    } finally {
      await rm(path, { force: true });
    }
  });

  it('says that the line is cut for good, and tries the same file again', async () => {
    const { page } = await logged('imports/new');
    await page.context().setOffline(true);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer: Buffer.from('SKU;Title\nA-1;New\n') });
    await page.getByText('Longshore does not answer').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('What becomes of each column').first().waitFor();
  });
});

async function sparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.write('SKU;Title\n');
  await file.truncate(bytes);
  await file.close();
}
