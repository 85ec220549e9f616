/** Two stages of an account are compared, and what differs is carried over. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Outcome, Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { prefer: 'wait=25' };
const CATEGORY = '/api-category/v1/category';
const BULK = '/api-product/v1/product/bulk';
const STAGING: CallOptions['context'] = { stage: 'staging' };
const COMPARE = '/jobs/site/actions/compare';
const PROMOTE = '/jobs/site/actions/promote';

const ITEMS = [
  { sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Price: '5' }, alternateCategories: ['Gifts'] },
  { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' }, parentSku: 'a', channels: [1] },
  { sku: 'c', nodeName: 'Tape->Wide', attributes: { Price: '1.50' } },
  {
    sku: 'kit',
    nodeName: 'Disk',
    type: 'BUNDLE',
    bundleItems: [
      { sku: 'a', quantity: 2 },
      { sku: 'c', quantity: 1 },
    ],
  },
];

onOneBackend((backend) => {
  describe('stages of an account', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await world.newShop();
      // The ids of definitions differ between the stages, whose order is not the same.
      await fill(undefined, ['Title', 'Price', 'Gtin']);
      await fill(STAGING, ['Gtin', 'Price', 'Title']);
    });
    afterEach(() => assertChangesAddUp(world.db, shop.siteId));

    const send = async (path: string, body: unknown, context?: CallOptions['context']): Promise<Body> => {
      const options = { body, headers: WAIT, ...(context ? { context } : {}) };
      const { status, body: answer } = await shop.call('POST', path, options);
      assert.equal(status, 200, JSON.stringify(answer));
      return answer;
    };
    const items = (rows: unknown, context?: CallOptions['context']) => send(`${BULK}/upsert`, rows, context);
    const ended = async (path: string, body: unknown) => {
      const job = await send(path, body);
      return { ...(await shop.outcome(job.id)), options: job.options, type: job.type };
    };
    const compare = async () => {
      const job = await send(COMPARE, { with: 'staging' });
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      return { ...job, total: job.progressTracker.totalCount, errors: await shop.errors(job.id) };
    };
    const changes = async (jobId: string): Promise<Body[]> => (await shop.ask('GET', `/jobs/${jobId}/changes`)).data;
    const isEqual = async () => {
      const { status, total, id } = await compare();
      assert.deepEqual([status, total, await changes(id)], ['COMPLETED', 0, []]);
    };

    async function fill(context: CallOptions['context'], attributes: readonly string[]): Promise<void> {
      const elements = attributes.map((name) => ({ name, type: name === 'Price' ? 'DECIMAL' : 'TEXT' }));
      await send('/api-product/v1/product/attribute/bulk', elements, context);
      const itemAttributes = attributes.map((name) => ({ name }));
      await send(
        `${CATEGORY}/bulk/upsert`,
        [
          ...(context === undefined ? [{ path: 'Unlike' }] : []),
          { path: 'Disk', itemAttributes },
          { path: 'Tape' },
          { path: 'Tape->Wide', itemAttributes },
          { path: 'Gifts', type: 'ALTERNATE' },
        ],
        context,
      );
      await items(ITEMS, context);
    }

    it('that are equal have no differences; one price is found, carried over, and taken back', async () => {
      await isEqual();
      await items([{ sku: 'a', attributes: { Price: '6.25' } }], STAGING);
      const found = await compare();
      assert.deepEqual([found.type, found.options.with, found.total], ['STAGE_COMPARE', 'staging', 1]);
      const difference = { Price: { before: '5', after: '6.25' } };
      assert.deepEqual(
        (await changes(found.id)).map(({ sku, operation, attributes, fields }) => [sku, operation, attributes, fields]),
        [['a', 'UPDATED', difference, {}]],
      );
      const summary = await shop.ask('GET', `/jobs/${found.id}/changes/summary`);
      assert.deepEqual(summary.operations.UPDATED, 1);
      assert.equal((await shop.item('a'))?.attributes.Price, '5', 'a comparison writes nothing');
      const promoted = await ended(PROMOTE, { compareJobId: found.id });
      assert.deepEqual([promoted.type, promoted.status, promoted.updated], ['STAGE_PROMOTE', 'COMPLETED', 1]);
      assert.equal((await shop.item('a'))?.attributes.Price, '6.25');
      await isEqual();
      await send(`/jobs/${promoted.id}/actions/revert`, {});
      assert.equal((await shop.item('a'))?.attributes.Price, '5');
      assert.equal((await compare()).total, 1);
    });

    it('are carried over by attributes, also by one that the target lacks, and a misspelt name is refused', async () => {
      await send('/api-product/v1/product/attribute/bulk', [{ name: 'Extra', type: 'TEXT' }], STAGING);
      const itemAttributes = ['Gtin', 'Price', 'Title', 'Extra'].map((name) => ({ name }));
      await send(`${CATEGORY}/bulk/upsert`, [{ path: 'Disk', itemAttributes }], STAGING);
      await items([{ sku: 'a', attributes: { Extra: 'new' } }], STAGING);
      await items([{ sku: 'b', attributes: { Title: 'other' } }], STAGING);
      const found = await compare();
      const { data } = await shop.ask('GET', `/jobs/${found.id}/changes?attributes=extra`);
      assert.deepEqual(
        data.map(({ sku, attributes }: Body) => [sku, attributes]),
        [['a', { Extra: { after: 'new' } }]],
      );
      const chosen = (attributes: string[]) => ({ compareJobId: found.id, filter: { attributes } });
      const { status, body } = await shop.post(PROMOTE, chosen(['Extre']));
      assert.deepEqual([status, body.errors[0].path], [400, 'filter.attributes']);
      const promoted = await ended(PROMOTE, chosen(['Extra']));
      assert.deepEqual([promoted.status, promoted.errors], ['COMPLETED', []]);
      assert.equal((await shop.item('a'))?.attributes.Extra, 'new');
      assert.equal((await shop.item('b'))?.attributes.Title, 'Two');
    });

    it('are carried over for items whose keys are written in another way', async () => {
      await items([{ sku: 'Caf\u00e9', nodeName: 'Disk' }], STAGING);
      const skus = [' Cafe\u0301 '];
      const { status, created } = await ended(PROMOTE, { compareJobId: (await compare()).id, skus });
      assert.deepEqual([status, created], ['COMPLETED', 1]);
    });

    it('get created, deleted and moved items, with variants, bundles and places', async () => {
      await items(
        [
          { sku: 'a', nodeName: 'Tape->Wide', alternateCategories: [] },
          { sku: 'b', parentSku: null, channels: [1, 2] },
          { sku: 'v', nodeName: 'Disk', parentSku: 'c', attributes: { Gtin: '1' }, alternateCategories: ['Gifts'] },
          { sku: 'kit', bundleItems: [{ sku: 'v', quantity: 3 }] },
        ],
        STAGING,
      );
      await items([{ sku: 'x', nodeName: 'Disk' }]);
      const found = await compare();
      assert.deepEqual([found.total, found.progressTracker.createdCount], [5, 1]);
      const operations = (await changes(found.id)).map(({ sku, operation }) => `${sku} ${operation}`).sort();
      assert.deepEqual(operations, ['a UPDATED', 'b UPDATED', 'kit UPDATED', 'v CREATED', 'x DELETED']);
      const chosen = await ended(PROMOTE, { compareJobId: found.id, filter: { operations: ['DELETED'] } });
      assert.deepEqual([chosen.total, chosen.updated], [1, 1]);
      const some = await ended(PROMOTE, { compareJobId: found.id, skus: ['a', 'x'] });
      assert.deepEqual([some.updated, some.unchanged], [1, 1], 'what is carried over already is unchanged');
      const rest = await ended(PROMOTE, { compareJobId: found.id });
      assert.deepEqual([rest.status, rest.errors], ['COMPLETED', []]);
      await isEqual();
      await send('/jobs/actions/revert', { jobIds: [chosen.id, some.id, rest.id] });
      assert.equal((await compare()).total, 5);
    });

    it('keep items that were changed in one of them since, or that need a definition which is not carried over', async () => {
      await send('/api-product/v1/product/attribute/bulk', [{ name: 'Shade', type: 'TEXT' }], STAGING);
      await send(
        '/api-product/v1/product/attribute/bulk',
        [{ action: 'UPDATE', name: 'Gtin', validation: { maxLength: 9 } }],
        STAGING,
      );
      await send(
        `${CATEGORY}/bulk/upsert`,
        [{ path: 'Other', itemAttributes: [{ name: 'Shade' }, { name: 'Gtin' }] }],
        STAGING,
      );
      await items(
        [
          { sku: 'a', attributes: { Title: 'New' } },
          { sku: 'b', attributes: { Title: 'New' } },
          { sku: 'c', attributes: { Title: 'New' } },
          { sku: 'g', nodeName: 'Disk', attributes: { Gtin: '1' } },
          { sku: 'o', nodeName: 'Other', attributes: { Shade: 'red' } },
        ],
        STAGING,
      );
      const found = await compare();
      assert.deepEqual(found.errors, [], 'what stands in the way is said by the promotion, or by its dry run');
      const needs = [
        ['g', 'Gtin', 'VALUE_TYPE'],
        ['o', 'Shade', 'ATTRIBUTE_NOT_FOUND'],
        ['o', 'nodeId', 'NODE_NOT_FOUND'],
      ];
      const places = ({ errors }: Pick<Outcome, 'errors'>) =>
        errors.map(({ key, column, code }) => [key, column, code]).sort();
      const dry = await ended(PROMOTE, { compareJobId: found.id, definitions: 'none', validateOnly: true });
      assert.deepEqual(places(dry), needs);
      await items([{ sku: 'a', attributes: { Title: 'Mine' } }]);
      await items([{ sku: 'b', attributes: { Title: 'Newer' } }], STAGING);
      const promoted = await ended(PROMOTE, { compareJobId: found.id, definitions: 'none' });
      assert.deepEqual(places(promoted), [['a', 'Title', 'CHANGED_SINCE'], ['b', 'Title', 'CHANGED_SINCE'], ...needs]);
      assert.deepEqual([promoted.updated, (await shop.item('c'))?.attributes.Title], [1, 'New']);
    });

    it('wait for an approval, if it is asked for, and are only previewed by a dry run', async () => {
      await items(
        [
          { sku: 'a', attributes: { Price: '6' } },
          { sku: 'n', nodeName: 'Disk' },
        ],
        STAGING,
      );
      const { id } = await compare();
      const dry = await ended(PROMOTE, { compareJobId: id, validateOnly: true });
      assert.deepEqual([dry.updated, dry.created, (await changes(dry.id)).length], [1, 1, 2]);
      const { status, body } = await shop.call('POST', PROMOTE, { body: { compareJobId: id, requireApproval: true } });
      assert.equal(status, 202, JSON.stringify(body));
      const waiting = await shop.ask('GET', `/jobs/${body.jobId}`, { headers: WAIT });
      assert.equal(waiting.status, 'AWAITING_APPROVAL');
      assert.equal((await shop.item('a'))?.attributes.Price, '5');
      await items([{ sku: 'a', attributes: { Price: '7' } }]);
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
      const approved = await shop.call('POST', `/jobs/${body.jobId}/actions/approve`, { body: {} });
      assert.ok(approved.status < 300, JSON.stringify(approved.body));
      const done = await shop.outcome(body.jobId);
      assert.deepEqual([done.created, done.errors.map(({ key }) => key)], [1, ['a']]);
    });

    it('are not compared with themselves or what is not there, and other jobs are no comparison', async () => {
      const refused = async (path: string, body: object, status: number, message: RegExp) => {
        const answer = await shop.post(path, body);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        assert.match(answer.body.message, message);
      };
      await refused(COMPARE, { with: 'production' }, 400, /itself/);
      await refused(COMPARE, { with: 'nowhere' }, 404, /no stage "nowhere"/);
      await refused(PROMOTE, { compareJobId: 'nobody' }, 404, /no job nobody/);
      const { body } = await shop.post(`${BULK}/upsert`, [{ sku: 'a', attributes: { Price: '6' } }]);
      await refused(PROMOTE, { compareJobId: body.jobId }, 409, /ITEM_BULK_UPSERT/);
      await shop.outcome(body.jobId);
      const found = await compare();
      const nothing = await ended(PROMOTE, { compareJobId: found.id, skus: ['nobody'] });
      assert.deepEqual([nothing.status, nothing.reason], ['REJECTED', 'NO_ROWS']);
      const old = new Date(Date.now() - 25 * 3_600_000);
      await world.db('job').where({ id: found.id }).update({ completed_at: old });
      await refused(PROMOTE, { compareJobId: found.id }, 410, /older than 24 hours/);
    });
  });
});
