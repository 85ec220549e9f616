/** How a file that is the whole truth is compared with a stage that the statistics of Postgres do not know. */
import assert from 'node:assert/strict';
import { collectMissing } from '../../../src/domain/imports/snapshots/missing-items.js';
import type { Shop } from '../../support/http/shop.js';
import { canMeasure, sentBy } from '../../support/worlds/plans/sent-statements.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** Their numbers are in some twenty groups, each of which the comparison has as one row. */
const ITEMS = 20_000;
/** SKUs of a row of the file's notes. */
const NOTED = 5_000;

describe('a snapshot of a stage that Postgres has no statistics of', function () {
  this.timeout(120_000);
  let world: World;
  before(async function () {
    world = await startWorld({ workers: true });
    if (!(await canMeasure(world.db))) this.skip();
  });
  after(() => world.stop());

  it('goes through the SKUs of the file once, and not once for each group of items', async () => {
    const [known, fresh] = [await shopOf(), await shopOf()];
    await fill(known);
    const jobId = await fresh.upload('one.csv', 'SKU,Title\nITEM-1,\n', { mode: 'upsert' });
    await fresh.outcome(jobId);
    await world.db.raw(
      `INSERT INTO snapshot_sku (job_id, skus, words, masks)
       SELECT :jobId, array_agg('ITEM-' || n ORDER BY n), '{}', '{}' FROM generate_series(1, :items::integer) AS n
       GROUP BY n / :noted::integer`,
      { jobId, items: ITEMS, noted: NOTED },
    );
    await world.db.raw('ANALYZE');
    await fill(fresh);
    let counted = {};
    const sent = await sentBy(world.db, async (trx) => {
      const snapshot = { jobId, siteId: fresh.siteId, channel: null, content: 'items' } as const;
      counted = await collectMissing(trx, snapshot, {
        scope: { key: 'stage', sql: 'true', bindings: {} },
        values: null,
      });
    });
    assert.deepEqual(counted, { inScope: ITEMS, missing: 0 });
    const { plan } = sent.find(({ text }) => text.includes('INSERT INTO missing_item')) ?? { plan: '' };
    const rows = [...plan.matchAll(/ProjectSet +\((\d+) rows/g)].map(([, count]) => Number(count));
    assert.ok(rows.length > 0, plan);
    assert.ok(Math.max(...rows) <= ITEMS, plan);
  });

  const shopOf = async () => (await world.newShop()).define({ attributes: ['Title'], categories: { A: ['Title'] } });

  /** Gives a stage so many items, of which the first one comes by a job. */
  const fill = async (shop: Shop) => {
    const { text, body } = await shop.bulk('upsert', [{ sku: 'ITEM-1', nodeName: 'A' }]);
    assert.deepEqual(body.failed, [], text);
    await world.db.raw(
      `INSERT INTO item (site_id, sku, node_id, status, attributes)
       SELECT site_id, 'ITEM-' || n, node_id, status, attributes FROM item, generate_series(2, :items::integer) AS n
       WHERE site_id = :siteId AND sku = 'ITEM-1'`,
      { siteId: shop.siteId, items: ITEMS },
    );
  };
});
