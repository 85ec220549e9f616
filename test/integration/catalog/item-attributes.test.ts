/** Attributes assigned to categories. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../../support/http/shop.js';
import { addAttributes } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const PATH = `${CATEGORY}/item-attribute`;

describe('attributes of categories over HTTP', () => {
  let world: World;
  let caller: Shop;
  let ids: Record<string, string>;
  let storage: { id: string; nodeId: number };
  let disk: { id: string; nodeId: number };
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
    ids = await addAttributes(world.db, caller.site.siteId, [
      { name: 'Title' },
      { name: 'Colour', type: 'OPTIONS' },
      { name: 'Weight', type: 'DECIMAL' },
    ]);
    storage = (await caller.post(CATEGORY, { name: 'Storage' })).body;
    disk = (await caller.post(CATEGORY, { name: 'Disk', parentId: storage.id })).body;
  });

  const shown = (attributes: { name: string; required: boolean; inherited: boolean }[]) =>
    attributes.map(({ name, required, inherited }) => [name, required, inherited]);

  it('assigns by id or name, and the categories below inherit', async () => {
    const { status, body } = await caller.post(PATH, {
      id: storage.id,
      itemAttributes: [{ action: 'SET', attributeId: ids.Title, mandatory: true }, { name: ' colour ' }],
    });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      id: storage.id,
      nodeId: storage.nodeId,
      name: 'Storage',
      itemAttributes: [
        { id: ids.Title, name: 'Title', type: 'TEXT', required: true, inherited: false },
        { id: ids.Colour, name: 'Colour', type: 'OPTIONS', required: false, inherited: false },
      ],
    });
    const below = await caller.post(PATH, { nodeId: disk.nodeId, itemAttributes: [{ name: 'Weight' }] });
    assert.deepEqual(shown(below.body.itemAttributes), [
      ['Title', true, true],
      ['Colour', false, true],
      ['Weight', false, false],
    ]);
  });

  it('changes what is assigned already, and keeps its place and what is not named', async () => {
    await caller.post(PATH, { id: disk.id, itemAttributes: [{ name: 'Title', mandatory: true }, { name: 'Weight' }] });
    const again = await caller.post(PATH, {
      id: disk.id,
      itemAttributes: [{ name: 'Weight', mandatory: true }, { name: 'Title' }],
    });
    assert.deepEqual(shown(again.body.itemAttributes), [
      ['Title', true, false],
      ['Weight', true, false],
    ]);
  });

  it('takes away what is its own, and not what is inherited', async () => {
    await caller.post(PATH, { id: storage.id, itemAttributes: [{ name: 'Title' }] });
    await caller.post(PATH, { id: disk.id, itemAttributes: [{ name: 'Weight' }] });
    const inherited = await caller.post(PATH, { id: disk.id, itemAttributes: [{ action: 'UNSET', name: 'Title' }] });
    assert.deepEqual([inherited.status, inherited.body.code], [400, 'ATTRIBUTE_INHERITED']);
    const own = await caller.post(PATH, {
      id: disk.id,
      itemAttributes: [
        { action: 'UNSET', name: 'Weight' },
        { action: 'UNSET', name: 'Colour' },
      ],
    });
    assert.deepEqual(shown(own.body.itemAttributes), [['Title', false, true]]);
  });

  it('refuses unknown categories and attributes, naming each, and changes nothing', async () => {
    const unknown = await caller.post(PATH, {
      id: disk.id,
      itemAttributes: [{ name: 'Title' }, { name: 'Nope' }, { attributeId: newId() }, { name: 'title' }],
    });
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'ATTRIBUTE_NOT_FOUND']);
    assert.deepEqual(
      unknown.body.errors.map(({ index, path, code }: Record<string, unknown>) => [index, path, code]),
      [
        [1, 'itemAttributes.1', 'ATTRIBUTE_NOT_FOUND'],
        [2, 'itemAttributes.2', 'ATTRIBUTE_NOT_FOUND'],
        [3, 'itemAttributes.3', 'ATTRIBUTE_NAMED_TWICE'],
      ],
    );
    const nowhere = await caller.post(PATH, { nodeId: 4711, itemAttributes: [{ name: 'Title' }] });
    assert.deepEqual([nowhere.status, nowhere.body.code], [400, 'NODE_NOT_FOUND']);
    const other = await world.newShop();
    const foreign = await other.post(PATH, { id: disk.id, itemAttributes: [{ name: 'Title' }] });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'NODE_NOT_FOUND']);
    assert.equal((await caller.get(`${PATH}?id=${disk.id}`)).body.count, 0);
  });

  it('refuses alternate categories and bodies that say nothing clear', async () => {
    const { body: summer } = await caller.post(CATEGORY, { name: 'Summer', type: 'ALTERNATE' });
    const alternate = await caller.post(PATH, { id: summer.id, itemAttributes: [{ name: 'Title' }] });
    assert.equal(alternate.body.code, 'NODE_NOT_PRIMARY');
    for (const body of [
      { id: disk.id },
      { id: disk.id, itemAttributes: [] },
      { id: disk.id, itemAttributes: [{}] },
      { id: disk.id, itemAttributes: [{ name: 'Title', attributeId: ids.Title }] },
      { id: disk.id, itemAttributes: [{ name: 'Title', action: 'DROP' }] },
      { itemAttributes: [{ name: 'Title' }] },
    ]) {
      assert.equal((await caller.post(PATH, body)).status, 400, JSON.stringify(body));
    }
  });

  it('lists what a category has and what it lacks', async () => {
    await caller.post(PATH, { id: storage.id, itemAttributes: [{ name: 'Colour' }] });
    const names = async (query: string): Promise<string[]> => {
      const { status, body } = await caller.get(`${PATH}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await names(`id=${disk.id}`), ['Colour']);
    assert.deepEqual(await names(`nodeId=${disk.nodeId}&status=ASSIGNED`), ['Colour']);
    assert.deepEqual(await names(`nodeId=${disk.nodeId}&status=UNASSIGNED`), ['Title', 'Weight']);
    assert.deepEqual(await names(`nodeId=${disk.nodeId}&status=UNASSIGNED&offset=1`), ['Weight']);
    assert.equal((await caller.get(`${PATH}?nodeId=4711`)).body.code, 'NODE_NOT_FOUND');
    assert.equal((await caller.get(PATH)).status, 400);
  });
});
