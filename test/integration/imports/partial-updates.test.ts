/** What a row leaves unsaid stays as it is; what it clears is gone. */
import assert from 'node:assert/strict';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import { places, type Shop } from '../../support/http/shop.js';
import { DISK, SAMPLE_CATALOG, TAPE } from '../../support/models/sample-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';

withReaderOfRun('partial updates', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define(SAMPLE_CATALOG);
    const made = await shop.bulk('insert', [
      { sku: 'a', nodeName: DISK, attributes: { Title: 'A', Stock: 1, Weight: 1.5, Fragile: false } },
      { sku: 'b', nodeName: DISK, attributes: { Title: 'B', Stock: 2 } },
    ]);
    assert.equal(made.body.success.length, 2);
  });

  const attributes = async (sku: string) => (await shop.item(sku))?.attributes;

  for (const mode of ['upsert', 'update'] as const) {
    it(`${mode}: an empty cell and an absent column leave a value alone`, async () => {
      const outcome = await shop.importFile('items.csv', 'SKU,Title,Stock\na,,7\nb,"",\n', { mode });
      assert.deepEqual([outcome.updated, outcome.unchanged], [1, 1]);
      assert.deepEqual(await attributes('a'), { Title: 'A', Stock: 7, Weight: '1.5', Fragile: false });
      assert.deepEqual(await attributes('b'), { Title: 'B', Stock: 2 });
      assert.equal((await shop.item('a'))?.nodeName, 'PRIMARY->Storage->Disk');
    });

    it(`${mode}: NULL clears, \\NULL is the text, a leading backslash is doubled`, async () => {
      await shop.importFile('items.csv', 'SKU,Title,Stock\na,NULL,NULL\nb,\\NULL,\n', { mode });
      assert.deepEqual(await attributes('a'), { Weight: '1.5', Fragile: false });
      assert.deepEqual(await attributes('b'), { Title: 'NULL', Stock: 2 });
      await shop.importFile('items.csv', 'SKU,Title\na,\\\\NULL\nb,\\\\\\\\host\\share\n', { mode });
      assert.equal((await attributes('a'))?.Title, '\\NULL');
      assert.equal((await attributes('b'))?.Title, '\\\\\\host\\share');
      await shop.importFile('items.csv', 'SKU,Title\na,C:\\temp\nb,null\n', { mode });
      assert.equal((await attributes('a'))?.Title, 'C:\\temp');
      assert.equal((await attributes('b'))?.Title, 'null');
    });

    it(`${mode}: JSON null and the empty text clear, what is not named stays`, async () => {
      const { body } = await shop.bulk(mode, [
        { sku: 'a', attributes: { Title: null, Stock: 0 } },
        { sku: 'b', attributeValues: [{ name: ' TITLE ', value: '' }] },
      ]);
      assert.deepEqual(
        body.success.map(({ message }: { message: string }) => message),
        ['updated', 'updated'],
      );
      assert.deepEqual(await attributes('a'), { Stock: 0, Weight: '1.5', Fragile: false });
      assert.deepEqual(await attributes('b'), { Stock: 2 });
    });
  }

  it('clearing what is not there changes nothing', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Released\na,NULL\n');
    assert.equal(outcome.unchanged, 1);
  });

  it('a new item takes NULL for no value', async () => {
    await shop.importFile('items.csv', `SKU,Category Node,Title,Stock\nc,${DISK},NULL,5\n`);
    assert.deepEqual(await attributes('c'), { Stock: 5 });
  });

  it('an item moves to another category, if that has its new values', async () => {
    const rows = `SKU,Category Node,Title,Stock\na,${TAPE},moved,\nb,${TAPE},,9\n`;
    const outcome = await shop.importFile('items.csv', rows);
    assert.deepEqual(places(outcome), [[3, 'Stock', 'ATTRIBUTE_NOT_ASSIGNED']]);
    assert.equal((await shop.item('a'))?.nodeName, 'PRIMARY->Storage->Tape');
    assert.equal((await shop.item('b'))?.nodeName, 'PRIMARY->Storage->Disk');
  });

  it('a file without a category updates what exists and cannot create', async () => {
    const outcome = await shop.importFile('items.csv', 'SKU,Title\na,changed\nnew,x\n');
    assert.deepEqual(places(outcome), [[3, 'Category Node', 'NODE_NOT_FOUND']]);
    assert.deepEqual([outcome.updated, outcome.failed], [1, 1]);
  });

  it('categories are named by path with or without the root, by node id, by id, whatever their case', async () => {
    const nodeId = await shop.category(DISK);
    const rows = ['PRIMARY->Storage->Disk', ' storage -> DISK ', String(nodeId), `"${DISK}"`].map(
      (node, index) => `n${index},${node}`,
    );
    const outcome = await shop.importFile('items.csv', `SKU,Hierarchy Node\n${rows.join('\n')}\n`);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 4]);
    const { body } = await shop.bulk('insert', [
      { sku: 'm0', nodeId },
      { sku: 'm1', nodeId: DISK },
      { sku: 'm2', nodeName: DISK, nodeId },
    ]);
    assert.equal(body.success.length, 3);
  });

  it('update creates nothing and insert changes nothing', async () => {
    const update = await shop.importFile('items.csv', 'SKU,Title\na,1\nnew,2\n', { mode: 'update' });
    assert.deepEqual([update.updated, places(update)], [1, [[3, 'SKU', 'SKU_NOT_FOUND']]]);
    const rows = `SKU,Category Node,Title\na,${DISK},3\nnew,${DISK},4\n`;
    const insert = await shop.importFile('items.csv', rows, { mode: 'insert' });
    assert.deepEqual([insert.created, places(insert)], [1, [[2, 'SKU', 'SKU_EXISTS']]]);
    assert.deepEqual(await shop.values('Title'), { a: '1', b: 'B', new: '4' });
  });
});
