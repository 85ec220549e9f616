/** Exports that are wider than their format: refused with the way out, and not one column before that. */
import assert from 'node:assert/strict';
import { acceptExport, exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** What Postgres writes of one row. */
const MOST_COLUMNS = 1_600;
/** Category Node, SKU and Parent SKU. */
const FIXED_COLUMNS = 3;

describe('the columns of an export', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  const names = Array.from({ length: MOST_COLUMNS - FIXED_COLUMNS + 1 }, (_, index) => `Attribute ${index}`);

  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await (await world.newShop()).define({ attributes: names, categories: { Disk: names } });
    const attributes = Object.fromEntries(names.map((name) => [name, name]));
    const { body } = await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes }]);
    assert.equal(body.success?.length, 1, JSON.stringify(body).slice(0, 500));
  });
  after(() => world.stop());

  for (const format of ['CSV', 'XLSX']) {
    it(`end at 1,600 as ${format}: one more is refused, with the way out`, async () => {
      const refused = await untilEnded(shop, await acceptExport(shop, { body: { format } }));
      assert.deepEqual([refused.status, refused.reason, refused.outputFiles], ['REJECTED', 'TOO_MANY_COLUMNS', []]);
      assert.match(
        refused.statusMessage,
        /1601 columns; at most 1600.*Name the columns that you need, or export JSONL/,
      );
    });

    it(`are 1,600 as ${format} where so many are asked for, and come back`, async () => {
      const columns = ['SKU', 'Category Node', 'Parent SKU', ...names.slice(1)];
      const { bytes, name } = await exportFile(shop, { body: { format, columns } });
      const again = await shop.importFile(name, bytes);
      assert.deepEqual([again.status, again.unchanged, again.total], ['COMPLETED', 1, 1], JSON.stringify(again));
    });
  }

  it('are no matter of JSON Lines', async () => {
    const { bytes, text, name } = await exportFile(shop, { body: { format: 'JSONL' } });
    assert.equal(Object.keys(JSON.parse(text).attributes).length, names.length);
    assert.equal((await shop.importFile(name, bytes)).unchanged, 1);
  });
});
