/** Items of alternate trees. */
import assert from 'node:assert/strict';
import { removeItems } from '../../../src/domain/imports/deletions/remove-items.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { addItems } from '../../support/worlds/catalog-rows.js';
import { OWN_SESSIONS } from '../../support/worlds/own-sessions.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

describe('items of alternate trees over HTTP', () => {
  let world: World;
  let caller: Shop;
  let summer: { id: string; nodeId: number };
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
    summer = (await caller.post(CATEGORY, { name: 'Summer', type: 'ALTERNATE' })).body;
    await addItems(world.db, caller.site.siteId, [{ sku: 'A' }, { sku: 'B' }, { sku: 'C', channels: [2] }]);
  });

  const setItems = (body: object, context?: { channel: number }) =>
    caller.post(`${CATEGORY}/item`, { id: summer.id, ...body }, context === undefined ? {} : { context });
  const members = async (): Promise<string[]> => {
    const { body } = await caller.get(`/api-product/v1/product?nodeId=${summer.nodeId}`);
    return body.data.map(({ sku }: { sku: string }) => sku);
  };

  it('puts items in and takes them out, telling each', async () => {
    const set = await setItems({
      items: [{ sku: ' A ' }, { sku: 'B', action: 'SET' }, { sku: 'nope', action: 'SET' }],
    });
    assert.equal(set.status, 200);
    assert.equal(set.body.nodeId, summer.nodeId);
    assert.deepEqual(
      set.body.success.map(({ index, sku }: Record<string, unknown>) => [index, sku]),
      [
        [0, 'A'],
        [1, 'B'],
      ],
    );
    assert.deepEqual(
      set.body.failed.map(({ index, sku, code }: Record<string, unknown>) => [index, sku, code]),
      [[2, 'nope', 'SKU_NOT_FOUND']],
    );
    assert.deepEqual(await members(), ['A', 'B']);
    await setItems({ items: [{ sku: 'A', action: 'UNSET' }] });
    assert.deepEqual(await members(), ['B']);
  });

  it('says what was so already', async () => {
    await setItems({ items: [{ sku: 'A' }] });
    const { body } = await setItems({ items: [{ sku: 'A' }, { sku: 'B', action: 'UNSET' }] });
    assert.deepEqual(
      body.success.map(({ message }: { message: string }) => message),
      ['nothing to change', 'nothing to change'],
    );
  });

  it('lets the last of two changes of one SKU count', async () => {
    const { body } = await setItems({
      items: [
        { sku: 'A', action: 'SET' },
        { sku: 'A', action: 'UNSET' },
      ],
    });
    assert.deepEqual(
      body.failed.map(({ index, code }: Record<string, unknown>) => [index, code]),
      [[0, 'SKU_DUPLICATE_IN_REQUEST']],
    );
    assert.deepEqual(await members(), []);
  });

  it('knows no item that the channel does not see', async () => {
    const { body } = await setItems({ items: [{ sku: 'A' }, { sku: 'C' }] }, { channel: 1 });
    assert.deepEqual(
      body.failed.map(({ sku }: { sku: string }) => sku),
      ['C'],
    );
  });

  it('refuses primary categories, parents, unknown and foreign ones', async () => {
    const { body: primary } = await caller.post(CATEGORY, { name: 'Storage' });
    const post = (named: object) => caller.post(`${CATEGORY}/item`, { ...named, items: [{ sku: 'A' }] });
    assert.equal((await post({ id: primary.id })).body.code, 'NODE_NOT_ALTERNATE');
    await caller.post(CATEGORY, { name: 'Beach', parentId: summer.id });
    assert.equal((await post({ id: summer.id })).body.code, 'NODE_NOT_LEAF');
    assert.equal((await post({ nodeId: 4711 })).body.code, 'NODE_NOT_FOUND');
    const other = await world.newShop();
    const foreign = await other.post(`${CATEGORY}/item`, { id: summer.id, items: [{ sku: 'A' }] });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'NODE_NOT_FOUND']);
    for (const bad of [{}, { id: summer.id, nodeId: summer.nodeId }]) assert.equal((await post(bad)).status, 400);
    assert.equal((await setItems({ items: [] })).status, 400);
    assert.equal((await setItems({ items: [{ sku: 'a\u0000' }] })).status, 400);
  });

  it('refuses a child of an alternate category that holds items, whichever comes first', async () => {
    await setItems({ items: [{ sku: 'A' }] });
    assert.equal((await caller.post(CATEGORY, { name: 'Beach', parentId: summer.id })).body.code, 'NODE_HOLDS_ITEMS');
    for (let round = 0; round < 10; round++) {
      const { body: root } = await caller.post(CATEGORY, { name: `Race ${round}`, type: 'ALTERNATE' });
      const [filled, child] = await Promise.all([
        caller.post(`${CATEGORY}/item`, { id: root.id, items: [{ sku: 'A' }] }),
        caller.post(CATEGORY, { name: 'Child', parentId: root.id }),
      ]);
      assert.deepEqual([filled.status, child.status].sort(), [200, 400], `round ${round}`);
    }
  });

  it('puts nothing in that is deleted meanwhile: a later item with its SKU would be there', async () => {
    const isBlocked = async (pid: number) => {
      const waiting = world.db.from(world.db.raw(OWN_SESSIONS)).whereRaw('? = ANY (pg_blocking_pids(pid))', [pid]);
      return (await waiting).length > 0;
    };
    const setting = await world.db.transaction(async (trx) => {
      const { rows } = await trx.raw('SELECT pg_backend_pid() AS pid');
      await removeItems(trx, caller.siteId, ['A'], new Map());
      const sent = setItems({ items: [{ sku: 'A' }, { sku: 'B' }] });
      await until('the request waits for the deletion', () => isBlocked(rows[0].pid), 20_000);
      return { sent };
    });
    const { body } = await setting.sent;
    assert.deepEqual(
      body.failed.map(({ sku, code }: Record<string, unknown>) => [sku, code]),
      [['A', 'SKU_NOT_FOUND']],
    );
    await addItems(world.db, caller.site.siteId, [{ sku: 'A' }]);
    assert.deepEqual(await members(), ['B']);
  });

  it('takes 10,000 items at once', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `M-${index}`);
    await world.db.raw(
      "INSERT INTO item (site_id, sku, attributes) SELECT ?, sku, '{}' FROM unnest(?::text[]) AS sku",
      [caller.site.siteId, rows],
    );
    const { body } = await setItems({ items: rows.map((sku) => ({ sku })) });
    assert.equal(body.success.length, 10_000);
  });
});
