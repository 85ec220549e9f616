/** An attribute that is made unique when items have values of it already. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('an attribute made unique over existing items', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Gtin', { name: 'Weight', type: 'DECIMAL' }],
      categories: { Disk: ['Gtin', 'Weight'] },
    });
  });

  const insert = (values: Record<string, object>) =>
    shop.bulk(
      'upsert',
      Object.entries(values).map(([sku, attributes]) => ({ sku, nodeName: 'Disk', attributes })),
    );
  const makeUnique = (name: string, unique = true) =>
    shop.bulkAttributes([{ action: 'UPDATE', name, validation: { unique } }]);
  const reservations = async (): Promise<number> =>
    (await world.db('item_unique_value').where({ site_id: shop.siteId })).length;

  it('has their values claimed: what comes later may not repeat them', async () => {
    await insert({ a: { Gtin: 'é"\\\n', Weight: '0.00000012' }, b: { Gtin: '2', Weight: '1e21' }, c: {} });
    assert.equal((await makeUnique('Gtin')).body.attributes.success.length, 1);
    assert.equal((await makeUnique('Weight')).body.attributes.success.length, 1);
    assert.equal(await reservations(), 4);
    const { body } = await insert({ d: { Gtin: 'é"\\\n' }, e: { Weight: '0.00000012' }, f: { Weight: '1e21' }, g: {} });
    assert.deepEqual(
      body.failed.map(({ sku, code }: { sku: string; code: string }) => [sku, code]),
      [
        ['d', 'VALUE_NOT_UNIQUE'],
        ['e', 'VALUE_NOT_UNIQUE'],
        ['f', 'VALUE_NOT_UNIQUE'],
      ],
    );
    assert.match(body.failed[0].message, /the item "a" has the value/);
  });

  it('is refused, naming two items, when they share a value; and stays as it was', async () => {
    await insert({ a: { Gtin: '1' }, b: { Gtin: '2' }, c: { Gtin: '2' }, d: { Gtin: '1' } });
    const { body } = await makeUnique('Gtin');
    const [{ errors }] = body.attributes.failed;
    assert.deepEqual([errors[0].code, errors[0].path, errors[0].value], ['VALUE_NOT_UNIQUE', 'validation.unique', '2']);
    assert.match(errors[0].message, /the items "b" and "c" both have the value "2"/);
    assert.equal(await reservations(), 0);
    assert.equal((await insert({ e: { Gtin: '1' } })).body.success.length, 1);
  });

  it('gives the values up when it no longer is, and may be made unique again', async () => {
    await insert({ a: { Gtin: '1' } });
    await makeUnique('Gtin');
    await makeUnique('Gtin', false);
    assert.equal(await reservations(), 0);
    await insert({ b: { Gtin: '1' } });
    assert.equal((await makeUnique('Gtin')).body.errors?.length ?? 0, 0);
    assert.equal(await reservations(), 0);
    await insert({ b: { Gtin: '2' } });
    await makeUnique('Gtin');
    assert.equal(await reservations(), 2);
  });

  it('from a file names the column', async () => {
    await insert({ a: { Gtin: '1' }, b: { Gtin: '1' } });
    const file = 'Attribute Title,Type of Attribute,Unique\nGtin,SHORT TEXT,TRUE\n';
    const outcome = await shop.importFile('attributes.csv', file, {}, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual(
      outcome.errors.map(({ row, column, code }) => [row, column, code]),
      [[2, 'Unique', 'VALUE_NOT_UNIQUE']],
    );
  });
});
