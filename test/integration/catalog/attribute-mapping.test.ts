/** The attribute mapping, and the list of attributes. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../../support/http/shop.js';
import { addAttributes, addItems, addPendingJob } from '../../support/worlds/catalog-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ATTRIBUTE = '/api-product/v1/product/attribute';
const MAPPING = `${ATTRIBUTE}/mapping`;

describe('attributes over HTTP', () => {
  let world: World;
  let caller: Shop;
  let ids: Record<string, string>;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    caller = await world.newShop();
    ids = await addAttributes(world.db, caller.site.siteId, [
      { name: 'Code', validation: { required: true, unique: true } },
      { name: 'Title', description: 'What it is called' },
      { name: 'Live', type: 'BOOLEAN' },
      { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] },
    ]);
  });

  const map = (...mappings: object[]) => caller.post(MAPPING, { mappings });

  it('maps attributes by id or name, and answers in the order of the request', async () => {
    const { status, body } = await map({ name: ' title', mapping: 'title' }, { attributeId: ids.Code, mapping: 'sku' });
    assert.equal(status, 200, JSON.stringify(body));
    const [title, sku] = body.mappings;
    assert.deepEqual(title, {
      attributeId: ids.Title,
      attribute: 'Title',
      mapping: 'title',
      target: 'ITEM',
      required: false,
      createdOn: title.createdOn,
      modifiedOn: title.modifiedOn,
    });
    assert.ok(title.createdOn.endsWith('Z'));
    assert.deepEqual([sku.mapping, sku.required], ['sku', true]);
    const { body: listed } = await caller.get(MAPPING);
    assert.deepEqual(
      listed.data.map(({ mapping }: { mapping: string }) => mapping),
      ['sku', 'title'],
    );
    assert.deepEqual([listed.offset, listed.limit, listed.count], [0, 10, 2]);
  });

  it('replaces a mapping: each maps to one attribute', async () => {
    await map({ name: 'Code', mapping: 'title' });
    const { body } = await map({ name: 'Title', mapping: 'title', required: true });
    assert.equal(body.mappings[0].attribute, 'Title');
    assert.equal((await caller.get(MAPPING)).body.count, 1);
  });

  it('refuses attributes that cannot play the part, naming each, and sets none', async () => {
    const { status, body } = await map(
      { name: 'Code', mapping: 'title' },
      { name: 'Title', mapping: 'sku' },
      { name: 'Title', mapping: 'active' },
      { name: 'Nope', mapping: 'image' },
      { name: 'Title', mapping: 'title' },
    );
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ index, code }: Record<string, unknown>) => [index, code]),
      [
        [1, 'MAPPING_NOT_POSSIBLE'],
        [2, 'MAPPING_NOT_POSSIBLE'],
        [3, 'ATTRIBUTE_NOT_FOUND'],
        [4, 'MAPPING_NAMED_TWICE'],
      ],
    );
    assert.equal((await caller.get(MAPPING)).body.count, 0);
    assert.equal((await map({ name: 'Code', mapping: 'sku', required: false })).status, 400);
  });

  it('refuses bodies that say nothing clear, and attributes of others', async () => {
    for (const body of [
      {},
      { mappings: [] },
      { mappings: [{ name: 'Title' }] },
      { mappings: [{ mapping: 'title' }] },
      { mappings: [{ name: 'Title', mapping: 'price' }] },
      { mappings: [{ name: 'Title', attributeId: ids.Title, mapping: 'title' }] },
      [],
    ]) {
      assert.equal((await caller.post(MAPPING, body)).status, 400, JSON.stringify(body));
    }
    const other = await world.newShop();
    const foreign = await other.post(MAPPING, { mappings: [{ attributeId: ids.Title, mapping: 'title' }] });
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'ATTRIBUTE_NOT_FOUND']);
  });

  it('keeps the mapping of a site that holds items', async () => {
    await addItems(world.db, caller.site.siteId, [{ sku: 'A' }]);
    const { status, body } = await map({ name: 'Title', mapping: 'title' });
    assert.deepEqual([status, body.code], [400, 'SITE_HOLDS_ITEMS']);
    assert.equal(
      (await caller.post(MAPPING, { mappings: [{ name: 'Title', mapping: 'title' }] }, { context: { stage: 'test' } }))
        .body.code,
      'ATTRIBUTE_NOT_FOUND',
    );
  });

  it('waits for attribute and item jobs in line, naming the first', async () => {
    const { siteId, accountId } = caller.site;
    for (const kind of ['attribute', 'item']) {
      const jobId = await addPendingJob(world.db, siteId, accountId, kind);
      const { status, body } = await map({ name: 'Title', mapping: 'title' });
      assert.deepEqual([status, body.code], [409, 'JOB_PENDING']);
      assert.ok(body.message.includes(jobId), body.message);
      await world.db('job').where({ id: jobId }).update({ completed_at: new Date() });
    }
    const awaiting = await addPendingJob(world.db, siteId, accountId, 'item');
    await world.db('job_order').where({ job_id: awaiting }).delete();
    assert.equal((await map({ name: 'Title', mapping: 'title' })).status, 200);
  });

  it('lists attributes by ids, names, type and keyword', async () => {
    const names = async (query: string, from: Shop = caller): Promise<string[]> => {
      const { status, body } = await from.get(`${ATTRIBUTE}?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.map(({ name }: { name: string }) => name);
    };
    assert.deepEqual(await names(''), ['Code', 'Title', 'Live', 'Colour']);
    assert.deepEqual(await names(`ids=${ids.Live},${ids.Code},${newId()}`), ['Code', 'Live']);
    assert.deepEqual(await names('names=COLOUR&names=title'), ['Title', 'Colour']);
    assert.deepEqual(await names('type=OPTIONS'), ['Colour']);
    assert.deepEqual(await names('keyword=called'), ['Title']);
    assert.deepEqual(await names('offset=1&limit=2'), ['Title', 'Live']);
    assert.deepEqual(await names(`ids=${ids.Code}`, await world.newShop()), []);
    for (const bad of ['type=NUMBER', 'limit=1000', 'names=%00']) {
      assert.equal((await caller.get(`${ATTRIBUTE}?${bad}`)).status, 400, bad);
    }
    const { body } = await caller.get(`${ATTRIBUTE}?names=Colour`);
    assert.deepEqual(body.data[0].options, ['red', 'blue']);
    assert.equal(body.data[0].id, ids.Colour);
    const past = await caller.get(ATTRIBUTE, { context: { date: '2020-01-01T00:00:00Z' } });
    assert.equal(past.body.count, 0);
  });
});
