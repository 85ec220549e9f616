/** The console with very much of something: groups of errors, options, values of a megabyte. Its pages stay usable. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { longestTask } from '../support/worlds/longest-task.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** More than the system writes and accepts today: it may be there from another time. */
const GROUPS = 10_000;
const OPTIONS = 100_000;
/** Each cell of each row is wrong: as many errors as a page shows. */
const COLUMNS = 100;
const ROWS = 100;
const LONG = `begin ${'x'.repeat(1_000_000)} end`;

const LONGEST_TASK_MS = 200;

describe('the console with very much of something', function () {
  this.timeout(120_000);
  let world: World;
  let browser: TestBrowser;
  let shop: Shop;
  let person: ConsolePerson;
  let job: string;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder', chunkRows: 500 });
    shop = await world.newShop();
    const numbers = Array.from({ length: COLUMNS }, (_, index) => `N${index}`);
    await shop.define({
      attributes: [
        'Title',
        { name: 'Colour', type: 'OPTIONS', optionsType: 'TEXT', options: ['red'] },
        ...numbers.map((name) => ({ name, type: 'DECIMAL' })),
      ],
      categories: { Disk: ['Title', 'Colour', ...numbers] },
      mapping: { title: 'Title' },
    });
    await shop.importFile('first.csv', 'SKU,Category Node,Title,Colour\nA-1,Disk,One,red\nA-2,Disk,Two,red\n');
    const wrong = Array.from({ length: ROWS }, (_, row) =>
      [`E-${row}`, 'Disk', row === 0 ? LONG : 'T', ...numbers.map(() => 'wrong')].join(','),
    );
    job = await shop.upload('wrong.csv', [`SKU,Category Node,Title,${numbers}`, ...wrong].join('\n'));
    await shop.outcome(job);
    await exaggerate();
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    person.page.setDefaultTimeout(45_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });
  afterEach(() => assert.deepEqual(person?.wrong ?? [], []));

  async function exaggerate(): Promise<void> {
    const { db } = world;
    await db.raw(
      `UPDATE job SET error_summary = error_summary || (SELECT jsonb_agg(jsonb_build_object('code', 'VALUE_TYPE',
         'path', 'Column ' || n, 'count', 1, 'rows', '2', 'example', '"wrong" is not a number')) FROM generate_series(1, ?::integer) AS n)
       WHERE id = ?`,
      [GROUPS, job],
    );
    await db.raw(
      `UPDATE attribute SET definition = jsonb_set(definition, '{options}',
         (SELECT jsonb_agg('colour ' || n ORDER BY n) FROM generate_series(1, ?::integer) AS n)) WHERE name = 'Colour' AND site_id = ?`,
      [OPTIONS, shop.siteId],
    );
    await db.raw(
      `UPDATE item SET attributes = jsonb_set(attributes, ARRAY[(SELECT id FROM attribute WHERE name = 'Title' AND site_id = item.site_id)], to_jsonb(?::text))
       WHERE sku = 'A-2' AND site_id = ?`,
      [LONG, shop.siteId],
    );
  }

  /** A page that is opened is never busy for long. */
  const assertUsable = (what: string, address: string, seen: () => Promise<void>) =>
    assertQuick(what, async () => {
      await person.page.goto(`/console/production/${address}`);
      await seen();
    });

  async function assertQuick(what: string, use: () => Promise<void>): Promise<void> {
    const longestTaskMs = await longestTask(person.page, use);
    assert.ok(longestTaskMs <= LONGEST_TASK_MS, `${what}: a task of ${Math.round(longestTaskMs)} ms`);
  }

  it('shows 10,000 groups of errors a few at a time, and corrects the first', async () => {
    const { page } = person;
    const groups = page.locator('.group');
    await assertUsable('an import', `imports/${job}`, () => groups.nth(11).waitFor());
    assert.equal(await groups.count(), 12);
    await assertQuick('more groups', async () => {
      await person.button(/^Show [\d,.]+ more groups/).click();
      await groups.nth(35).waitFor();
    });
    const field = groups.first().getByLabel(/^New value for all/);
    await field.fill('5');
    await assertQuick('a correction', async () => {
      await groups
        .first()
        .getByRole('button', { name: /^Correct all/ })
        .click();
      await page.locator('.group.corrected').waitFor();
    });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });

  it('shows and suggests 100,000 options', async () => {
    const { page } = person;
    const list = () => page.getByRole('row', { name: /Colour/ }).waitFor();
    await assertUsable('the attributes', 'attributes', list);
    await assertQuick('an attribute', async () => {
      await person.button('Colour').click();
      await page.getByLabel('Find one of the 100,000 options').waitFor();
    });
    await assertQuick('an option', async () => {
      await page.getByLabel('Find one of the 100,000 options').fill('99998');
      await page.getByRole('dialog').getByText('colour 99998').waitFor();
    });
    await assertUsable('an item', 'items/item?sku=A-1', () => page.getByRole('heading', { name: 'One' }).waitFor());
    await assertQuick('the suggestions', async () => {
      await person.button('Edit').click();
      const field = page.getByLabel('Colour of A-1');
      await field.fill('99998');
      await page.locator('datalist option').first().waitFor({ state: 'attached' });
    });
    const found = await page.evaluate<string[]>('[...document.activeElement.list.options].map((one) => one.value)');
    assert.ok(found.includes('colour 99998'), found.slice(0, 5).join());
  });

  it('shows a value of a megabyte in a table, in the page of its item and in its row that failed', async () => {
    const { page } = person;
    await assertUsable('the items', 'items', () => page.getByRole('rowheader', { name: 'A-2' }).waitFor());
    const heading = () => page.getByRole('heading', { name: 'A-2' }).waitFor();
    await assertUsable('an item with a long value', 'items/item?sku=A-2', heading);
    await assertQuick('the whole value', async () => {
      await page.getByRole('button', { name: /^Show all/ }).click();
      await page
        .getByText(/x end$/)
        .first()
        .waitFor();
    });
    await assertUsable('a long value that failed', `imports/${job}`, () =>
      page.locator('.grid tbody tr').nth(2).waitFor(),
    );
    assert.equal(await page.locator('.grid tbody tr').count(), 3, 'of so many columns, few rows at once');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });
});
