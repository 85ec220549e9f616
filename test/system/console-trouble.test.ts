/** The console when something is in the way: markup in values, a session that ends, rights that are missing, a narrow window, no mouse. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MARKUP = '<img src=x onerror=hacked=1>';
const RIGHT_TO_LEFT = 'שלום \u202Eevil';

describe('the console in trouble', function () {
  this.timeout(120_000);
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
      categories: { [`Disk ${MARKUP}`]: ['Title', 'Price'] },
    });
    ({ token } = await createToken(world.db, { accountId: shop.account, name: `Kim ${MARKUP}` }));
    browser = await startTestBrowser(world.api.url);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  /** The page of an import of which two rows have failed. */
  async function failedImport(name: string): Promise<string> {
    const rows = [
      `A-1,Disk ${MARKUP},${MARKUP},x`,
      `A-2,Disk ${MARKUP},${RIGHT_TO_LEFT},${MARKUP}`,
      `A-3,Disk ${MARKUP},T,1`,
    ];
    const job = await shop.upload(name, `SKU,Category Node,Title,Price\n${rows.join('\n')}\n`);
    await shop.outcome(job);
    return `/console/production/imports/${job}`;
  }

  async function logged(address: string, by = token): Promise<ConsolePerson> {
    const person = await ConsolePerson.open(browser, address);
    await person.logIn(by);
    return person;
  }

  async function assertNothingRan({ page, wrong }: ConsolePerson): Promise<void> {
    assert.equal(await page.evaluate('typeof hacked'), 'undefined');
    assert.equal(await page.locator('#root img').count(), 0);
    assert.deepEqual(wrong, []);
  }

  it('shows values, names and columns with markup as text, wherever they are', async () => {
    const address = await failedImport(`${MARKUP.replace('<', '')}.csv`);
    const person = await logged(address);
    const { page } = person;
    await page.getByText('All columns of the file').click();
    await page.getByLabel('Title, row 2').waitFor();
    assert.equal(await page.getByLabel('Title, row 2').inputValue(), MARKUP);
    await page.getByText(MARKUP).first().waitFor();
    await person.button(/^You and how it looks/).click();
    await page.getByText(`Kim ${MARKUP}`).first().waitFor();
    await page.keyboard.press('Escape');
    await assertNothingRan(person);
    const columns = `SKU;${MARKUP};Category\n`;
    const bytes = Buffer.from(`${columns}B-1;${MARKUP};${MARKUP} > a\nB-2;${RIGHT_TO_LEFT};b > c\n`);
    await page.goto('/console/production/imports/new');
    await person.drop({ name: 'markup.csv', bytes });
    await page.getByText('What becomes of each column').first().waitFor();
    await page.getByRole('rowheader', { name: MARKUP }).waitFor();
    await assertNothingRan(person);
    await page.goto('/console/production/imports');
    await page.locator('.badge', { hasText: 'Some rows failed' }).first().waitFor();
    await assertNothingRan(person);
  });

  it('keeps what was typed when the session ends in the middle of an edit, and goes on after a login', async () => {
    const person = await logged(await failedImport('session.csv'));
    const { page } = person;
    await page.getByLabel('Price, row 2').fill('1.5');
    for (const { id } of (await shop.ask('GET', '/api/v2/sessions')).data.filter(isOf(`Kim ${MARKUP}`))) {
      await shop.call('DELETE', `/api/v2/sessions/${id}`);
    }
    await person.button('Send 2 rows again').click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    assert.equal(await page.getByLabel('Price, row 2').inputValue(), '1.5');
    await dialog.getByLabel('Token or code').fill(token);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: '1 row failed' }).waitFor({ timeout: 30_000 });
    assert.equal((await shop.ask('GET', '/api-product/v1/product/A-1')).attributes.Price, '1.5');
  });

  it('keeps what was typed when the page is loaded again', async () => {
    const { page } = await logged(await failedImport('reload.csv'));
    await page.getByLabel('Price, row 3').fill('2.5');
    await page.reload();
    await page.getByText('1 of 2 values corrected').waitFor();
    assert.equal(await page.getByLabel('Price, row 3').inputValue(), '2.5');
  });

  it('shows no control to a token that may only read', async () => {
    const scopes = ['catalog:read'] as const;
    const viewer = await createToken(world.db, { accountId: shop.account, name: 'viewer', scopes });
    const person = await logged(await failedImport('viewer.csv'), viewer.token);
    await person.page.getByRole('heading', { name: '2 rows failed' }).waitFor();
    for (const name of ['Undo', 'Try all again', /^Send/, /^Correct/, 'Leave out']) {
      assert.equal(await person.button(name).count(), 0, String(name));
    }
    await person.page.goto('/console/production/imports');
    await person.page.locator('.badge', { hasText: 'Some rows failed' }).first().waitFor();
    assert.equal(await person.page.getByRole('link', { name: 'Import a file' }).count(), 0);
  });

  it('is readable in a narrow window, and led by the keyboard alone', async () => {
    const person = await logged(await failedImport('narrow.csv'));
    const { page } = person;
    await page.setViewportSize({ width: 400, height: 800 });
    await page.getByLabel('Price, row 2').waitFor();
    const isWide = 'document.documentElement.scrollWidth > window.innerWidth';
    assert.equal(await page.evaluate(isWide), false);
    await page.getByLabel('Price, row 2').focus();
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Price, row 3');
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(page), 'Price, row 2');
    await page.goto('/console/production/imports');
    await page.locator('.badge', { hasText: 'Some rows failed' }).first().waitFor();
    assert.equal(await page.evaluate(isWide), false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Drop your file here').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  });

  it('tells of an import that ends while one looks elsewhere', async () => {
    const person = await logged('/console/production/imports/new');
    const { page } = person;
    await person.drop({ name: 'elsewhere.csv', bytes: Buffer.from(`SKU;Title;Category\nC-1;T;Disk\nC-2;U;Disk\n`) });
    const lock = new pg.Client(world.services.config.databaseUrl);
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE');
    await person.button('Import').click();
    await page.waitForURL(/imports\/[0-9a-f]{24}$/);
    await page.getByRole('link', { name: 'All imports' }).click();
    await page.getByText('Every file that was imported').waitFor();
    await lock.end();
    await page.getByRole('link', { name: 'Show the result' }).waitFor({ timeout: 30_000 });
    await page.getByText('elsewhere.csv: imported').first().waitFor();
  });
});

function isOf(name: string) {
  return (session: { readonly name: string }) => session.name === name;
}

function focused(page: ConsolePerson['page']): Promise<unknown> {
  return page.evaluate('document.activeElement.getAttribute("aria-label")');
}
