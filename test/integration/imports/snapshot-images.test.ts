/** What the change log keeps of items that a file lacks is the same, whether a worker reads them or they stay in Postgres. */
import assert from 'node:assert/strict';
import type { FileOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { defineAlternates } from '../../support/models/item-jobs.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ODD = 'a "quoted" \\ text,\nof two lines: {"b":1} \u2028 Zoë 🛟';
const ROWS = [
  { sku: 'plain', nodeName: 'A', attributes: { Title: ODD, Price: 7, Weight: 1.25, Tags: 'y "z"' } },
  { sku: 'bare', nodeName: 'A' },
  { sku: 'odd "sku" \\ ë', nodeName: 'A', channels: [2, 1], alternateCategories: ['Summer->Sale', 'Gifts'] },
  { sku: 'child', nodeName: 'A', parentSku: 'plain', attributes: { Price: 8 } },
  { sku: 'stays', nodeName: 'A' },
  { sku: 'kit', type: 'BUNDLE', nodeName: 'A', bundleItems: [{ sku: 'stays', quantity: 3 }] },
  { sku: 'other kit', type: 'BUNDLE', nodeName: 'A', bundleItems: [{ sku: 'stays', quantity: 1 }] },
];
const GOES = { ITEM_IMPORT: ['bare', 'child', 'odd "sku" \\ ë', 'plain'], BUNDLE_IMPORT: ['kit'] };

describe('what a file lacks and is deleted', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await defineAlternates(
      await (await world.newShop()).define({
        attributes: [
          'Title',
          { name: 'Price', type: 'INTEGER' },
          { name: 'Weight', type: 'DECIMAL' },
          { name: 'Tags', type: 'OPTIONS', options: ['x', 'y "z"'] },
        ],
        categories: { A: ['Title', 'Price', 'Weight', 'Tags'] },
      }),
    );
  });

  for (const [type, going] of Object.entries(GOES)) {
    it(`is recorded alike by a dry run, by a job of which nobody is told, and by one of which somebody is (${type})`, async () => {
      const truth = async (options: FileOptions = {}) => {
        const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };
        const content = type === 'ITEM_IMPORT' ? 'SKU\nstays\n' : 'SKU,Items\nother kit,stays:1\n';
        const job = await shop.importFile('all.csv', content, { snapshot, ...options }, { type });
        assert.equal(job.failed, 0, job.message);
        return recorded(world, job.id);
      };
      const created = await shop.bulk('upsert', ROWS);
      assert.deepEqual(created.body.failed, [], created.text);
      const shown = await truth({ validateOnly: true });
      const done = await truth();
      assert.deepEqual(
        done.map(({ sku }) => sku),
        going,
      );
      assert.deepEqual(done, shown);
      await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ source: 'CATALOG', events: ['*'] }) });
      await shop.bulk('upsert', ROWS);
      const told = await truth();
      const [event] = await world.db('event').where({ site_id: shop.siteId, event: 'ITEM_DELETED' });
      assert.deepEqual([...JSON.parse(event.payload).skus].sort(), going);
      // The items were made again, which is all that differs.
      const timeless = (all: typeof told) =>
        all.map(({ changed: { $createdAt: at, ...changed }, ...rest }) => ({ ...rest, changed, at: typeof at }));
      assert.deepEqual(timeless(told), timeless(done));
    });
  }
});

async function recorded(world: World, jobId: string) {
  const { rows } = await world.db.raw<{ rows: { n: number; sku: string; changed: Record<string, unknown> }[] }>(
    `SELECT item_change.n, item_change.sku, item_change.operation, item_change.row_no, item_change.changed
     FROM change_set JOIN item_change ON item_change.set_id = change_set.id AND item_change.at = change_set.at
     WHERE change_set.job_id = ? AND item_change.operation = 'D' ORDER BY item_change.sku`,
    [jobId],
  );
  return rows;
}
