/** What changed of definitions: whoever changes them, by a request or by a job, with all that was before and is after. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const ATTRIBUTES = '/api-product/v1/product/attribute';
const CATEGORY = '/api-category/v1/category';
const NO_WAIT = { headers: { prefer: 'wait=0' } };

onOneBackend((backend) => {
  describe('the changes of definitions', () => {
    let world: World;
    let shop: Shop;
    let cursor: string;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: ['Title', { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] }],
        categories: { Disk: ['Title', 'Colour'] },
      });
      ({ cursor } = await shop.ask('GET', '/changes/cursor'));
    });
    afterEach(async () => {
      await assertDefinitionsAddUp(world.db, shop.siteId);
      await assertChangesAddUp(world.db, shop.siteId);
    });

    /** All that has changed since the beginning of the test. */
    const changes = async (query = ''): Promise<Body[]> =>
      (await shop.ask('GET', `/changes?since=${cursor}${query}`)).data;
    const jobOf = async (path: string, body: unknown): Promise<string> => {
      const { jobId } = (await shop.post(path, body, NO_WAIT)).body;
      const { failed } = await shop.outcome(jobId);
      assert.equal(failed, 0);
      return jobId;
    };
    const short = (all: readonly Body[]) =>
      all.map(({ kind, operation, definition }) => [kind, operation, definition?.before, definition?.after]);

    it('by requests are those of their token, with all that was before and is after', async () => {
      const { nodeId } = await shop.ask('POST', CATEGORY, { body: { name: 'Tape' } });
      await shop.ask('PUT', CATEGORY, { body: { nodeId, name: 'Tapes', order: 3 } });
      await shop.ask('POST', `${CATEGORY}/item-attribute`, {
        body: { nodeId, itemAttributes: [{ name: 'Title', mandatory: true }] },
      });
      await shop.ask('POST', `${ATTRIBUTES}/mapping`, { body: { mappings: [{ mapping: 'title', name: 'Title' }] } });
      await shop.call('DELETE', `${CATEGORY}?nodeId=${nodeId}`);
      const all = await changes();
      const { node_id: parentNodeId } = await world
        .db('category')
        .where({ site_id: shop.siteId, name: 'PRIMARY' })
        .first('node_id');
      const made = { nodeId, parentNodeId, type: 'PRIMARY', active: true };
      const [tape, tapes] = [
        { ...made, name: 'Tape', order: 0 },
        { ...made, name: 'Tapes', order: 3 },
      ];
      const assigned = { nodeId, attribute: 'Title', mandatory: true, position: 1 };
      assert.deepEqual(short(all), [
        ['category', 'CREATED', null, tape],
        ['category', 'UPDATED', tape, tapes],
        ['assignment', 'CREATED', null, assigned],
        ['mapping', 'CREATED', null, { mapping: 'title', attribute: 'Title', required: false }],
        ['assignment', 'DELETED', assigned, null],
        ['category', 'DELETED', tapes, null],
      ]);
      for (const { actor, jobId, sku } of all) {
        assert.match(actor, /^token:/);
        assert.deepEqual([jobId, sku], [null, null]);
      }
      assert.deepEqual(short(await changes('&types=mapping')), [
        ['mapping', 'CREATED', null, { mapping: 'title', attribute: 'Title', required: false }],
      ]);
      assert.deepEqual(await changes('&types=item'), []);
    });

    it('by jobs are those of the job: attributes with their options, and swapped names', async () => {
      const body = [{ action: 'UPDATE', name: 'Colour', options: ['red', 'blue', 'green'] }];
      const jobId = await jobOf(`${ATTRIBUTES}/bulk`, body);
      const { data } = await shop.ask('GET', `/jobs/${jobId}/changes`);
      assert.deepEqual(
        data.map(({ kind, operation, definition }: Body) => [
          kind,
          operation,
          definition.before.options,
          definition.after.options,
        ]),
        [['attribute', 'UPDATED', ['red', 'blue'], ['red', 'blue', 'green']]],
      );
      assert.match(data[0].actor, /^token:/);
      const rows = [{ path: 'Disk', itemAttributes: [{ name: 'Colour' }, { name: 'Title' }] }];
      const other = await jobOf(`${CATEGORY}/bulk/upsert`, rows);
      const reordered = await shop.ask('GET', `/jobs/${other}/changes`);
      assert.deepEqual(
        reordered.data.map(({ kind, operation }: Body) => [kind, operation]),
        [
          ['assignment', 'UPDATED'],
          ['assignment', 'UPDATED'],
        ],
        'what stays assigned is not deleted',
      );
    });

    it('of a dry run are what it would have changed, and are in no feed', async () => {
      const body = [{ name: 'Price', type: 'DECIMAL' }];
      const jobId = await jobOf(`${ATTRIBUTES}/bulk?validateOnly=true`, body);
      const csv = 'Attribute Title,Type of Attribute\nWeight,BOOLEAN\n';
      const job = await shop.importFile('a.csv', csv, { validateOnly: true }, { type: 'ATTRIBUTE_IMPORT' });
      for (const [id, name] of [
        [jobId, 'Price'],
        [job.id, 'Weight'],
      ]) {
        const { data } = await shop.ask('GET', `/jobs/${id}/changes`);
        assert.deepEqual(
          data.map(({ kind, operation, definition }: Body) => [kind, operation, definition.after.name]),
          [['attribute', 'CREATED', name]],
        );
      }
      assert.deepEqual(await changes(), []);
    });

    it('that a file creates before its rows are those of its job', async () => {
      const file = await shop.ask('POST', '/files/product', {
        body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT', hold: true },
      });
      await shop.put(file, 'SKU,Category Node,Title\na,Hats,One\n');
      const missing = {
        attributes: [],
        options: [],
        categories: ['Hats'],
        assignments: [{ category: 'Hats', attributes: ['Title'] }],
      };
      const createMissing = { attributes: true, options: true, categories: true, assignments: true };
      const body = { createMissing, missing, options: { onError: 'skip' } };
      assert.equal((await shop.post(`/files/product/${file.id}/actions/import`, body)).status, 202);
      assert.equal((await shop.outcome(file.jobId)).created, 1);
      const { data } = await shop.ask('GET', `/jobs/${file.jobId}/changes`);
      assert.deepEqual(
        data.map(({ kind, operation, sku }: Body) => [kind, operation, sku]),
        [
          ['category', 'CREATED', null],
          ['assignment', 'CREATED', null],
          ['item', 'CREATED', 'a'],
        ],
      );
    });

    it('leave those of items that a request puts into a category: who did it, and which it was in', async () => {
      await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk' }]);
      const { nodeId } = await shop.ask('POST', CATEGORY, { body: { name: 'Sale', type: 'ALTERNATE' } });
      const put = (action: string) =>
        shop.ask('POST', `${CATEGORY}/item`, { body: { nodeId, items: [{ sku: 'a', action }] } });
      await put('SET');
      await put('SET');
      await put('UNSET');
      const { data } = await shop.ask('GET', '/api-product/v1/product/a/history');
      assert.deepEqual(
        data.map(({ operation, fields }: Body) => [operation, fields]),
        [
          ['UPDATED', { alternateCategories: { before: [nodeId] } }],
          ['UPDATED', { alternateCategories: { after: [nodeId] } }],
          ['CREATED', {}],
        ],
      );
      assert.deepEqual([data[0].jobId, data[0].row], [null, 1]);
      assert.match(data[0].actor, /^token:/);
    });
  });
});
