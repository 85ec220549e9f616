/** A search in the console that takes long, because there is much to read: it says how far it is, can be stopped, and goes on. */
import assert from 'node:assert/strict';
import { until } from '../support/until.js';
import { type ConsoleCatalog, openConsoleCatalog } from '../support/worlds/console-catalog.js';
import { skipWithoutChromium } from '../support/worlds/test-browser.js';

/** Longer than the API accepts today: they may be there from another time. */
const LONG_TITLES = `
  UPDATE item SET attributes = (
    SELECT jsonb_object_agg(key, CASE WHEN value #>> '{}' LIKE 'Title %' THEN to_jsonb(repeat('long ', 4000)) ELSE value END)
    FROM jsonb_each(attributes))
  WHERE sku BETWEEN 'X-00001' AND 'X-06000'`;

describe('a long search in the console', function () {
  this.timeout(240_000);
  let catalog: ConsoleCatalog;

  before(async function () {
    skipWithoutChromium(this);
    catalog = await openConsoleCatalog();
    await catalog.world.db.raw(LONG_TITLES);
    catalog.person.page.setDefaultTimeout(60_000);
    await catalog.person.logIn(catalog.token);
  });
  after(() => catalog?.stop());

  it('says how far it is, is stopped, asks nothing any more, and searches on when one says so', async () => {
    const { person } = catalog;
    const { page } = person;
    await page.goto('/console/production/items');
    await page.getByRole('rowheader', { name: 'X-00001' }).waitFor();
    let asked = 0;
    // Only the first answer comes until somebody has seen it: the next ones may be there within a few frames of each other.
    const held: (() => Promise<void>)[] = [];
    let isSeen = false;
    await page.route('**/*', async (route) => {
      if (route.request().postData()?.includes('"q":"not in any of them"') !== true) return route.continue();
      asked++;
      if (asked === 1 || isSeen) return route.continue();
      held.push(() => route.abort());
    });
    const progress = page.locator('.search-progress');
    await page.getByLabel('Search in SKU and title').fill('not in any of them');
    await progress.getByText(/^Nothing found yet, searched as far as X-\d+$/).waitFor();
    await until('it goes on by itself', () => held.length > 0, 20_000);
    await person.button('Stop').click();
    await person.button('Search on').waitFor();
    isSeen = true;
    // It is not waited for any more.
    for (const end of held) await end().catch(() => undefined);
    const before = asked;
    const reached = await progress.locator('span').first().textContent();
    await person.assertOpenToAll('a search that was stopped');
    assert.equal(asked, before);
    assert.equal(await progress.locator('span').first().textContent(), reached);
    await person.button('Search on').click();
    await page.getByText('No item is like this').waitFor({ timeout: 180_000 });
    assert.ok(asked > before);
    assert.deepEqual(person.wrong, []);
  });
});
