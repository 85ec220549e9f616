/** The table of items in a stage of a million, in a real Chromium: soon there, never blank for long, to the last row, in little memory. */
import assert from 'node:assert/strict';
import { loadavg } from 'node:os';
import { createToken } from '../../src/domain/access/tokens.js';
import { SCROLL_TO_THE_END } from '../support/models/scroll-items.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { skipWithoutChromium, startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ITEMS = 1_000_000;
const LAST = 'X-1000000';
const FIRST_WITHIN_MS = 500;
const MOST_BLANK_MS = 500;
const MOST_BYTES = 300_000_000;

describe('the items of a stage of a million in the console', function () {
  this.timeout(900_000);
  let world: World;
  let browser: TestBrowser;
  let person: ConsolePerson;

  before(async function () {
    skipWithoutChromium(this);
    world = await startWorld({ workers: true });
    const shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    const rows = [{ sku: 'A', nodeName: 'Disk', attributes: { Title: 'first', Price: 1 } }];
    assert.equal((await shop.bulk('insert', rows)).body.success.length, 1);
    await world.db.raw(
      `INSERT INTO item (site_id, sku, node_id, attributes)
       SELECT site_id, 'X-' || to_char(n, 'FM0000000'), node_id, attributes
       FROM item, generate_series(1, ?::integer) AS n WHERE sku = 'A'`,
      [ITEMS],
    );
    await world.db.raw('ANALYZE item');
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
    browser = await startTestBrowser(world.api.url);
    person = await ConsolePerson.open(browser);
    await person.logIn(token);
  });
  after(async () => {
    await browser?.stop();
    await world?.stop();
  });

  it('shows the first rows soon after the page was asked for', async () => {
    await person.page.goto('/console/production/items');
    await person.page.getByRole('rowheader', { name: 'X-0000001' }).waitFor();
    await person.page.goto('/console/production/items');
    const took = await person.page.evaluate<number>(FIRST_ROW);
    report(`first rows ${Math.round(took)} ms after the page was loaded`);
    assert.ok(took <= FIRST_WITHIN_MS, `${Math.round(took)} ms`);
  });

  it('is never blank for long while one scrolls, and reaches the last row in little memory', async () => {
    await person.page.goto('/console/production/items?from=X-0990000');
    await person.page.getByRole('rowheader', { name: 'X-0990000' }).waitFor();
    const longest = await person.page.evaluate<number>(SCROLL_TO_THE_END);
    await person.page.getByRole('rowheader', { name: LAST }).waitFor();
    const inspector = await person.page.context().newCDPSession(person.page);
    await inspector.send('HeapProfiler.collectGarbage');
    const { usedSize } = await inspector.send('Runtime.getHeapUsage');
    report(`longest blank ${Math.round(longest)} ms, heap ${Math.round(usedSize / 1e6)} MB`);
    assert.ok(longest <= MOST_BLANK_MS, `a blank of ${Math.round(longest)} ms`);
    assert.ok(usedSize <= MOST_BYTES, `${usedSize} bytes`);
  });
});

function report(figures: string): void {
  process.stdout.write(`      ${figures}; load ${loadavg()[0]?.toFixed(1)}\n`);
}

/** How long after its document was there the first row was shown. */
const FIRST_ROW = `new Promise((resolve) => {
  const loaded = performance.getEntriesByType('navigation')[0].responseEnd;
  const look = () => {
    if (document.querySelector('.item-row') === null) requestAnimationFrame(look);
    else resolve(performance.now() - loaded);
  };
  look();
})`;
