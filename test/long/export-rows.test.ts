/** A site that is one item larger than a sheet. */
import assert from 'node:assert/strict';
import { acceptExport } from '../support/http/exporting.js';
import { untilEnded } from '../support/http/until-ended.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** Below the header. */
const MOST_ROWS = 1_048_575;

describe('an export to a workbook', function () {
  this.timeout(600_000);
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());

  it('is refused with one item more than a sheet holds, and is written with one less', async () => {
    const shop = await (await world.newShop()).define({ categories: { Disk: [] } });
    const node = await shop.category('Disk');
    await world.db.raw(
      `INSERT INTO item (site_id, sku, node_id, attributes)
       SELECT ?, 'sku-' || n, ?, '{}' FROM generate_series(1, ?) AS n`,
      [shop.siteId, node, MOST_ROWS + 1],
    );
    const asked = { body: { format: 'XLSX', columns: ['SKU'] } };
    const refused = await untilEnded(shop, await acceptExport(shop, asked));
    assert.deepEqual([refused.status, refused.reason, refused.outputFiles], ['REJECTED', 'TOO_MANY_ROWS', []]);
    assert.match(refused.statusMessage, /1048576 rows at most.*Export CSV or JSONL instead/);
    await world.db('item').where({ site_id: shop.siteId, sku: 'sku-1' }).delete();
    const written = await untilEnded(shop, await acceptExport(shop, asked));
    assert.deepEqual([written.status, written.progressTracker.totalCount], ['COMPLETED', MOST_ROWS]);
  });
});
