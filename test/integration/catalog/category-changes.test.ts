/** Categories changed and deleted over HTTP: what is possible, what is refused, and what becomes of those below. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { addItems, addPendingJob } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

describe('categories changed over HTTP', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const create = (body: object): Promise<Answer['body']> => shop.ask('POST', CATEGORY, { body });
  const put = (body: object): Promise<Answer> => shop.call('PUT', CATEGORY, { body });
  const remove = (query: string): Promise<Answer> => shop.call('DELETE', `${CATEGORY}?${query}`);
  const refused = async (answer: Promise<Answer>, status: number, code: string, message = /./): Promise<void> => {
    const { status: given, body } = await answer;
    assert.deepEqual([given, body.code], [status, code], JSON.stringify(body));
    assert.match(body.message, message);
  };
  const version = async (): Promise<number> =>
    (await world.db('site').where({ id: shop.siteId }).first('definitions_version')).definitions_version;
  const wayTo = async (nodeId: number): Promise<string> => {
    const { data } = await shop.ask('GET', `${CATEGORY}?nodeIds=${nodeId}`);
    return data[0].breadcrumbs.map(({ name }: { name: string }) => name).join('->');
  };

  describe('PUT', () => {
    it('renames, reorders and switches off, and leaves alone what is not named', async () => {
      const storage = await create({ name: 'Storage', order: 4 });
      const { body: renamed } = await put({ nodeId: storage.nodeId, name: ' Stores ' });
      assert.deepEqual([renamed.name, renamed.order, renamed.active], ['Stores', 4, true]);
      assert.ok(renamed.modifiedOn > storage.modifiedOn);
      const { body: switched } = await put({ id: storage.id, active: false, order: -1 });
      assert.deepEqual([switched.name, switched.order, switched.active], ['Stores', -1, false]);
      assert.equal(switched.createdOn, storage.createdOn);
    });

    it('counts the definitions up for a change of a tree, and writes nothing where nothing changes', async () => {
      const storage = await create({ name: 'Storage' });
      const summer = await create({ name: 'Summer', type: 'ALTERNATE' });
      const before = await version();
      const { body: same } = await put({ id: storage.id, name: 'Storage', active: true, order: 0 });
      assert.equal(same.modifiedOn, storage.modifiedOn);
      assert.equal(await version(), before);
      await put({ id: summer.id, name: 'Winter' });
      assert.equal(await version(), before + 1, 'rows of items name alternate categories');
      await put({ id: storage.id, name: 'STORAGE' });
      assert.equal(await version(), before + 2, 'another case is another name');
    });

    it('moves a category with all that is below it', async () => {
      const storage = await create({ name: 'Storage' });
      const disk = await create({ name: 'Disk', parentId: storage.id });
      const ssd = await create({ name: 'SSD', parentId: disk.id });
      const old = await create({ name: 'Old' });
      const { status, body } = await put({ id: disk.id, parentNodeId: old.nodeId, name: 'Disks' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await wayTo(ssd.nodeId), 'PRIMARY->Old->Disks->SSD');
      const row = await world.db('category').where({ id: ssd.id }).first();
      assert.deepEqual([row.depth, row.path], [3, `/1/${old.nodeId}/${disk.nodeId}/${ssd.nodeId}/`]);
      const page = await shop.ask('GET', `${CATEGORY}/tree?nodeId=${storage.nodeId}`);
      assert.deepEqual(page.data[0].children, []);
      const top = await put({ id: ssd.id, parentNodeId: 1 });
      assert.equal(top.body.breadcrumbs.length, 2);
    });

    it('moves between alternate trees, and never from the primary one or to it', async () => {
      const primary = await create({ name: 'Storage' });
      const summer = await create({ name: 'Summer', type: 'ALTERNATE' });
      const winter = await create({ name: 'Winter', type: 'ALTERNATE' });
      const beach = await create({ name: 'Beach', parentId: summer.id });
      assert.equal((await put({ id: beach.id, parentId: winter.id })).status, 200);
      assert.equal(await wayTo(beach.nodeId), 'Winter->Beach');
      await refused(put({ id: beach.id, parentId: primary.id }), 400, 'NODE_OF_OTHER_TREE', /ALTERNATE.*PRIMARY/);
      await refused(put({ id: primary.id, parentId: winter.id }), 400, 'NODE_OF_OTHER_TREE');
      await refused(put({ id: summer.id, parentId: winter.id }), 400, 'NODE_IS_ROOT', /cannot be moved/);
      await refused(put({ nodeId: 1, parentId: primary.id }), 400, 'NODE_IS_ROOT');
      await refused(put({ nodeId: 1, name: 'Main' }), 400, 'NODE_IS_ROOT', /called "PRIMARY"/);
      await refused(put({ id: winter.id, name: 'primary' }), 400, 'NAME_RESERVED');
      assert.equal((await put({ id: winter.id, name: 'Snow' })).status, 200);
    });

    it('refuses a place under itself, and a name that a sibling has', async () => {
      const storage = await create({ name: 'Storage' });
      const disk = await create({ name: 'Disk', parentId: storage.id });
      const other = await create({ name: 'disk' });
      await refused(put({ id: storage.id, parentId: storage.id }), 400, 'CATEGORY_CYCLE', /under itself/);
      await refused(put({ id: storage.id, parentId: disk.id }), 400, 'CATEGORY_CYCLE', /"Disk", which is below it/);
      await refused(put({ id: other.id, parentId: storage.id }), 400, 'CATEGORY_EXISTS', /under "Storage"/);
      await refused(put({ id: other.id, name: 'STORAGE' }), 400, 'CATEGORY_EXISTS', /under "PRIMARY"/);
      assert.equal((await put({ id: other.id, parentId: storage.id, name: 'Disk 2' })).status, 200);
    });

    it('keeps the leaf rule where a category is moved to', async () => {
      const full = await create({ name: 'Full' });
      const leaf = await create({ name: 'Leaf' });
      const moved = await create({ name: 'Moved' });
      await addItems(world.db, shop.siteId, [{ sku: 'A', node_id: full.nodeId }]);
      await refused(put({ id: moved.id, parentId: full.id }), 400, 'NODE_HOLDS_ITEMS');
      const jobId = await addPendingJob(world.db, shop.siteId, shop.account, 'item');
      await refused(put({ id: moved.id, parentId: leaf.id }), 409, 'JOB_PENDING', new RegExp(jobId));
      assert.equal((await put({ id: moved.id, name: 'Renamed' })).status, 200);
      const summer = await create({ name: 'Summer', type: 'ALTERNATE' });
      const beach = await create({ name: 'Beach', parentId: summer.id });
      const sea = await create({ name: 'Sea', parentId: summer.id });
      await shop.ask('POST', `${CATEGORY}/item`, { body: { id: sea.id, items: [{ sku: 'A', action: 'SET' }] } });
      await refused(put({ id: beach.id, parentId: sea.id }), 400, 'NODE_HOLDS_ITEMS');
    });

    it('counts the levels of what is moved', async () => {
      let deep = await create({ name: 'Level 1' });
      for (let level = 2; level <= 63; level++) deep = await create({ name: `Level ${level}`, parentId: deep.id });
      const pair = await create({ name: 'Pair' });
      const single = await create({ name: 'Single', parentId: pair.id });
      await refused(put({ id: pair.id, parentId: deep.id }), 400, 'CATEGORY_TOO_DEEP', /2 levels below it/);
      assert.equal((await put({ id: single.id, parentId: deep.id })).status, 200);
    });

    it('refuses what names no category, two, or one of another account', async () => {
      const storage = await create({ name: 'Storage' });
      const other = await world.newShop();
      const foreign = await other.ask('POST', CATEGORY, { body: { name: 'Foreign' } });
      await refused(put({ name: 'A' }), 400, 'REQUEST_INVALID');
      await refused(put({ id: storage.id, nodeId: storage.nodeId }), 400, 'REQUEST_INVALID');
      await refused(put({ id: storage.id, parentId: storage.id, parentNodeId: 1 }), 400, 'REQUEST_INVALID');
      await refused(put({ id: newId(), name: 'A' }), 400, 'NODE_NOT_FOUND');
      await refused(put({ id: foreign.id, name: 'A' }), 400, 'NODE_NOT_FOUND');
      await refused(put({ id: storage.id, parentId: foreign.id }), 400, 'NODE_NOT_FOUND');
      for (const bad of [{ name: '' }, { name: null }, { order: 1.5 }, { active: 'no' }]) {
        await refused(put({ id: storage.id, ...bad }), 400, 'REQUEST_INVALID');
      }
    });

    it('does not close a ring when two categories are moved under each other at once', async () => {
      for (let round = 0; round < 5; round++) {
        const one = await create({ name: `One ${round}` });
        const two = await create({ name: `Two ${round}` });
        const answers = await Promise.all([
          put({ id: one.id, parentId: two.id }),
          put({ id: two.id, parentId: one.id }),
        ]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      }
    });
  });

  describe('DELETE', () => {
    it('deletes an empty category and answers what it was', async () => {
      const storage = await create({ name: 'Storage' });
      const before = await version();
      const { status, body } = await remove(`nodeId=${storage.nodeId}`);
      assert.deepEqual([status, body], [200, { id: storage.id, nodeId: storage.nodeId, name: 'Storage' }]);
      assert.equal(await version(), before + 1);
      await refused(remove(`id=${storage.id}`), 404, 'NODE_NOT_FOUND');
      const again = await create({ name: 'Storage' });
      assert.notEqual(again.nodeId, storage.nodeId, 'a node id is not given twice');
    });

    it('names what is in one that is not empty', async () => {
      const storage = await create({ name: 'Storage' });
      const disk = await create({ name: 'Disk', parentId: storage.id });
      await refused(remove(`id=${storage.id}`), 400, 'CATEGORY_NOT_EMPTY', /has a child, "Disk"/);
      await create({ name: 'Tape', parentId: storage.id });
      await refused(remove(`id=${storage.id}`), 400, 'CATEGORY_NOT_EMPTY', /has 2 children, the first of them "Disk"/);
      await addItems(world.db, shop.siteId, [{ sku: 'A-1', node_id: disk.nodeId }]);
      await refused(remove(`id=${disk.id}`), 400, 'CATEGORY_NOT_EMPTY', /has items, "A-1" among them/);
      const summer = await create({ name: 'Summer', type: 'ALTERNATE' });
      const items = (action: string) =>
        shop.ask('POST', `${CATEGORY}/item`, { body: { id: summer.id, items: [{ sku: 'A-1', action }] } });
      await items('SET');
      await refused(remove(`id=${summer.id}`), 400, 'CATEGORY_NOT_EMPTY', /"A-1".*UNSET/);
      await items('UNSET');
      assert.equal((await remove(`id=${summer.id}`)).status, 200, 'the root of an alternate tree may go');
    });

    it('takes the assignments of its attributes with it', async () => {
      await shop.ask('POST', CATEGORY, { body: { name: 'Other' } });
      const storage = await create({ name: 'Storage' });
      await world.db('attribute').insert({
        id: newId(),
        site_id: shop.siteId,
        name: 'Title',
        name_key: 'title',
        type: 'TEXT',
        position: 1,
        definition: '{}',
      });
      const body = { id: storage.id, itemAttributes: [{ name: 'Title' }] };
      await shop.ask('POST', `${CATEGORY}/item-attribute`, { body });
      assert.equal((await remove(`id=${storage.id}`)).status, 200);
      assert.equal((await world.db('category_attribute')).length, 0);
    });

    it('refuses the primary root, and any primary category while an item job is pending', async () => {
      const storage = await create({ name: 'Storage' });
      const summer = await create({ name: 'Summer', type: 'ALTERNATE' });
      await refused(remove('nodeId=1'), 400, 'NODE_IS_ROOT');
      const jobId = await addPendingJob(world.db, shop.siteId, shop.account, 'item');
      await refused(remove(`id=${storage.id}`), 409, 'JOB_PENDING', new RegExp(jobId));
      assert.equal((await remove(`id=${summer.id}`)).status, 200);
      await refused(remove(''), 400, 'REQUEST_INVALID');
      await refused(remove(`id=${storage.id}&nodeId=${storage.nodeId}`), 400, 'REQUEST_INVALID');
    });
  });
});
