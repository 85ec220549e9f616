/** When an item is LIVE, and under which channels it is seen. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the status of an item', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', 'Image', { name: 'Active', type: 'BOOLEAN' }],
      categories: { Disk: ['Title!', 'Image!', 'Active'], Tape: ['Title', 'Image', 'Active'] },
      mapping: { active: 'Active' },
    });
  });

  const statuses = async (): Promise<string> =>
    (await shop.items()).map(({ sku, status }) => `${sku} ${status}`).join(', ');

  it('is DRAFT until everything mandatory is there, then LIVE, and DRAFT again when it is taken away', async () => {
    await shop.importFile('items.csv', 'SKU,Category Node,Title,Image\na,Disk,A,\nb,Disk,B,b.png\nc,Tape,,\n');
    assert.equal(await statuses(), 'a DRAFT, b LIVE, c LIVE');
    await shop.importFile('items.csv', 'SKU,Image\na,a.png\nb,NULL\n');
    assert.equal(await statuses(), 'a LIVE, b DRAFT, c LIVE');
    await shop.bulk('update', [
      { sku: 'a', attributes: { Title: null } },
      { sku: 'b', attributes: { Image: 'b.png' } },
    ]);
    assert.equal(await statuses(), 'a DRAFT, b LIVE, c LIVE');
  });

  it('follows the item into another category', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Tape' }]);
    await shop.bulk('update', [{ sku: 'a', nodeName: 'Disk' }]);
    assert.equal(await statuses(), 'a DRAFT');
    await shop.bulk('update', [{ sku: 'a', nodeName: 'Tape' }]);
    assert.equal(await statuses(), 'a LIVE');
  });

  it('is DRAFT while the attribute mapped to active is false', async () => {
    await shop.importFile('items.csv', 'SKU,Category Node,Active\na,Tape,no\nb,Tape,yes\nc,Tape,\n');
    assert.equal(await statuses(), 'a DRAFT, b LIVE, c LIVE');
    await shop.importFile('items.csv', 'SKU,Active\na,true\nb,0\nc,FALSE\n');
    assert.equal(await statuses(), 'a LIVE, b DRAFT, c DRAFT');
    await shop.importFile('items.csv', 'SKU,Active\nb,NULL\n');
    assert.equal(await statuses(), 'a LIVE, b LIVE, c DRAFT');
  });

  it('changes with the definitions before items that are accepted later, whose rows are the same', async () => {
    const row = 'SKU,Category Node,Title\na,Tape,A\n';
    await shop.importFile('items.csv', row);
    await shop.category('Tape', ['Image!']);
    const again = await shop.importFile('items.csv', row);
    assert.equal(again.unchanged, 1);
    assert.equal(await statuses(), 'a DRAFT');
  });

  describe('with an attribute mapped to the SKU', () => {
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: [{ name: 'Article No', type: 'TEXT', validation: { required: true, unique: true } }, 'Title'],
        categories: { Disk: ['Title', 'Article No!'] },
        mapping: { sku: 'Article No', title: 'Title' },
      });
    });

    it('the attribute is the key, is filled by it, and is never missing', async () => {
      await shop.importFile('items.csv', 'article no,Category Node,Title\n007,Disk,Bond\n');
      await shop.bulk('insert', [{ sku: '"008"', nodeName: 'Disk' }]);
      assert.deepEqual(await shop.values('Article No'), { '"008"': '"008"', '007': '007' });
      assert.equal(await statuses(), '"008" LIVE, 007 LIVE');
    });

    it('it cannot say another thing than the SKU', async () => {
      const outcome = await shop.importFile(
        'items.csv',
        'SKU,Category Node,Article No\na,Disk,b\nc,Disk,c\nd,Disk,\ne,Disk,NULL\n',
      );
      assert.deepEqual([outcome.created, outcome.failed], [3, 1]);
      assert.equal(outcome.errors[0]?.column, 'Article No');
      assert.match(outcome.errors[0]?.message ?? '', /is mapped to the SKU/);
      assert.deepEqual(await shop.values('Article No'), { c: 'c', d: 'd', e: 'e' });
      const again = await shop.bulk('upsert', [{ sku: 'c', attributes: { 'Article No': null } }]);
      assert.equal(again.body.success[0].message, 'unchanged');
    });
  });
});

describe('the channels of an item', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });

  const rows = 'SKU,Category Node,Title\na,Disk,A\nb,Disk,B\n';
  const under = (channel: number) => ({ context: { channel } });
  const channels = async () => Object.fromEntries((await shop.items()).map(({ sku, channels: of }) => [sku, of]));

  it('are those under which it was written; an item written under none is everybody’s', async () => {
    await shop.importFile('items.csv', rows, {}, under(4));
    await shop.bulk('insert', [{ sku: 'c', nodeName: 'Disk' }]);
    assert.deepEqual(await channels(), { a: [4], b: [4], c: null });
    const seen = async (channel: number) => (await shop.items({ channel })).map(({ sku }) => sku);
    assert.deepEqual(await seen(4), ['a', 'b', 'c']);
    assert.deepEqual(await seen(5), ['c']);
  });

  it('grow with each channel under which the same row comes', async () => {
    await shop.importFile('items.csv', rows, {}, under(4));
    const second = await shop.importFile('items.csv', rows, {}, under(2));
    assert.equal(second.updated, 2);
    assert.deepEqual(await channels(), { a: [2, 4], b: [2, 4] });
    const third = await shop.importFile('items.csv', rows, {}, under(4));
    assert.equal(third.unchanged, 2);
  });

  it('are left alone by a row that comes under none, and an untagged item stays untagged', async () => {
    await shop.importFile('items.csv', rows, {}, under(4));
    await shop.importFile('items.csv', 'SKU,Title\na,changed\n');
    await shop.bulk('insert', [{ sku: 'c', nodeName: 'Disk' }]);
    await shop.bulk('upsert', [{ sku: 'c', attributes: { Title: 'C' } }], under(4));
    assert.deepEqual(await channels(), { a: [4], b: [4], c: null });
  });

  it('channel 0 is a channel', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk' }], under(0));
    assert.deepEqual(await channels(), { a: [0] });
  });
});
