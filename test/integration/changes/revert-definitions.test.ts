/** What jobs have changed of definitions is taken back by another job. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { catalogFiles, untilQuiet } from '../../support/models/catalog-files.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { headers: { prefer: 'wait=25' } };
const ATTRIBUTES = '/api-product/v1/product/attribute';
const CATEGORY = '/api-category/v1/category';

onOneBackend((backend) => {
  describe('a revert of definitions', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: [
          'Title',
          { name: 'Price', type: 'DECIMAL' },
          { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] },
        ],
        categories: { Disk: ['Title', 'Colour!'], 'Tape->Wide': ['Title', 'Price'] },
      });
    });
    afterEach(async () => {
      await assertDefinitionsAddUp(world.db, shop.siteId);
      await assertChangesAddUp(world.db, shop.siteId);
    });

    const catalog = async () => {
      await untilQuiet(shop);
      return catalogFiles(shop);
    };
    const jobOf = async (path: string, body: unknown) => {
      const { jobId } = (await shop.post(path, body, { headers: { prefer: 'wait=0' } })).body;
      const { errors } = await shop.outcome(jobId);
      assert.deepEqual(errors, []);
      return jobId as string;
    };
    const attributes = (...elements: object[]) => jobOf(`${ATTRIBUTES}/bulk`, elements);
    const categories = (...elements: object[]) => jobOf(`${CATEGORY}/bulk/upsert`, elements);
    const items = (...elements: object[]) => jobOf('/api-product/v1/product/bulk/upsert', elements);
    const revert = async (jobIds: string | string[], body: object = {}) => {
      const ids = typeof jobIds === 'string' ? [jobIds] : jobIds;
      const { status, body: answer } = await shop.post('/jobs/actions/revert', { jobIds: ids, ...body }, WAIT);
      assert.equal(status, 200, JSON.stringify(answer));
      return shop.outcome(answer.id);
    };
    const told = ({ errors }: { errors: readonly { key: string | null; code: string; value: string | null }[] }) =>
      errors.map(({ key, code }) => [key, code]);

    it('gives attributes their former definitions back, deletes created ones and creates deleted ones again', async () => {
      const before = await catalog();
      const jobId = await attributes(
        { action: 'UPDATE', name: 'Colour', options: ['green'], description: 'Of the case' },
        { name: 'Weight', type: 'INTEGER' },
        { action: 'DELETE', name: 'Price' },
      );
      const between = await catalog();
      const undo = await revert(jobId);
      assert.deepEqual([undo.status, undo.created, undo.updated, told(undo)], ['COMPLETED', 2, 2, []]);
      assert.deepEqual(await catalog(), before);
      const { data } = await shop.ask('GET', `/jobs/${undo.id}/changes`);
      assert.deepEqual(
        data.map(({ kind, operation }: Body) => `${kind} ${operation}`),
        ['attribute DELETED', 'attribute UPDATED', 'attribute CREATED', 'assignment CREATED'],
      );
      const redo = await revert(undo.id);
      assert.deepEqual([redo.status, told(redo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), between);
    });

    it('gives back swapped names, and roles of attributes', async () => {
      const before = await catalog();
      const jobId = await attributes(
        { action: 'UPDATE', id: await idOf('Title'), name: 'Tmp', mapping: 'title' },
        { action: 'UPDATE', id: await idOf('Price'), name: 'Title' },
        { action: 'UPDATE', id: await idOf('Title'), name: 'Price' },
      );
      const undo = await revert(jobId);
      assert.deepEqual([undo.status, told(undo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), before);
    });

    it('deletes created categories with all below them, and gives back orders and assignments', async () => {
      const before = await catalog();
      const jobId = await categories(
        {
          path: 'Disk',
          order: 7,
          active: false,
          itemAttributes: [{ name: 'Colour' }, { name: 'Price', mandatory: true }],
        },
        { path: 'Paper->A4->White', itemAttributes: [{ name: 'Title' }] },
        { path: 'Paper->A4' },
        { path: 'Paper', order: 3 },
        { path: 'Sale', type: 'ALTERNATE' },
        { path: 'Sale->Winter', type: 'ALTERNATE' },
      );
      const between = await catalog();
      const undo = await revert(jobId);
      assert.deepEqual([undo.status, told(undo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), before);
      assert.deepEqual(told(await revert(undo.id)), []);
      assert.deepEqual(await catalog(), between);
    });

    it('of a file that creates what is missing deletes its items first, and its own revert creates them last', async () => {
      const empty = await world.newShop();
      shop = empty;
      const before = await catalog();
      const file = await shop.hold('SKU,Category Node,Title\na,Bikes->E,One\nb,Bikes->E,Two\n');
      const missing = {
        attributes: [{ name: 'Title', type: 'TEXT', mapping: 'title' }],
        options: [],
        categories: ['Bikes->E'],
        assignments: [{ category: 'Bikes->E', attributes: ['Title'] }],
      };
      const createMissing = { attributes: true, options: true, categories: true, assignments: true };
      const { created } = await shop.imported(file, { createMissing, missing, options: { onError: 'skip' } });
      assert.equal(created, 2);
      const between = await catalog();
      const dry = await revert(file.jobId, { validateOnly: true });
      assert.deepEqual([dry.status, told(dry)], ['COMPLETED', []], dry.message);
      const preview = (await shop.ask('GET', `/jobs/${dry.id}/changes`)).data;
      assert.deepEqual(await catalog(), between);
      const undo = await revert(file.jobId);
      assert.deepEqual([undo.status, told(undo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), before);
      const done = (await shop.ask('GET', `/jobs/${undo.id}/changes`)).data;
      const short = (all: Body[]) =>
        all.map(({ kind, sku, operation, definition }) => [kind, sku, operation, definition?.id]);
      assert.deepEqual(short(preview).sort(), short(done).sort());
      assert.deepEqual(done.map(({ kind, operation }: Body) => `${kind} ${operation}`).slice(0, 2), [
        'item DELETED',
        'item DELETED',
      ]);
      const dryRedo = await revert(undo.id, { validateOnly: true });
      assert.deepEqual([dryRedo.status, told(dryRedo)], ['COMPLETED', []], dryRedo.message);
      assert.deepEqual(await catalog(), before);
      const redo = await revert(undo.id);
      assert.deepEqual([redo.status, told(redo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), between);
    });

    it('takes jobs of items and of definitions back at once, whatever was first', async () => {
      await items({ sku: 'a', nodeName: 'Tape->Wide', attributes: { Title: 'One', Price: '5' } });
      const before = await catalog();
      const jobs = [
        await attributes({ name: 'Weight', type: 'INTEGER' }),
        await categories({ path: 'Tape->Wide', itemAttributes: [{ name: 'Title' }, { name: 'Weight' }] }),
        await items({ sku: 'a', attributes: { Weight: 3, Price: null } }, { sku: 'b', nodeName: 'Tape->Wide' }),
        await attributes({ action: 'DELETE', name: 'Price' }),
        await items({ sku: 'b', attributes: { Weight: 4 } }),
      ];
      const between = await catalog();
      const undo = await revert(jobs);
      assert.deepEqual([undo.status, told(undo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), before);
      const redo = await revert(undo.id);
      assert.deepEqual([redo.status, told(redo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), between);
    });

    it('puts no value into an attribute of another type, unless the same revert gives its former type back', async () => {
      await items(
        { sku: 'a', nodeName: 'Tape->Wide', attributes: { Title: 'One' } },
        { sku: 'b', nodeName: 'Tape->Wide', attributes: { Title: 'Two' } },
      );
      const before = await catalog();
      const cleared = await items({ sku: 'a', attributes: { Title: null } });
      const gone = await jobOf('/api-product/v1/product/bulk/delete', { skus: ['b'] });
      const retyped = await attributes({ action: 'UPDATE', name: 'Title', type: 'INTEGER' });
      const between = await catalog();
      for (const [job, sku] of [
        [cleared, 'a'],
        [gone, 'b'],
      ] as const) {
        const kept = await revert(job);
        assert.deepEqual(told(kept), [[sku, 'VALUE_TYPE']]);
        assert.match(kept.errors[0]?.message ?? '', /attribute "Title", which has the type INTEGER by now/);
      }
      assert.deepEqual(await catalog(), between);
      // The type is given back after the items, because an item was changed after it.
      const later = await items({ sku: 'c', nodeName: 'Tape->Wide', attributes: { Title: 3 } });
      const undo = await revert([later, retyped, gone, cleared]);
      assert.deepEqual([undo.status, told(undo)], ['COMPLETED', []]);
      assert.deepEqual(await catalog(), before);
    });

    it('keeps what was changed again, and names the later job', async () => {
      const first = await attributes({ action: 'UPDATE', name: 'Colour', options: ['red', 'blue', 'green'] });
      const later = await attributes({ action: 'UPDATE', name: 'Colour', description: 'New' });
      const created = await categories({ path: 'Paper' });
      await shop.ask('PUT', CATEGORY, { body: { nodeId: await nodeOf('Paper'), name: 'Card' } });
      const undo = await revert([first, created]);
      assert.deepEqual(
        undo.errors.map(({ key, code, value }) => [key, code, value]),
        [
          ['category Card', 'CHANGED_SINCE', null],
          ['attribute Colour', 'CHANGED_SINCE', later],
        ],
      );
      assert.match(undo.errors[0]?.message ?? '', /changed again by a request/);
      assert.deepEqual(told(await revert([first, later])), []);
    });

    it('keeps what something uses that is not reverted, and names it', async () => {
      const made = await attributes({ name: 'Weight', type: 'INTEGER' });
      const optioned = await attributes({ action: 'UPDATE', name: 'Colour', options: ['red', 'blue', 'green'] });
      const placed = await categories(
        { path: 'Paper' },
        { path: 'Paper->A4', itemAttributes: [{ name: 'Weight' }, { name: 'Colour' }, { name: 'Title' }] },
      );
      await items({ sku: 'a', nodeName: 'Paper->A4', attributes: { Weight: 3, Colour: 'green' } });
      const undo = await revert([made, optioned, placed]);
      assert.deepEqual(told(undo), [
        ['assignment of Colour to Paper->A4', 'ATTRIBUTE_IN_USE'],
        ['assignment of Weight to Paper->A4', 'ATTRIBUTE_IN_USE'],
        ['attribute Weight', 'ATTRIBUTE_IN_USE'],
        ['category Paper->A4', 'CATEGORY_IN_USE'],
        ['category Paper', 'CATEGORY_IN_USE'],
        ['attribute Colour', 'ATTRIBUTE_IN_USE'],
      ]);
      assert.match(JSON.stringify(undo.errors), /the item \\"a\\" has the option/);
      assert.equal(undo.updated, 1, 'the assignment of Title, of which no item has a value');
    });

    it('refuses roles of attributes while there are items, and unique values that are shared', async () => {
      const mapped = await attributes({ action: 'UPDATE', name: 'Title', mapping: 'title' });
      await attributes({ name: 'Gtin', type: 'TEXT', validation: { unique: true } });
      const loosened = await attributes({ action: 'UPDATE', name: 'Gtin', validation: { unique: false } });
      await categories({ path: 'Disk', itemAttributes: [{ name: 'Gtin' }] });
      await items(
        { sku: 'a', nodeName: 'Disk', attributes: { Gtin: '1' } },
        { sku: 'b', nodeName: 'Disk', attributes: { Gtin: '1' } },
      );
      assert.deepEqual(told(await revert(mapped)), [['mapping title', 'FIELD_INVALID']]);
      assert.deepEqual(told(await revert(loosened)), [['attribute Gtin', 'VALUE_NOT_UNIQUE']]);
      const typed = await attributes({ name: 'Size', type: 'TEXT' });
      await attributes({ action: 'DELETE', name: 'Size' });
      assert.deepEqual(told(await revert(typed)), [['attribute Size', 'CHANGED_SINCE']]);
    });

    it('cannot create again what has a name that is taken', async () => {
      const gone = await attributes({ action: 'DELETE', name: 'Price' });
      await attributes({ name: 'price', type: 'TEXT' });
      assert.deepEqual(told(await revert(gone)), [
        ['attribute Price', 'NAME_EXISTS'],
        ['assignment of Price to Tape->Wide', 'ATTRIBUTE_NOT_FOUND'],
      ]);
    });

    async function idOf(name: string): Promise<string> {
      const row = await world.db('attribute').where({ site_id: shop.siteId, name }).first('id');
      return row.id;
    }
    async function nodeOf(name: string): Promise<number> {
      const row = await world.db('category').where({ site_id: shop.siteId, name }).first('node_id');
      return row.node_id;
    }
  });
});
