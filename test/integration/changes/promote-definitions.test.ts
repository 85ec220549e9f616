/** A promotion carries over the definitions that its items need, before them and in the same job. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Outcome, Shop } from '../../support/http/shop.js';
import { contentOf, exportStage } from '../../support/http/stages.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
type Context = CallOptions['context'];
const WAIT = { prefer: 'wait=25' };
const ATTRIBUTES = '/api-product/v1/product/attribute/bulk';
const CATEGORIES = '/api-category/v1/category/bulk/upsert';
const ITEMS = '/api-product/v1/product/bulk/upsert';
const PROMOTE = '/jobs/site/actions/promote';
const STAGING: Context = { stage: 'staging' };
const PRODUCTION: Context = undefined;

onOneBackend((backend) => {
  describe('the definitions of a promotion', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await world.newShop();
      for (const context of [PRODUCTION, STAGING]) {
        const colour = { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] };
        await send(ATTRIBUTES, [{ name: 'Title', type: 'TEXT' }, colour], context);
        const itemAttributes = [{ name: 'Title' }, { name: 'Colour' }];
        await send(
          CATEGORIES,
          [
            { path: 'Disk', itemAttributes },
            { path: 'Gifts', type: 'ALTERNATE' },
          ],
          context,
        );
        const attributes = { Title: 'One', Colour: 'blue' };
        await send(ITEMS, [{ sku: 'a', nodeName: 'Disk', attributes }], context);
      }
    });
    afterEach(() => assertChangesAddUp(world.db, shop.siteId));

    const send = async (path: string, body: unknown, context?: Context): Promise<Body> => {
      const options = { body, headers: WAIT, ...(context ? { context } : {}) };
      const { status, body: answer } = await shop.call('POST', path, options);
      assert.equal(status, 200, JSON.stringify(answer));
      assert.ok(
        answer.progressTracker === undefined || answer.progressTracker.errorCount === 0,
        JSON.stringify(answer),
      );
      return answer;
    };
    const compare = async () => {
      const job = await send('/jobs/site/actions/compare', { with: 'staging' });
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      return { ...job, total: job.progressTracker.totalCount };
    };
    const promote = async (compareJobId: string, given: object = {}): Promise<Outcome> => {
      const { status, body } = await shop.call('POST', PROMOTE, { body: { compareJobId, ...given }, headers: WAIT });
      assert.equal(status, 200, JSON.stringify(body));
      return shop.outcome(body.id);
    };
    const changes = async (jobId: string): Promise<Body[]> => (await shop.ask('GET', `/jobs/${jobId}/changes`)).data;
    const kinds = async (jobId: string) =>
      (await changes(jobId)).map(({ kind, operation, sku }) => `${kind} ${operation}${sku === null ? '' : ` ${sku}`}`);
    const isEqual = async () => {
      const { total, id } = await compare();
      assert.deepEqual([total, await changes(id)], [0, []]);
    };
    const content = async () => contentOf(await exportStage(shop));

    /** Staging gets an attribute, a subcategory with it, an option, and items that need them. */
    async function prepare(): Promise<void> {
      await send(
        ATTRIBUTES,
        [
          { name: 'Weight', type: 'DECIMAL' },
          { name: 'Unused', type: 'TEXT' },
          { action: 'UPDATE', name: 'Colour', options: ['green', 'red', 'blue'] },
        ],
        STAGING,
      );
      const itemAttributes = [{ name: 'Title' }, { name: 'Colour' }, { name: 'Weight', mandatory: true }];
      const categories = [
        { path: 'Tape', itemAttributes },
        { path: 'Tape->Wide' },
        { path: 'Empty' },
        { path: 'Gifts->Small', type: 'ALTERNATE' },
      ];
      await send(CATEGORIES, categories, STAGING);
      await send(
        ITEMS,
        [
          { sku: 'a', attributes: { Colour: 'green' } },
          {
            ...{ sku: 't', nodeName: 'Tape->Wide', attributes: { Title: 'Tape', Weight: '1.5' } },
            alternateCategories: ['Gifts->Small'],
          },
        ],
        STAGING,
      );
    }

    it('are listed before the items, and those that the items need come with them; a revert takes all of it back', async () => {
      const before = await content();
      await prepare();
      const found = await compare();
      const listed = await changes(found.id);
      const firstItem = listed.findIndex(({ kind }) => kind === 'item');
      assert.ok(listed.slice(firstItem).every(({ kind }) => kind === 'item'));
      const named = listed.slice(0, firstItem).map(({ kind, operation, definition: { after } }) => {
        const { name, attribute, nodeId } = after ?? {};
        return [kind, operation, name ?? attribute, ...(kind === 'assignment' ? [nodeId] : [])].join(' ');
      });
      assert.deepEqual(named.sort(), [
        'assignment CREATED Colour Tape',
        'assignment CREATED Title Tape',
        'assignment CREATED Weight Tape',
        'attribute CREATED Unused',
        'attribute CREATED Weight',
        'attribute UPDATED Colour',
        'category CREATED Empty',
        'category CREATED Small',
        'category CREATED Tape',
        'category CREATED Wide',
      ]);
      const summary = await shop.ask('GET', `/jobs/${found.id}/changes/summary`);
      assert.deepEqual(summary.definitions, [
        { kind: 'assignment', created: 3, updated: 0, deleted: 0 },
        { kind: 'attribute', created: 2, updated: 1, deleted: 0 },
        { kind: 'category', created: 4, updated: 0, deleted: 0 },
      ]);
      assert.deepEqual([summary.operations.CREATED, summary.operations.UPDATED], [1, 1]);
      assert.deepEqual(await content(), before, 'a comparison writes nothing');
      const some = await promote(found.id, { skus: ['a'] });
      assert.deepEqual([some.errors, await kinds(some.id)], [[], ['attribute UPDATED', 'item UPDATED a']]);
      const rest = await promote(found.id);
      assert.deepEqual([rest.status, rest.errors], ['COMPLETED', []]);
      const item = await shop.item('t');
      assert.deepEqual([item?.attributes.Weight, item?.status], ['1.5', 'LIVE']);
      const left = await compare();
      assert.deepEqual((await kinds(left.id)).sort(), ['attribute CREATED', 'category CREATED']);
      const all = await promote(left.id, { definitions: 'all' });
      assert.deepEqual([all.status, all.errors], ['COMPLETED', []]);
      await isEqual();
      await send('/jobs/actions/revert', { jobIds: [some.id, rest.id, all.id] });
      assert.deepEqual(await content(), before);
    });

    it('are taken away only if all are carried over: options and assignments', async () => {
      await send(ITEMS, [{ sku: 'a', attributes: { Colour: 'red' } }], STAGING);
      await send(ATTRIBUTES, [{ action: 'UPDATE', name: 'Colour', options: ['red', 'white'] }], STAGING);
      await send(CATEGORIES, [{ path: 'Disk', itemAttributes: [{ name: 'Colour' }] }], STAGING);
      const before = await content();
      const found = await compare();
      assert.deepEqual(await kinds(found.id), ['attribute UPDATED', 'assignment DELETED', 'item UPDATED a']);
      const needed = await promote(found.id);
      assert.deepEqual([needed.errors, (await shop.item('a'))?.attributes.Colour], [[], 'red']);
      const options = async () =>
        (await shop.ask('GET', '/api-product/v1/product/attribute')).data.find(
          ({ name }: { name: string }) => name === 'Colour',
        ).options;
      assert.ok((await options()).includes('blue'), 'another item may have it');
      const all = await promote((await compare()).id, { definitions: 'all' });
      assert.deepEqual([all.status, all.errors, await options()], ['COMPLETED', [], ['red', 'white']]);
      await isEqual();
      await send('/jobs/actions/revert', { jobIds: [needed.id, all.id] });
      assert.deepEqual(await content(), before);
    });

    it('wait for the approval with the items, and are not written if they were changed meanwhile', async () => {
      await prepare();
      const found = await compare();
      const { status, body } = await shop.call('POST', PROMOTE, {
        body: { compareJobId: found.id, requireApproval: true },
      });
      assert.equal(status, 202, JSON.stringify(body));
      const waiting = await shop.ask('GET', `/jobs/${body.jobId}`, { headers: WAIT });
      assert.equal(waiting.status, 'AWAITING_APPROVAL', JSON.stringify(waiting));
      const shown = (await kinds(body.jobId)).filter((one) => one.startsWith('attribute'));
      assert.deepEqual(shown.sort(), ['attribute CREATED', 'attribute UPDATED']);
      await send(ATTRIBUTES, [{ action: 'UPDATE', name: 'Colour', options: ['red', 'blue', 'grey'] }]);
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
      const approved = await shop.call('POST', `/jobs/${body.jobId}/actions/approve`, { body: {} });
      assert.ok(approved.status < 300, JSON.stringify(approved.body));
      const done = await shop.outcome(body.jobId);
      const errors = done.errors.map(({ key, code }) => [key, code]);
      assert.deepEqual(errors, [
        ['attribute Colour', 'CHANGED_SINCE'],
        ['a', 'VALUE_TYPE'],
      ]);
      assert.equal((await shop.item('t'))?.attributes.Weight, '1.5');
    });

    it('that were changed in the other stage meanwhile are not carried over either', async () => {
      await prepare();
      const found = await compare();
      await send(ATTRIBUTES, [{ action: 'UPDATE', name: 'Weight', description: 'in kg' }], STAGING);
      const promoted = await promote(found.id, { skus: ['t'] });
      assert.match(
        String(promoted.errors.find(({ key }) => key === 'attribute Weight')?.message),
        /in the other stage/,
      );
      assert.equal(await shop.item('t'), undefined);
    });

    it('of another account are neither compared nor carried over', async () => {
      const other = await world.newShop();
      await prepare();
      const found = await compare();
      const foreign = await other.post(PROMOTE, { compareJobId: found.id, definitions: 'all' });
      assert.equal(foreign.status, 404);
      assert.equal((await other.call('GET', `/jobs/${found.id}/changes`)).status, 404);
      assert.equal((await other.post('/jobs/site/actions/compare', { with: 'staging' })).status, 404);
    });
  });
});
