/** How elements of JSON name an item, its category and its attributes, in the corners of these names. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('names in elements of JSON', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  it('a nodeId of digits is a node id as a text too, whatever categories are called', async () => {
    const nodeId = await shop.category('Hats');
    await shop.category(String(nodeId));
    for (const given of [nodeId, String(nodeId)]) {
      const { status, body } = await shop.bulk('upsert', [{ sku: 'A', nodeId: given }]);
      assert.equal(status, 200, JSON.stringify(body));
      assert.match((await shop.items())[0]?.nodeName ?? '', /Hats$/);
    }
    const { body } = await shop.bulk('upsert', [{ sku: 'A', nodeId: '987654' }]);
    assert.match(body.errors[0].message, /there is no category with the node id 987654/);
  });

  it('a SKU may have 255 characters, however they are encoded', async () => {
    await shop.category('Hats');
    for (const sku of ['😀'.repeat(200), '😀'.repeat(255), 'x'.repeat(255)]) {
      const { status, body } = await shop.bulk('insert', [{ sku, nodeName: 'Hats' }]);
      assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
      const file = await shop.importFile('a.csv', `SKU,Category Node\n${sku},Hats\n`);
      assert.deepEqual([file.status, file.unchanged], ['COMPLETED', 1], JSON.stringify(file.errors).slice(0, 300));
    }
    const long = await shop.bulk('insert', [{ sku: `x${'😀'.repeat(255)}`, nodeName: 'Hats' }]);
    assert.match(long.body.errors[0].message, /has 256 characters; at most 255/);
  });

  it('an entry of attributeValues that lacks something is named with what it lacks', async () => {
    await shop.define({ attributes: ['T'], categories: { Hats: ['T'] } });
    for (const [entry, message] of [
      [
        { name: 'T' },
        '"attributeValues[1]" has no "value": write {"name": "T", "value": …}, with null to clear the value',
      ],
      [{ value: 'x' }, '"attributeValues[1]" has no "name": name the attribute'],
      ['T', '"attributeValues[1]" must be an object with "name" and "value", got the text "T"'],
    ] as const) {
      const attributeValues = [{ name: 'T', value: 'x' }, entry];
      const { body } = await shop.bulk('insert', [{ sku: 'A', nodeName: 'Hats', attributeValues }]);
      assert.deepEqual(body.errors[0], { index: 0, path: 'attributeValues', code: 'VALUE_TYPE', message });
    }
  });
});
