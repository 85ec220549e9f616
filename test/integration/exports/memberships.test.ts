/** Memberships of alternate trees and channel tags: exported, and imported again, in every format. */
import assert from 'node:assert/strict';
import { exportFile, exportText } from '../../support/http/exporting.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';
const PRODUCT = '/api-product/v1/product';

const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });

describe('memberships of alternate trees and channel tags', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;
  /** Name of each alternate category → node id. */
  let nodes: Record<string, number>;
  before(async () => {
    world = await startWorld({ chunkRows: 2 });
    await world.startWorkers();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    nodes = await defined(shop);
  });

  const ODD = ' se;mi\\; -> colon\\';
  const defined = async (owner: Shop): Promise<Record<string, number>> => {
    await owner.define({ attributes: ['Title'], categories: { Hats: ['Title'] } });
    const made: Record<string, number> = {};
    const create = async (name: string, parent: object) => {
      const { nodeId } = await owner.ask('POST', CATEGORY, { body: { name, ...parent } });
      made[name] = nodeId;
    };
    await create('Summer', { type: 'ALTERNATE' });
    await create('Sale', { parentNodeId: made.Summer });
    await create(ODD, { parentNodeId: made.Summer });
    await create('Gifts', { type: 'ALTERNATE' });
    return made;
  };
  const put = async (name: string, ...skus: string[]) => {
    const items = skus.map((sku) => ({ sku, action: sku.startsWith('-') ? 'UNSET' : 'SET' }));
    const named = items.map(({ sku, action }) => ({ sku: sku.replace(/^-/, ''), action }));
    await shop.ask('POST', `${CATEGORY}/item`, { body: { nodeId: nodes[name], items: named } });
  };
  const members = async (owner: Shop = shop, made = nodes): Promise<Record<string, string[]>> => {
    const all: Record<string, string[]> = {};
    for (const name of ['Sale', ODD, 'Gifts']) {
      const { data } = await owner.ask('GET', `${PRODUCT}?limit=100&nodeId=${made[name]}`);
      all[name] = data.map(({ sku }: { sku: string }) => sku);
    }
    return all;
  };
  const channels = async (owner: Shop = shop) =>
    Object.fromEntries((await owner.items()).map((item) => [item.sku, item.channels]));
  const fill = async () => {
    const row = (sku: string) => ({ sku, nodeName: 'Hats', attributes: { Title: sku } });
    assert.equal((await shop.bulk('insert', ['a', 'b', 'c', 'd'].map(row))).status, 200);
    assert.equal((await shop.bulk('insert', [row('e')], { context: { channel: 4 } })).status, 200);
    assert.equal((await shop.bulk('upsert', [row('e')], { context: { channel: 1 } })).status, 200);
    const kit = { ...row('kit'), type: 'BUNDLE', bundleItems: [{ sku: 'a', quantity: 1 }] };
    assert.equal((await shop.bulk('insert', [kit])).status, 200);
    await put('Sale', 'a', 'b');
    await put(ODD, 'a', 'kit');
    await put('Gifts', 'a', 'e');
  };
  const FILLED = { Sale: ['a', 'b'], [ODD]: ['a', 'kit'], Gifts: ['a', 'e'] };

  for (const [format, gzip] of [
    ['CSV', false],
    ['CSV', true],
    ['JSONL', false],
    ['XLSX', false],
  ] as const) {
    it(`are in the ${format}${gzip ? '.gz' : ''} of an export, change nothing where they came from, and make the same of another site`, async () => {
      await fill();
      const copy = await world.newShop();
      const made = await defined(copy);
      for (const entity of ['product', 'bundle'] as const) {
        const request = { entity, body: { format, ...(gzip ? { gzip } : {}) } };
        const { job } = await exportFile(shop, request);
        const { name, bytes } = await shop.download(job.outputFiles[0]);
        const type = entity === 'product' ? 'ITEM_IMPORT' : 'BUNDLE_IMPORT';
        const rows = entity === 'product' ? 5 : 1;
        for (const again of ['read', 'recognized']) {
          const outcome = await shop.importFile(name, bytes, {}, { type });
          assert.deepEqual(counts(outcome), { created: 0, updated: 0, unchanged: rows, failed: 0 }, again);
        }
        const created = await copy.importFile(name, bytes, {}, { type });
        assert.deepEqual(counts(created), { created: rows, updated: 0, unchanged: 0, failed: 0 });
        const known = await copy.importFile(name, bytes, {}, { type });
        assert.deepEqual(counts(known), { created: 0, updated: 0, unchanged: rows, failed: 0 });
      }
      assert.deepEqual(await members(copy, made), FILLED);
      assert.deepEqual(await channels(copy), { a: null, b: null, c: null, d: null, e: [1, 4], kit: null });
      assert.equal(await exportText(copy), await exportText(shop));
    });
  }

  for (const format of ['CSV', 'JSONL', 'XLSX'] as const) {
    it(`of roots named like a node id, like an id or like what precedes roots come back from ${format}, edited or in an empty site`, async () => {
      await fill();
      const { id } = (await shop.ask('GET', `${CATEGORY}?nodeIds=${nodes.Gifts}`)).data[0];
      const create = async (name: string, place: object = { type: 'ALTERNATE' }): Promise<number> =>
        (await shop.ask('POST', CATEGORY, { body: { name, ...place } })).nodeId;
      const parentNodeId = await create('Alternate');
      const made = [
        await create(String(nodes.Gifts)),
        await create('3'),
        await create(id),
        await create('NULL'),
        await create('Gifts', { parentNodeId }),
      ];
      for (const nodeId of made) {
        await shop.ask('POST', `${CATEGORY}/item`, { body: { nodeId, items: [{ sku: 'd', action: 'SET' }] } });
      }
      const body = { format, match: { sku: 'd' } };
      const whole = await exportText(shop);
      const { job, bytes } = await exportFile(shop, { body });
      const { name } = await shop.download(job.outputFiles[0]);
      assert.deepEqual(counts(await shop.importFile(name, bytes)), {
        ...{ created: 0, updated: 0, unchanged: 1, failed: 0 },
      });
      // Edited, so that its row is read again.
      const text = await exportText(shop, { body: { match: { sku: 'd' } } });
      const edited = await shop.importFile('edited.csv', text.replace(/,d$/m, ',new'));
      assert.deepEqual(counts(edited), { created: 0, updated: 1, unchanged: 0, failed: 0 }, JSON.stringify(edited));
      assert.equal(await exportText(shop), whole.replace(/,d$/m, ',new'));
      const paths = ['3', String(nodes.Gifts), id, 'Alternate->Gifts'].map((path) => `ALTERNATE->${path}`).sort();
      assert.ok(whole.includes(`\nPRIMARY->Hats,d,,${[...paths, 'NULL'].join(';')},,d\n`), whole);

      const copy = await world.newShop();
      for (const [entity, type] of [
        ['attribute', 'ATTRIBUTE_IMPORT'],
        ['category', 'CATEGORY_IMPORT'],
        ['product', 'ITEM_IMPORT'],
      ] as const) {
        const file = await exportFile(shop, { entity, body: { format } });
        const outcome = await copy.importFile(file.name, file.bytes, {}, { type });
        assert.equal(outcome.status, 'COMPLETED', JSON.stringify(outcome));
      }
      assert.equal(await exportText(copy), await exportText(shop));
    });
  }

  it('may have ALTERNATE before every root, and a text that means two categories is refused with the paths of both', async () => {
    await fill();
    await shop.ask('POST', CATEGORY, { body: { name: String(nodes.Gifts), type: 'ALTERNATE' } });
    const update = (...alternateCategories: string[]) => shop.bulk('update', [{ sku: 'c', alternateCategories }]);
    assert.equal((await update('alternate -> Summer->Sale', 'ALTERNATE->Gifts')).status, 200);
    assert.deepEqual(await members(), { ...FILLED, Sale: ['a', 'b', 'c'], Gifts: ['a', 'c', 'e'] });
    const { body } = await update(String(nodes.Gifts));
    assert.match(body.errors[0].message, new RegExp(`: write the path "Gifts" or "ALTERNATE->${nodes.Gifts}"$`));
    const wrong = await shop.bulk('upsert', [{ sku: 'c', nodeName: `ALTERNATE->${nodes.Gifts}` }]);
    assert.match(
      wrong.body.errors[0].message,
      new RegExp(`^the category "ALTERNATE->${nodes.Gifts}" is in an alternate tree`),
    );
  });

  it('have no column where no item has any', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Hats' }]);
    assert.equal((await exportText(shop)).split('\n')[0], 'Category Node,SKU,Parent SKU,Title');
    await fill();
    const only = await exportText(shop, { body: { match: { sku: 'b' } } });
    assert.equal(only, 'Category Node,SKU,Parent SKU,Alternate Categories,Title\nPRIMARY->Hats,b,,Summer->Sale,b\n');
    const named = await exportText(shop, { body: { columns: ['SKU', 'Channels', 'Alternate Categories'] } });
    assert.equal(named.split('\n')[2], 'b,,Summer->Sale');
  });

  it('that a request changed are compared again by a file that was imported before', async () => {
    await fill();
    const text = await exportText(shop);
    assert.equal((await shop.importFile('items.csv', text)).unchanged, 5);
    assert.equal((await shop.importFile('items.csv', text)).unchanged, 5);
    await put('Sale', '-a', 'c');
    // Row c is empty in the file, which leaves its memberships alone.
    assert.deepEqual(counts(await shop.importFile('items.csv', text)), {
      created: 0,
      updated: 1,
      unchanged: 4,
      failed: 0,
    });
    assert.deepEqual(await members(), { ...FILLED, Sale: ['a', 'b', 'c'] });
    await shop.ask('PUT', CATEGORY, { body: { nodeId: nodes.Sale, name: 'Clearance' } });
    const renamed = await shop.importFile('items.csv', text);
    assert.deepEqual(
      places(renamed),
      ['a', 'b'].map((_, index) => [index + 2, 'Alternate Categories', 'NODE_NOT_FOUND']),
    );
  });

  it('are replaced by what a row names, cleared by NULL and left alone by an empty cell', async () => {
    await fill();
    const lines = ['a,Gifts,2;1', `b,${nodes.Gifts},`, 'd,Summer -> Sale; Gifts ;,7', 'e,NULL,NULL', 'c,,'];
    const outcome = await shop.importFile('i.csv', ['SKU,Alternate Categories,Channels', ...lines].join('\n'));
    assert.deepEqual(counts(outcome), { created: 0, updated: 4, unchanged: 1, failed: 0 }, JSON.stringify(outcome));
    assert.deepEqual(await members(), { Sale: ['d'], [ODD]: ['kit'], Gifts: ['a', 'b', 'd'] });
    assert.deepEqual(await channels(), { a: [1, 2], b: null, c: null, d: [7], e: null, kit: null });
    const elements = [
      { sku: 'a', alternateCategories: [], channels: null },
      { sku: 'c', alternateCategories: ['Summer->Sale', nodes.Gifts], channels: [3] },
    ];
    assert.equal((await shop.bulk('update', elements)).status, 200);
    assert.deepEqual(await members(), { Sale: ['c', 'd'], [ODD]: ['kit'], Gifts: ['b', 'c', 'd'] });
    assert.deepEqual(await channels(), { a: null, b: null, c: [3], d: [7], e: null, kit: null });
  });

  it('are of the node whose id is a number, whatever categories are named so, in requests and in files', async () => {
    await fill();
    // The name of one is the node id of another.
    const { nodeId } = await shop.ask('POST', CATEGORY, { body: { name: String(nodes.Gifts), type: 'ALTERNATE' } });
    nodes.Digits = nodeId;
    const all = async () => (await shop.ask('GET', `${PRODUCT}?limit=100&nodeId=${nodeId}`)).data.length;
    const element = (sku: string) => ({ sku, alternateCategories: [nodes.Gifts] });
    assert.equal((await shop.bulk('update', [element('b')])).status, 200);
    assert.deepEqual(await members(), { Sale: ['a'], [ODD]: ['a', 'kit'], Gifts: ['a', 'b', 'e'] });
    const line = `{"sku": "c", "alternateCategories": [${nodes.Gifts}.0]}`;
    assert.equal((await shop.importFile('i.jsonl', `${line}\n${JSON.stringify(element('d'))}\n`)).updated, 2);
    assert.equal((await shop.importFile('i.json', JSON.stringify([element('kit')]))).updated, 1);
    assert.deepEqual(await members(), { Sale: ['a'], [ODD]: ['a'], Gifts: ['a', 'b', 'c', 'd', 'e', 'kit'] });
    assert.equal(await all(), 0);
    // A text may be meant as either.
    const { body } = await shop.bulk('update', [{ sku: 'b', alternateCategories: [String(nodes.Gifts)] }]);
    assert.match(body.errors[0].message, /is the node id of "Gifts" and the name of another alternate category/);
  });

  it('that are no category of their site are told with what was written', async () => {
    await fill();
    const refused = async (alternateCategories: unknown[]) => {
      const { body } = await shop.bulk('update', [{ sku: 'a', alternateCategories }]);
      const [{ code, message }] = body.errors;
      return `${code}: ${message}`;
    };
    const created = '(POST /api-category/v1/category with the type ALTERNATE, or a CATEGORY_IMPORT file)';
    for (const id of [999_999, 1.5, -1, 0]) {
      assert.equal(
        await refused([id]),
        `NODE_NOT_FOUND: there is no category with the node id ${id} in an alternate tree: correct it, or create the category first ${created}`,
      );
    }
    const wrong = 'VALUE_TYPE: "alternateCategories[1]" must be a category path or a node id, got';
    assert.equal(await refused(['Gifts', { nodeId: 2 }]), `${wrong} an object`);
    assert.equal(await refused(['Gifts', null]), `${wrong} null`);
    assert.deepEqual((await members()).Gifts, FILLED.Gifts);
  });

  it('that cannot be are told, and a dry run and an atomic import write none', async () => {
    await fill();
    const file = [
      'SKU,Alternate Categories,Channels',
      'a,Nowhere,',
      'b,Hats,',
      'c,Summer,',
      'd,,x',
      'e,,-1',
      'kit,Gifts,',
    ].join('\n');
    const outcome = await shop.importFile('i.csv', file, { mode: 'update' });
    assert.deepEqual(places(outcome), [
      [2, 'Alternate Categories', 'NODE_NOT_FOUND'],
      [3, 'Alternate Categories', 'NODE_NOT_FOUND'],
      [4, 'Alternate Categories', 'NODE_NOT_LEAF'],
      [5, 'Channels', 'VALUE_TYPE'],
      [6, 'Channels', 'VALUE_TYPE'],
    ]);
    const moved = { ...FILLED, Gifts: ['a', 'e', 'kit'], [ODD]: ['a'] };
    assert.deepEqual(await members(), moved);
    const clearing = 'SKU,Alternate Categories\na,NULL\nzz,NULL\n';
    const dry = await shop.importFile('i.csv', clearing, { mode: 'update', validateOnly: true });
    assert.deepEqual([dry.updated, dry.failed], [1, 1]);
    const atomic = await shop.importFile('i.csv', clearing, { mode: 'update', onError: 'abort' });
    assert.equal(atomic.reason, 'ROWS_FAILED');
    assert.deepEqual(await members(), moved);
    const refused = await shop.bulk('update', [
      { sku: 'a', channels: [] },
      { sku: 'b', channels: [1.5] },
      { sku: 'c', alternateCategories: 'Gifts' },
    ]);
    const codes = refused.body.errors.map(({ code }: { code: string }) => code);
    assert.deepEqual(codes, ['VALUE_TYPE', 'VALUE_RANGE', 'VALUE_TYPE']);
  });

  it('leave the columns to an attribute that had such a name before', async () => {
    const { id } = (await shop.ask('GET', `${PRODUCT}/attribute`)).data[0];
    await world.db('attribute').where({ id }).update({ name: 'Channels', name_key: 'channels' });
    await world.db('site').where({ id: shop.siteId }).increment('definitions_version', 1);
    const outcome = await shop.importFile('i.csv', 'SKU,Category Node,Channels\na,Hats,wide\n');
    assert.deepEqual(counts(outcome), { created: 1, updated: 0, unchanged: 0, failed: 0 }, JSON.stringify(outcome));
    await shop.bulk('upsert', [{ sku: 'a', channels: [3] }]);
    assert.equal(await exportText(shop), 'Category Node,SKU,Parent SKU,Channels\nPRIMARY->Hats,a,,wide\n');
    const [line] = (await exportText(shop, { body: { format: 'JSONL' } })).split('\n');
    assert.deepEqual(JSON.parse(line ?? '').channels, [3]);
    const { body } = await shop.bulkAttributes([{ name: 'alternate categories', type: 'TEXT' }]);
    assert.equal(body.attributes.failed[0].errors[0].code, 'NAME_RESERVED');
  });
});
