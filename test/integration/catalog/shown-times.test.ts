/** A time that is shown is a bound that includes what it was shown with. */
import assert from 'node:assert/strict';
import { exportText } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SHOWN = '2026-03-01T10:00:00.123Z';
const EARLIER = '2026-03-01T10:00:00.122Z';

describe('a time as it is shown, as a bound', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Hats: ['Title'] } });
    assert.equal((await shop.bulk('insert', [{ sku: 'a', nodeName: 'Hats' }])).status, 200);
    const stored = '2026-03-01T10:00:00.123999Z';
    for (const table of ['item', 'category', 'attribute']) {
      await world.db(table).where({ site_id: shop.siteId }).update({ created_at: stored, updated_at: stored });
    }
  });
  after(() => world.stop());

  it('includes it as the date of a list', async () => {
    const seen = async (date: string) => {
      const found: number[] = [];
      for (const path of [
        '/api-product/v1/product',
        '/api-product/v1/product/attribute',
        '/api-category/v1/category',
        '/api-category/v1/category/tree',
      ]) {
        const { status, body } = await shop.call('GET', path, { context: { date } });
        assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
        found.push(body.data.length);
      }
      return found.map((length) => length > 0);
    };
    assert.deepEqual(await seen(SHOWN), [true, true, true, true]);
    assert.deepEqual(await seen('9999-12-31T23:59:59.999Z'), [true, true, true, true]);
    assert.deepEqual(await seen(EARLIER), [false, false, false, false]);
  });

  it('includes it as either bound of an export, and as both', async () => {
    const rows = async (match: object) => (await exportText(shop, { body: { match } })).trim().split('\n').length - 1;
    for (const field of ['createdAt', 'updatedAt']) {
      assert.equal(await rows({ [field]: { fromValue: SHOWN, toValue: SHOWN } }), 1, field);
      assert.equal(await rows({ [field]: { op: 'LTE', value: '9999-12-31T23:59:59.999Z' } }), 1, field);
      assert.equal(await rows({ [field]: { op: 'LTE', value: EARLIER } }), 0, field);
    }
  });
});
