/** A search in the console that takes long, because there is much to read: it says how far it is, can be stopped, and goes on. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/tokens.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ITEMS = 3_000;
const TITLE_LENGTH = 20_000;

describe('a long search in the console', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true, files: 'in a folder' });
    const shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] }, mapping: { title: 'Title' } });
    const rows = Array.from({ length: ITEMS }, (_, row) => `L-${String(row).padStart(4, '0')},Disk,Item`);
    await shop.importFile('long.csv', `SKU,Category Node,Title\n${rows.join('\n')}\n`);
    // Longer than the API accepts today: they may be there from another time.
    await world.db.raw(
      `UPDATE item SET attributes = (SELECT jsonb_object_agg(key, CASE WHEN value = '"Item"' THEN to_jsonb(repeat('long ', ?)) ELSE value END)
         FROM jsonb_each(attributes))`,
      [TITLE_LENGTH / 5],
    );
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser, '/console/production/items');
    person.page.setDefaultTimeout(30_000);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  it('says how far it is, is stopped, asks nothing any more, and searches on when one says so', async () => {
    const { page } = person;
    await page.getByRole('rowheader', { name: 'L-0000' }).waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('"q":"not in any of them"') === true) asked++;
    });
    const progress = page.locator('.search-progress');
    await page.getByLabel('Search in SKU and title').fill('not in any of them');
    await progress.getByText(/^Nothing found yet, searched as far as L-\d+$/).waitFor();
    await person.button('Stop').click();
    await person.button('Search on').waitFor();
    const before = asked;
    const reached = await progress.locator('span').first().textContent();
    await person.assertOpenToAll('a search that was stopped');
    assert.equal(asked, before);
    assert.equal(await progress.locator('span').first().textContent(), reached);
    await person.button('Search on').click();
    await page.getByText('No item is like this').waitFor({ timeout: 120_000 });
    assert.ok(asked > before);
    assert.deepEqual(person.wrong, []);
  });
});
