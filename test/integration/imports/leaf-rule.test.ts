/** Items lie in leaves, whatever happens at once: what is filled takes no children, and what has children no items. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const LEAVES = ['Disk', 'Tape', 'Cable'];

describe('the leaf rule', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    for (const leaf of LEAVES) await shop.category(leaf);
  });

  const filled = async (): Promise<string[]> =>
    world
      .db('category')
      .join('filled_category as note', (on) =>
        on.on('note.site_id', 'category.site_id').on('note.node_id', 'category.node_id'),
      )
      .where('category.site_id', shop.siteId)
      .distinct('name')
      .orderBy('name')
      .pluck('name');
  const child = (leaf: string) => async () =>
    shop.call('POST', CATEGORY, { body: { name: 'Child', parentNodeId: await shop.category(leaf) } });
  const itemsInParents = async (): Promise<string[]> =>
    world
      .db('item')
      .join('category as held', (on) => on.on('held.site_id', 'item.site_id').on('held.node_id', 'item.node_id'))
      .join('category as child', 'child.parent_id', 'held.id')
      .where('item.site_id', shop.siteId)
      .pluck('item.sku');

  it('holds while items are imported and children are made', async () => {
    const rows = Array.from({ length: 45 }, (_, index) => `S-${index},${LEAVES[index % 3]}`);
    const jobId = await shop.upload('items.csv', `SKU,Category Node\n${rows.join('\n')}\n`);
    let ended = false;
    const outcome = shop.outcome(jobId).finally(() => {
      ended = true;
    });
    const codes = new Set<string>();
    while (!ended) {
      for (const leaf of LEAVES) {
        const { status, body } = await child(leaf)();
        codes.add(status === 200 ? 'made' : body.code);
      }
    }
    const { created } = await outcome;
    assert.deepEqual(await itemsInParents(), []);
    for (const code of codes) assert.ok(['made', 'JOB_PENDING', 'NODE_HOLDS_ITEMS'].includes(code), code);
    if (!codes.has('made')) assert.equal(created, 45);
  });

  it('goes by what was filled, and looks at items where it has to', async () => {
    await shop.bulk('insert', [
      { sku: 'A', nodeName: 'Disk' },
      { sku: 'B', nodeName: 'Nowhere' },
    ]);
    assert.deepEqual(await filled(), ['Disk']);
    assert.equal((await child('Disk')()).body.code, 'NODE_HOLDS_ITEMS');
    assert.equal((await child('Cable')()).status, 200);
    await shop.bulk('upsert', [{ sku: 'A', nodeName: 'Tape' }]);
    assert.deepEqual(await filled(), ['Disk', 'Tape']);
    assert.equal((await child('Disk')()).status, 200, 'its item lies elsewhere now');
    assert.deepEqual(await filled(), ['Tape']);
    await shop.bulk('upsert', [{ sku: 'A', nodeName: 'Disk->Child' }]);
    assert.deepEqual(await filled(), ['Child', 'Tape']);
  });

  it('notes what is filled after a try of which nothing stayed', async () => {
    const rows = 'SKU,Category Node\nA,Disk\nB,Tape\n';
    await shop.bulk('insert', [{ sku: 'A', nodeName: 'Disk' }], { query: 'validateOnly=true' });
    await shop.importFile('a.csv', rows, { validateOnly: true });
    await shop.importFile('a.csv', `${rows}C,Nowhere\n`, { onError: 'abort' });
    assert.deepEqual(await filled(), []);
    await shop.importFile('a.csv', rows);
    assert.deepEqual(await filled(), ['Disk', 'Tape']);
  });
});
