/** Categories: created, read, and kept in order while others do the same. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../../support/http/shop.js';
import { addAttributes, addItems, addPendingJob } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

describe('categories over HTTP', () => {
  let world: World;
  let caller: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
  });

  const create = (body: object) => caller.post(CATEGORY, body);
  const nodeIdOf = async (body: object): Promise<number> => {
    const { status, body: category } = await create(body);
    assert.equal(status, 200, JSON.stringify(category));
    return category.nodeId;
  };

  it('answers the category with its way down from PRIMARY', async () => {
    const { status, body } = await create({ name: '  Storage ', order: 3 });
    assert.equal(status, 200);
    const { id, createdOn, modifiedOn, ...rest } = body;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.ok(!Number.isNaN(Date.parse(createdOn)) && createdOn.endsWith('Z') && modifiedOn.endsWith('Z'));
    assert.equal(rest.breadcrumbs[0].name, 'PRIMARY');
    assert.deepEqual(rest, {
      nodeId: 2,
      name: 'Storage',
      type: 'PRIMARY',
      order: 3,
      active: true,
      attributes: [],
      children: [],
      breadcrumbs: [
        { id: rest.breadcrumbs[0].id, nodeId: 1, name: 'PRIMARY' },
        { id, nodeId: 2, name: 'Storage' },
      ],
    });
  });

  it('takes the parent by node id or id, in either field', async () => {
    const { body: top } = await create({ name: 'Storage' });
    for (const [index, parent] of [
      { parentNodeId: top.nodeId },
      { parentNodeId: String(top.nodeId) },
      { parentNodeId: top.id },
      { parentId: top.id },
      { parentId: top.nodeId },
    ].entries()) {
      const { body } = await create({ name: `Child ${index}`, ...parent });
      assert.equal(body.breadcrumbs[1]?.nodeId, top.nodeId, JSON.stringify(parent));
    }
  });

  it('refuses an unknown parent, and one of another account', async () => {
    const other = await world.newShop();
    const { body: foreign } = await other.post(CATEGORY, { name: 'Foreign' });
    for (const parent of [
      { parentNodeId: 4711 },
      { parentId: newId() },
      { parentId: foreign.id },
      { parentNodeId: 2 ** 40 },
    ]) {
      const { status, body } = await create({ name: 'Disk', ...parent });
      assert.equal(status, 400);
      assert.ok(['NODE_NOT_FOUND', 'REQUEST_INVALID'].includes(body.code), body.code);
    }
  });

  it('refuses a name twice under one parent, case and form aside, and takes it under another', async () => {
    const storage = await nodeIdOf({ name: 'Caf\u00e9' });
    const again = await create({ name: ' CAFE\u0301 ' });
    assert.equal(again.status, 400);
    assert.equal(again.body.code, 'CATEGORY_EXISTS');
    assert.match(again.body.message, /already is a category "Café"/);
    assert.equal((await create({ name: 'Café', parentNodeId: storage })).status, 200);
  });

  it('refuses bodies that say nothing clear', async () => {
    const top = await nodeIdOf({ name: 'Storage' });
    const bad: object[] = [
      {},
      { name: '' },
      { name: '   ' },
      { name: 7 },
      { name: 'a\u0000b' },
      { name: '\ud800' },
      { name: 'x'.repeat(256) },
      { name: 'A', active: 'yes' },
      { name: 'A', order: 2 ** 31 },
      { name: 'A', order: 1.5 },
      { name: 'A', type: 'SECONDARY' },
      { name: 'A', type: 'ALTERNATE', parentNodeId: top },
      { name: 'A', parentNodeId: top, parentId: top },
      { name: 'A', parentNodeId: 'Storage' },
      [],
    ];
    for (const body of bad) assert.equal((await create(body)).status, 400, JSON.stringify(body));
    assert.equal((await create({ name: 'x'.repeat(255) })).status, 200);
  });

  it('grows alternate trees beside the primary one', async () => {
    const { body: root } = await create({ name: 'Summer', type: 'ALTERNATE' });
    assert.equal(root.type, 'ALTERNATE');
    assert.deepEqual(
      root.breadcrumbs.map(({ name }: { name: string }) => name),
      ['Summer'],
    );
    const { body: child } = await create({ name: 'Beach', parentId: root.id });
    assert.equal(child.type, 'ALTERNATE');
    assert.equal((await create({ name: 'summer', type: 'ALTERNATE' })).body.code, 'CATEGORY_EXISTS');
    assert.equal((await create({ name: 'Primary', type: 'ALTERNATE' })).body.code, 'NAME_RESERVED');
    assert.equal((await create({ name: 'Summer' })).status, 200);
  });

  it('refuses a child of a category that holds items', async () => {
    const disk = await nodeIdOf({ name: 'Disk' });
    await addItems(world.db, caller.site.siteId, [{ sku: 'A', node_id: disk }]);
    const { status, body } = await create({ name: 'SSD', parentNodeId: disk });
    assert.equal(status, 400);
    assert.equal(body.code, 'NODE_HOLDS_ITEMS');
  });

  it('refuses to make a leaf a parent while an item job is pending, naming it', async () => {
    const disk = await nodeIdOf({ name: 'Disk' });
    const { siteId, accountId } = caller.site;
    const jobId = await addPendingJob(world.db, siteId, accountId, 'item');
    const refused = await create({ name: 'SSD', parentNodeId: disk });
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, 'JOB_PENDING');
    assert.ok(refused.body.message.includes(jobId));
    assert.equal((await create({ name: 'Tape' })).status, 200, 'a new top category makes no leaf a parent');
    await world.db('job').where({ id: jobId }).update({ completed_at: new Date() });
    assert.equal((await create({ name: 'SSD', parentNodeId: disk })).status, 200);
    await addPendingJob(world.db, siteId, accountId, 'item');
    assert.equal((await create({ name: 'HDD', parentNodeId: disk })).status, 200, 'what is a parent may have more');
  });

  it('makes one of many that ask for one name at once, and all that ask for different ones', async () => {
    const same = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Storage' })));
    assert.deepEqual(same.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 400)]);
    const others = await Promise.all(Array.from({ length: 20 }, (_, index) => create({ name: `Top ${index}` })));
    assert.ok(others.every(({ status }) => status === 200));
    const nodeIds = others.map(({ body }) => body.nodeId);
    assert.equal(new Set(nodeIds).size, 20);
    const roots = await world.db('category').where({ site_id: caller.site.siteId }).whereNull('parent_id');
    assert.equal(roots.length, 1);
  });

  it('stops at 64 levels', async () => {
    let parent = await nodeIdOf({ name: 'Level 1' });
    for (let level = 2; level <= 64; level++) parent = await nodeIdOf({ name: `Level ${level}`, parentNodeId: parent });
    const { status, body } = await create({ name: 'Level 65', parentNodeId: parent });
    assert.equal(status, 400);
    assert.equal(body.code, 'CATEGORY_TOO_DEEP');
  });

  it('lists by ids, node ids, keyword, type and status', async () => {
    const { body: storage } = await create({ name: 'Storage' });
    const { body: disk } = await create({ name: 'Hard_disk', parentId: storage.id, active: false });
    const { body: summer } = await create({ name: 'Summer', type: 'ALTERNATE' });
    const listed = async (query: string): Promise<string[]> => {
      const { status, body } = await caller.get(`${CATEGORY}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.count, body.data.length);
      return body.data.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await listed(''), ['PRIMARY', 'Storage', 'Hard_disk', 'Summer']);
    assert.deepEqual(await listed(`ids=${storage.id},${disk.id},${newId()}`), ['Storage', 'Hard_disk']);
    assert.deepEqual(await listed(`nodeIds=${disk.nodeId}&nodeIds=${summer.nodeId}&nodeIds=9999999999`), [
      'Hard_disk',
      'Summer',
    ]);
    assert.deepEqual(await listed('keyword=D_D'), ['Hard_disk']);
    assert.deepEqual(await listed('keyword=%25'), []);
    assert.deepEqual(await listed('type=ALTERNATE'), ['Summer']);
    assert.deepEqual(await listed('status=INACTIVE'), ['Hard_disk']);
    const page = await caller.get(`${CATEGORY}?offset=1&limit=2`);
    assert.deepEqual([page.body.offset, page.body.limit, page.body.count, page.body.data.length], [1, 2, 4, 2]);
    for (const bad of ['limit=0', 'limit=101', 'offset=-1', 'type=X', 'status=LIVE', 'nodeIds=x', 'keyword=%00']) {
      assert.equal((await caller.get(`${CATEGORY}?${bad}`)).status, 400, bad);
    }
  });

  it('shows children and attributes, inherited ones too, in lists', async () => {
    const { body: storage } = await create({ name: 'Storage' });
    await create({ name: 'Tape', parentId: storage.id, order: 2 });
    const { body: disk } = await create({ name: 'Disk', parentId: storage.id, order: 1 });
    await addAttributes(world.db, caller.site.siteId, [{ name: 'Title' }]);
    await caller.post(`${CATEGORY}/item-attribute`, {
      id: storage.id,
      itemAttributes: [{ name: 'Title', mandatory: true }],
    });
    const { body } = await caller.get(`${CATEGORY}?ids=${storage.id},${disk.id}`);
    const [shownStorage, shownDisk] = body.data;
    assert.deepEqual(
      shownStorage.children.map(({ name }: { name: string }) => name),
      ['Disk', 'Tape'],
    );
    assert.deepEqual(
      [shownStorage, shownDisk].map(({ attributes }) =>
        attributes.map(({ name, required, inherited }: Record<string, unknown>) => [name, required, inherited]),
      ),
      [[['Title', true, false]], [['Title', true, true]]],
    );
  });

  it('shows whole trees, and the part below a category', async () => {
    const { body: storage } = await create({ name: 'Storage', order: 2 });
    await create({ name: 'Disk', parentId: storage.id });
    await create({ name: 'Audio', order: 1 });
    await create({ name: 'Summer', type: 'ALTERNATE' });
    interface Node {
      name: string;
      children: Node[];
    }
    const outline = (nodes: Node[]): unknown[] => nodes.map(({ name, children }) => [name, ...outline(children)]);
    const all = await caller.get(`${CATEGORY}/tree`);
    assert.deepEqual(outline(all.body.data), [['PRIMARY', ['Audio'], ['Storage', ['Disk']]], ['Summer']]);
    assert.equal(all.body.count, 2);
    const part = await caller.get(`${CATEGORY}/tree?nodeId=${storage.nodeId}`);
    assert.deepEqual(outline(part.body.data), [['Storage', ['Disk']]]);
    assert.deepEqual(outline((await caller.get(`${CATEGORY}/tree?type=ALTERNATE`)).body.data), [['Summer']]);
    const other = await world.newShop();
    assert.equal((await other.get(`${CATEGORY}/tree?id=${storage.id}`)).status, 404);
    assert.deepEqual((await other.get(`${CATEGORY}/tree`)).body.data, []);
    assert.deepEqual((await other.get(`${CATEGORY}?ids=${storage.id}`)).body.data, []);
    assert.deepEqual((await caller.get(`${CATEGORY}`, { context: { stage: 'test' } })).body.data, []);
  });

  it('shows one level of a tree in pages, with how many are below each, and the place of the one that is named', async () => {
    const { body: storage } = await create({ name: 'Storage', order: 2 });
    const { body: disk } = await create({ name: 'Disk', parentId: storage.id });
    for (const name of ['NVMe', 'SATA']) await create({ name, parentId: disk.id });
    await create({ name: 'Audio', order: 1 });
    await create({ name: 'Summer', type: 'ALTERNATE' });
    interface Child {
      name: string;
      childCount: number;
    }
    const shown = async (query: string) => {
      const { status, body } = await caller.get(`${CATEGORY}/children${query}`);
      assert.equal(status, 200, body.message);
      return { ...body, data: body.data.map(({ name, childCount }: Child) => [name, childCount]) };
    };
    const roots = await shown('');
    assert.deepEqual(
      [roots.count, roots.data, roots.category],
      [
        2,
        [
          ['PRIMARY', 2],
          ['Summer', 0],
        ],
        null,
      ],
    );
    assert.deepEqual((await shown('?type=ALTERNATE')).data, [['Summer', 0]]);
    const { nodeId } = (await caller.get(`${CATEGORY}/children`)).body.data[0];
    assert.deepEqual((await shown(`?nodeId=${nodeId}`)).data, [
      ['Audio', 0],
      ['Storage', 1],
    ]);
    const second = await shown(`?nodeId=${nodeId}&offset=1&limit=1`);
    assert.deepEqual([second.count, second.data], [2, [['Storage', 1]]]);
    const { category, data } = await shown(`?id=${storage.id}`);
    assert.deepEqual([category.below, category.childCount, data], [3, 1, [['Disk', 2]]]);
    assert.deepEqual(
      category.breadcrumbs.map(({ name }: { name: string }) => name),
      ['PRIMARY', 'Storage'],
    );
    assert.equal((await caller.get(`${CATEGORY}/children?nodeId=999`)).status, 404);
    const other = await world.newShop();
    assert.equal((await other.get(`${CATEGORY}/children?id=${storage.id}`)).status, 404);
    assert.deepEqual((await other.get(`${CATEGORY}/children`)).body.data, []);
    const past = await caller.get(`${CATEGORY}/children?id=${storage.id}`, {
      context: { date: '2020-01-01T00:00:00Z' },
    });
    assert.deepEqual([past.body.data, past.body.category.below], [[], 0]);
  });

  it('hides what changed after the date of the context', async () => {
    const { body: storage } = await create({ name: 'Storage' });
    const before = new Date(Date.parse(storage.createdOn) - 1000).toISOString();
    const { body } = await caller.get(CATEGORY, { context: { date: before } });
    assert.equal(body.count, 0);
    assert.equal((await caller.get(CATEGORY, { context: { date: '2099-01-01T00:00:00Z' } })).body.count, 2);
    const { data } = (await caller.get(CATEGORY)).body;
    const { nodeId } = data.at(-1);
    for (const path of [`${CATEGORY}/tree?nodeId=${nodeId}`, `${CATEGORY}/item-attribute?nodeId=${nodeId}`]) {
      assert.equal((await caller.get(path)).status, 200);
      const past = await caller.get(path, { context: { date: '2020-01-01T00:00:00Z' } });
      assert.equal(past.status, 200, `${path}: a category that is named is not hidden`);
    }
  });
});
