/** Jobs that wait for an approval: nobody writes what nobody has seen. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import { approveJob } from '../../../src/domain/jobs/approvals.js';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=20' };
const CATALOG = {
  attributes: [
    'Title',
    { name: 'Price', type: 'DECIMAL' },
    { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
  ],
  categories: { Disk: ['Title', 'Price', 'Gtin'] },
};

forEachBackend((backend) => {
  describe('jobs that wait for an approval', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    /** The same account with another token. */
    let other: Shop;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, workers: true, chunkRows: 3 });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define(CATALOG);
      other = await withScopes();
      await shop.bulk('insert', items({ a: '1', b: '2', c: '3', d: '4', e: '5' }));
    });

    async function withScopes(scopes?: readonly string[]): Promise<Shop> {
      const { token } = await createToken(world.db, { accountId: shop.account, name: 'other', scopes });
      return new Shop(world.api, shop.account, token, shop.siteId);
    }
    const items = (prices: Readonly<Record<string, string | null>>) =>
      Object.entries(prices).map(([sku, price]) => ({ sku, nodeName: 'Disk', attributes: { Price: price } }));
    const prices = () => shop.values('Price');
    const job = (id: string) => shop.ask('GET', `/jobs/${id}`);
    const approve = (id: string, by = other, body: object = {}): Promise<Answer> =>
      by.post(`/jobs/${id}/actions/approve`, body, { headers: WAIT });
    const reject = (id: string, note?: string) => other.post(`/jobs/${id}/actions/reject`, { note });
    const changes = async (id: string) => (await shop.ask('GET', `/jobs/${id}/changes`)).data;

    /** Sends rows that need an approval. @returns the id of their job, which waits for it */
    async function propose(mode: 'upsert' | 'update' | 'insert', rows: unknown, query = ''): Promise<string> {
      const { status, body } = await shop.bulk(mode, rows, { query: `requireApproval=true${query}` });
      assert.deepEqual([status, body.status], [202, 'AWAITING_APPROVAL'], JSON.stringify(body));
      return body.jobId;
    }
    /** Uploads a file that needs an approval. @returns the id of its job, which waits for it */
    async function proposeFile(rows: string, options: object = {}): Promise<string> {
      const id = await shop.upload('items.csv', rows, { requireApproval: true, ...options });
      const waiting = await shop.call('GET', `/jobs/${id}`, { headers: WAIT });
      assert.deepEqual([waiting.status, waiting.body.status], [200, 'AWAITING_APPROVAL'], waiting.text);
      return id;
    }

    it('is told in the history of an item, with the note and who has approved it', async () => {
      const id = await propose('update', items({ a: '10' }));
      await approve(id, other, { note: 'as agreed with <b>Robin</b>' });
      const { data } = await shop.ask('GET', '/api-product/v1/product/a/history');
      const [{ approval }, created] = data;
      const { decision } = await job(id);
      assert.equal(approval.note, 'as agreed with <b>Robin</b>');
      assert.deepEqual([approval.by, approval.at], [decision.by.actor, decision.at]);
      assert.equal(created.approval, null);
    });

    it('shows what a request would change, and writes it when it is approved', async () => {
      const id = await propose('upsert', items({ a: '10', b: '2', f: '6' }));
      const waiting = await job(id);
      assert.deepEqual(
        [waiting.completedAt, waiting.options.validateOnly, waiting.options.requireApproval, waiting.reason],
        [null, false, true, null],
      );
      assert.match(waiting.statusMessage, /would create 1 row and change or delete 1 row/);
      assert.deepEqual(await prices(), { a: '1', b: '2', c: '3', d: '4', e: '5' });
      assert.deepEqual(
        (await changes(id)).map((change: { sku: string; operation: string }) => [change.sku, change.operation]),
        [
          ['f', 'CREATED'],
          ['a', 'UPDATED'],
        ],
      );
      const { status, body } = await approve(id, other, { note: 'as agreed' });
      assert.deepEqual([status, body.status], [200, 'COMPLETED'], JSON.stringify(body));
      const { createdCount, updatedCount, unchangedCount, errorCount } = body.progressTracker;
      assert.deepEqual([createdCount, updatedCount, unchangedCount, errorCount], [1, 1, 1, 0]);
      assert.deepEqual(await prices(), { a: '10', b: '2', c: '3', d: '4', e: '5', f: '6' });
      assert.equal((await changes(id)).length, 2, 'the changes are those that were made, once');
    });

    it('does the same with a file of several chunks', async () => {
      const rows = ['a,11', 'b,12', 'c,13', 'd,14', 'x,wrong', 'e,15', 'g,17', 'h,18'];
      const id = await proposeFile(
        `SKU,Category Node,Price\n${rows.map((row) => row.replace(',', ',Disk,')).join('\n')}\n`,
      );
      assert.equal((await job(id)).progressTracker.errorCount, 1);
      assert.equal((await shop.errors(id)).length, 1);
      assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY');
      const outcome = await shop.outcome(id);
      assert.deepEqual([outcome.created, outcome.updated, outcome.failed], [2, 5, 1]);
      assert.equal(outcome.errors[0]?.column, 'Price');
      assert.deepEqual(await prices(), { a: '11', b: '12', c: '13', d: '14', e: '15', g: '17', h: '18' });
      const bytes = await shop.download(outcome.errorFile ?? '');
      assert.match(bytes.bytes.toString(), /wrong/);
    });

    it('writes no row that would change something else by then, and writes the others', async () => {
      const id = await propose('upsert', items({ a: '10', b: '20', c: '30', g: '70', d: '4' }));
      // Somebody changes one, makes the change of another one, creates one, and changes one that stayed as it was.
      await shop.bulk('upsert', items({ a: '5', b: '20', g: '1', d: '9' }));
      assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY');
      const { errors, updated, created, unchanged } = await shop.outcome(id);
      assert.deepEqual(
        errors.map(({ key, code }) => [key, code]),
        ['a', 'b', 'g', 'd'].map((sku) => [sku, 'CHANGED_SINCE_PREVIEW']),
      );
      assert.deepEqual([created, updated, unchanged], [0, 1, 0]);
      assert.deepEqual(await prices(), { a: '5', b: '20', c: '30', d: '9', e: '5', g: '1' });
    });

    it('counts a deleted item, a moved one and a changed definition as changed', async () => {
      const id = await propose('upsert', items({ a: '10', b: '20', f: '60' }));
      await shop.post('/api-product/v1/product/bulk/delete', { skus: ['a'] }, { headers: WAIT });
      await shop.bulkAttributes([
        { action: 'CREATE', name: 'Price', type: 'DECIMAL', validation: { range: { max: 50 } } },
      ]);
      await approve(id);
      const { errors } = await shop.outcome(id);
      assert.deepEqual(
        errors.map(({ key, code }) => [key, code]),
        [
          ['a', 'CHANGED_SINCE_PREVIEW'],
          ['f', 'VALUE_RANGE'],
        ],
      );
      assert.deepEqual(await prices(), { b: '20', c: '3', d: '4', e: '5' });
    });

    it('counts an item as changed that has appeared or is gone, whatever the row would fail for now', async () => {
      // Without a category, a row cannot create its item again.
      const sku = (one: string) => ({ sku: one, attributes: { Price: '9' } });
      const upserts = await propose('upsert', [sku('a'), sku('b')]);
      const updates = await propose('update', [sku('a'), sku('c')]);
      const inserts = await propose('insert', items({ g: '7', h: '8' }));
      await shop.post('/api-product/v1/product/bulk/delete', { skus: ['a'] }, { headers: WAIT });
      await shop.bulk('insert', items({ g: '1' }));
      for (const [id, key] of [
        [upserts, 'a'],
        [updates, 'a'],
        [inserts, 'g'],
      ] as const) {
        assert.equal((await approve(id)).body.status, 'COMPLETED_PARTIALLY');
        const { errors } = await shop.outcome(id);
        assert.deepEqual(
          errors.map((error) => [error.key, error.code]),
          [[key, 'CHANGED_SINCE_PREVIEW']],
        );
      }
      assert.deepEqual(await prices(), { b: '9', c: '9', d: '4', e: '5', g: '1', h: '8' });
    });

    it('writes nothing at all under abort when one row has changed', async () => {
      const id = await propose('upsert', items({ a: '10', b: '20' }), '&onError=abort');
      await shop.bulk('upsert', items({ b: '21' }));
      const { body } = await approve(id);
      assert.deepEqual([body.status, body.reason], ['REJECTED', 'ROWS_FAILED']);
      assert.deepEqual(
        (await shop.errors(id)).map(({ key, code }) => [key, code]),
        [['b', 'CHANGED_SINCE_PREVIEW']],
      );
      const file = await proposeFile('SKU,Price\na,10\nb,22\nc,33\nd,44\n', { onError: 'abort' });
      await shop.bulk('upsert', items({ d: '45' }));
      assert.equal((await approve(file)).body.status, 'REJECTED');
      assert.deepEqual(await prices(), { a: '1', b: '21', c: '3', d: '45', e: '5' });
    });

    it('needs no approval for what changes nothing, and rejects under abort what would fail', async () => {
      const same = await shop.bulk('upsert', items({ a: '1' }), { query: 'requireApproval=true' });
      assert.deepEqual([same.status, same.body.success[0].message], [200, 'unchanged']);
      const failing = await shop.bulk('upsert', items({ a: '10', b: 'x' }), {
        query: 'requireApproval=true&onError=abort',
      });
      assert.equal(failing.status, 422);
      assert.match(failing.body.message, /nothing was written/);
    });

    it('deletes what was shown, also where a request names an item twice', async () => {
      const skus = ['a', 'n', 'b', 'b', 'n', 'a'];
      const path = '/api-product/v1/product/bulk/delete?requireApproval=true';
      const { body } = await shop.post(path, { skus }, { headers: WAIT });
      await shop.bulk('upsert', items({ n: '6', b: '21' }));
      await approve(body.jobId);
      assert.deepEqual(await prices(), { b: '21', c: '3', d: '4', e: '5', n: '6' }, 'n and b were not shown like this');
    });

    it('previews deletions and variants, and unique values that rows exchange', async () => {
      const deleting = await shop.post(
        '/api-product/v1/product/bulk/delete?requireApproval=true',
        { skus: ['a', 'b', 'nobody'] },
        { headers: WAIT },
      );
      assert.equal(deleting.body.status, 'AWAITING_APPROVAL', deleting.text);
      await shop.bulk('update', [{ sku: 'b', attributes: { Title: 'changed' } }]);
      await approve(deleting.body.jobId);
      assert.deepEqual(
        (await shop.errors(deleting.body.jobId)).map(({ key, code }) => [key, code]),
        [
          ['b', 'CHANGED_SINCE_PREVIEW'],
          ['nobody', 'SKU_NOT_FOUND'],
        ],
      );
      await shop.bulk('update', [
        { sku: 'c', attributes: { Gtin: '1' } },
        { sku: 'd', attributes: { Gtin: '2' } },
      ]);
      const exchange = await propose('upsert', [
        { sku: 'c', attributes: { Gtin: '2' } },
        { sku: 'd', attributes: { Gtin: '1' } },
        { sku: 'v', nodeName: 'Disk', parentSku: 'e', attributes: { Title: 'variant' } },
      ]);
      assert.equal((await approve(exchange)).body.status, 'COMPLETED');
      assert.deepEqual(await shop.values('Gtin'), { b: undefined, c: '2', d: '1', e: undefined, v: undefined });
    });

    it('is approved as a whole where it changes definitions', async () => {
      const attributes = [{ action: 'CREATE', name: 'Colour', type: 'TEXT' }];
      const send = () =>
        shop.post('/api-product/v1/product/attribute/bulk?requireApproval=true', attributes, { headers: WAIT });
      const first = (await send()).body;
      assert.equal(first.status, 'AWAITING_APPROVAL');
      await shop.bulkAttributes([{ action: 'CREATE', name: 'Depth', type: 'TEXT' }]);
      const refused = (await approve(first.jobId)).body;
      assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'CHANGED_SINCE_PREVIEW']);
      const second = (await send()).body;
      assert.equal((await approve(second.jobId)).body.status, 'COMPLETED');
      const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?limit=100');
      assert.deepEqual(data.filter(({ name }: { name: string }) => name === 'Colour').length, 1);
    });

    it('gives up its place while it waits: later jobs pass, and it comes after them', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      assert.equal((await shop.bulk('upsert', items({ e: '50' }))).status, 200);
      assert.equal((await job(id)).status, 'AWAITING_APPROVAL');
      await approve(id);
      assert.deepEqual(await prices(), { a: '10', b: '2', c: '3', d: '4', e: '50' });
    });

    it('ends as REJECTED with the note, and writes nothing', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      const { status, body } = await reject(id, 'last year’s prices');
      assert.deepEqual([status, body.status, body.reason], [200, 'REJECTED', 'NOT_APPROVED']);
      assert.match(body.statusMessage, /not approved: last year’s prices; nothing was written/);
      assert.deepEqual(await prices(), { a: '1', b: '2', c: '3', d: '4', e: '5' });
      assert.equal((await changes(id)).length, 1, 'what was proposed can still be read');
      assert.equal((await approve(id)).status, 409);
      assert.equal((await reject(id)).status, 409);
    });

    it('can be cancelled, and retried, which needs an approval of its own', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      const cancelled = await shop.post(`/jobs/${id}/actions/cancel`, {});
      assert.equal(cancelled.body.status, 'CANCELLED', cancelled.text);
      const again = await shop.post(`/jobs/${id}/actions/retry`, { force: true }, { headers: WAIT });
      assert.deepEqual([again.status, again.body.status], [202, 'AWAITING_APPROVAL'], again.text);
      assert.equal((await approve(again.body.jobId)).body.status, 'COMPLETED');
      const third = await shop.post(`/jobs/${again.body.jobId}/actions/retry`, {}, { headers: WAIT });
      assert.equal(third.status, 409, third.text);
    });

    it('shows no preview any more when it is cancelled after its approval', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      // Nothing is enqueued: it waits for its turn.
      await world.db.transaction((trx) =>
        approveJob(trx, { siteId: shop.siteId, jobId: id, actor: 'token:another', hours: 72 }, false),
      );
      assert.deepEqual(await changes(id), []);
      const cancelled = await shop.ask('POST', `/jobs/${id}/actions/cancel`);
      assert.equal(cancelled.status, 'CANCELLED');
      assert.deepEqual(await changes(id), []);
      const { operations } = await shop.ask('GET', `/jobs/${id}/changes/summary`);
      assert.deepEqual(operations, { CREATED: 0, UPDATED: 0, DELETED: 0, STATUS: 0 });
      assert.equal((await prices()).a, '1');
    });

    it('expires, and cannot be approved any more', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      assert.deepEqual(await expireJobs(world.db, 'approval', 1), [], 'not yet');
      const waits = (jobId: string, time: string) =>
        world
          .db('job')
          .where({ id: jobId })
          .update({ updated_at: world.db.raw(`now() - interval '${time}'`) });
      await waits(id, '61 minutes');
      assert.deepEqual(await expireJobs(world.db, 'approval', 1), [id]);
      const { status, reason, statusMessage } = await job(id);
      assert.deepEqual([status, reason], ['EXPIRED', null]);
      assert.match(statusMessage, /nobody has approved it within 1 hours; nothing was written/);
      const late = await approve(id);
      assert.equal(late.status, 410);
      assert.match(late.body.message, /has expired/);
      const other = await propose('upsert', items({ a: '11' }));
      await waits(other, '73 hours');
      assert.equal((await approve(other)).status, 410, 'also before housekeeping has come by');
    });

    it('is not approved by the token that has created it, unless the site allows it', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      const own = await approve(id, shop);
      assert.equal(own.status, 403);
      assert.match(own.body.message, /may not approve it/);
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
      const next = await propose('upsert', items({ a: '11' }));
      assert.equal((await approve(next, shop)).body.status, 'COMPLETED');
    });

    it('needs the scope to approve; a token that may only propose writes nothing by itself', async () => {
      const proposing = await withScopes(['catalog:read', 'catalog:propose']);
      const direct = await proposing.bulk('upsert', items({ a: '10' }));
      assert.deepEqual([direct.status, direct.body.code], [403, 'FORBIDDEN']);
      assert.match(direct.body.message, /catalog:propose/);
      assert.equal((await proposing.bulk('upsert', items({ a: '10' }), { query: 'validateOnly=true' })).status, 200);
      const asked = await proposing.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true' });
      assert.equal(asked.body.status, 'AWAITING_APPROVAL', asked.text);
      assert.equal((await approve(asked.body.jobId, proposing)).status, 403);
      const file = { fileName: 'items.csv', fileType: 'ITEM_IMPORT' };
      assert.equal((await proposing.post('/files/product', file)).status, 403);
      assert.equal((await proposing.post('/files/product', { ...file, hold: true })).status, 200);
      const writing = await withScopes(['catalog:read', 'catalog:write']);
      assert.equal((await approve(asked.body.jobId, writing)).status, 403);
      const approving = await withScopes(['catalog:read', 'catalog:approve']);
      assert.equal((await approve(asked.body.jobId, approving)).body.status, 'COMPLETED');
      for (const path of ['actions/cancel', 'actions/retry', 'actions/revert'])
        assert.equal((await proposing.post(`/jobs/${asked.body.jobId}/${path}`, {})).status, 403, path);
    });

    it('is required by the rule of the site: always, for large changes, or for files', async () => {
      const rule = (approval: object) => shop.ask('PATCH', '/site-settings', { body: { approval } });
      await rule({ when: 'ALWAYS' });
      assert.equal((await shop.bulk('upsert', items({ a: '10' }))).body.status, 'AWAITING_APPROVAL');
      await rule({ when: 'LARGE', items: 2 });
      const small = await shop.bulk('upsert', items({ a: '10', b: '20' }));
      assert.deepEqual([small.status, small.body.success?.length], [200, 2], small.text);
      const large = await shop.bulk('upsert', items({ a: '11', b: '21', c: '31' }));
      assert.equal(large.body.status, 'AWAITING_APPROVAL', large.text);
      await rule({ items: null, percent: 50 });
      assert.equal((await shop.bulk('upsert', items({ a: '12', b: '22' }))).status, 200);
      assert.equal((await shop.bulk('upsert', items({ a: '13', b: '23', c: '33' }))).body.status, 'AWAITING_APPROVAL');
      const small2 = await shop.importFile('items.csv', 'SKU,Price\na,14\nb,24\n');
      assert.deepEqual([small2.status, small2.updated], ['COMPLETED', 2]);
      await rule({ when: 'ALWAYS', fileTypes: ['ITEM_IMPORT'] });
      assert.equal((await shop.bulk('upsert', items({ a: '15' }))).status, 200);
      const id = await shop.upload('items.csv', 'SKU,Price\na,16\n');
      assert.equal((await shop.ask('GET', `/jobs/${id}`, { headers: WAIT })).status, 'AWAITING_APPROVAL');
      await rule({ when: 'REQUESTED', fileTypes: null });
      assert.equal((await shop.bulk('upsert', items({ a: '17' }))).status, 200);
    });

    it('decides about a held file when it is imported', async () => {
      const file = await shop.hold('SKU,Price\na,10\n', { options: { requireApproval: true } });
      const imported = await shop.post(`/files/product/${file.id}/actions/import`, {}, { headers: WAIT });
      assert.deepEqual([imported.status, imported.body.status], [202, 'AWAITING_APPROVAL'], imported.text);
      assert.equal((await approve(file.jobId)).body.status, 'COMPLETED');
      assert.equal((await prices()).a, '10');
    });

    it('refuses an approval of a dry run, of another account, and of a job that waits for none', async () => {
      const both = await shop.bulk('upsert', items({ a: '10' }), { query: 'requireApproval=true&validateOnly=true' });
      assert.deepEqual([both.status, both.body.code], [400, 'REQUEST_INVALID'], both.text);
      const id = await propose('upsert', items({ a: '10' }));
      const stranger = await world.newShop();
      assert.equal((await stranger.post(`/jobs/${id}/actions/approve`, {})).status, 404);
      const done = (await shop.bulk('upsert', items({ b: '20' }))).body.jobId;
      const refused = await approve(done);
      assert.equal(refused.status, 409);
      assert.match(refused.body.message, /needs no approval/);
    });

    it('is approved once, however many approve it at the same time', async () => {
      const id = await propose('upsert', items({ a: '10' }));
      const answers = await Promise.all(Array.from({ length: 8 }, () => approve(id)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
      assert.equal((await prices()).a, '10');
    });
  });
});
