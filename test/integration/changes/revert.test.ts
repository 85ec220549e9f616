/** What jobs have changed is taken back by another job. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { siteContents } from '../../support/models/site-digest.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { headers: { prefer: 'wait=25' } };

onOneBackend((backend) => {
  describe('a revert', () => {
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
          { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
        ],
        categories: { Disk: ['Title', 'Price', 'Gtin'], Tape: ['Title', 'Price', 'Gtin'] },
      });
      await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Gifts', type: 'ALTERNATE' } });
      await shop.bulk('insert', [
        {
          sku: 'a',
          nodeName: 'Disk',
          attributes: { Title: 'One', Price: '5', Gtin: 'g1' },
          alternateCategories: ['Gifts'],
        },
        { sku: 'b', nodeName: 'Disk', attributes: { Title: 'Two' }, parentSku: 'a' },
        { sku: 'kit', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'a', quantity: 2 }] },
      ]);
    });
    afterEach(() => assertChangesAddUp(world.db, shop.siteId));

    const contents = () => siteContents(world.db, shop.siteId);
    const upsert = async (body: unknown, query = '') => {
      const { jobId } = (await shop.post(`/api-product/v1/product/bulk/upsert${query}`, body)).body;
      await shop.outcome(jobId);
      return jobId as string;
    };
    const remove = async (...skus: string[]) => {
      const { jobId } = (await shop.post('/api-product/v1/product/bulk/delete', { skus })).body;
      const { failed } = await shop.outcome(jobId);
      assert.equal(failed, 0);
      return jobId as string;
    };
    const revert = async (jobIds: string | string[], body: object = {}) => {
      const [path, sent] =
        typeof jobIds === 'string'
          ? [`/jobs/${jobIds}/actions/revert`, body]
          : ['/jobs/actions/revert', { jobIds, ...body }];
      const { status, body: answer } = await shop.post(path, sent, WAIT);
      assert.equal(status, 200, JSON.stringify(answer));
      return shop.outcome(answer.id);
    };
    const codes = ({ errors }: { errors: readonly { key: string | null; column: string | null; code: string }[] }) =>
      errors.map(({ key, column, code }) => [key, column, code]);
    const refused = async (path: string, body: object, expected: number, message: RegExp) => {
      const answer = await shop.post(path, body, WAIT);
      assert.equal(answer.status, expected, JSON.stringify(answer.body));
      assert.match(answer.body.message, message);
    };

    it('gives updated items their former values back, deletes created ones, and can be reverted itself', async () => {
      const before = await contents();
      const jobId = await upsert([
        { sku: 'a', nodeName: 'Tape', attributes: { Price: null, Gtin: 'g2', Title: 'New' }, alternateCategories: [] },
        { sku: 'b', parentSku: null, channels: [1] },
        {
          sku: 'kit',
          bundleItems: [
            { sku: 'b', quantity: 1 },
            { sku: 'c', quantity: 3 },
          ],
        },
        { sku: 'c', nodeName: 'Disk', attributes: { Gtin: 'g1' } },
        { sku: 'd', nodeName: 'Disk', parentSku: 'c' },
      ]);
      const between = await contents();
      const undo = await revert(jobId);
      assert.deepEqual([undo.status, undo.updated, codes(undo)], ['COMPLETED', 5, []]);
      assert.deepEqual(await contents(), before);
      const changes = (await shop.ask('GET', `/jobs/${undo.id}/changes`)).data;
      assert.deepEqual(changes.map(({ sku, operation }: Body) => `${sku} ${operation}`).sort(), [
        'a UPDATED',
        'b UPDATED',
        'c DELETED',
        'd DELETED',
        'kit UPDATED',
      ]);
      const redo = await revert(undo.id);
      assert.deepEqual([redo.status, codes(redo)], ['COMPLETED', []]);
      assert.deepEqual(await contents(), between);
    });

    it('creates deleted items again, with their variants, bundles, places and unique values', async () => {
      const before = await contents();
      const jobId = await remove('a', 'b', 'kit');
      assert.deepEqual((await contents()).items, []);
      const undo = await revert(jobId);
      assert.deepEqual([undo.status, undo.created, codes(undo)], ['COMPLETED', 3, []]);
      assert.deepEqual(await contents(), before);
    });

    it('makes an item of a bundle that was created in its place, a bundle of such an item, and back again', async () => {
      await upsert([
        { sku: 'x', nodeName: 'Disk', attributes: { Title: 'X' } },
        { sku: 'set', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'x', quantity: 3 }] },
      ]);
      const before = await contents();
      const jobs = [
        await remove('x', 'set'),
        await upsert([
          { sku: 'set', nodeName: 'Tape', attributes: { Gtin: 'g9' } },
          { sku: 'variant', nodeName: 'Tape', parentSku: 'set' },
          { sku: 'x', nodeName: 'Tape', type: 'BUNDLE', bundleItems: [{ sku: 'set', quantity: 1 }] },
        ]),
      ];
      const after = await contents();
      const undo = await revert(jobs);
      assert.deepEqual([undo.status, undo.errors], ['COMPLETED', []]);
      assert.deepEqual(await contents(), before);
      const { data } = await shop.ask('GET', `/jobs/${undo.id}/changes?sku=x`);
      const [change] = data.filter(({ sku }: Body) => sku === 'x');
      assert.deepEqual([change.operation, change.fields.type], ['UPDATED', { before: 'BUNDLE', after: 'ITEM' }]);
      const again = await revert(undo.id);
      assert.deepEqual([again.status, again.errors], ['COMPLETED', []]);
      assert.deepEqual(await contents(), after);
    });

    it('makes no bundle of an item that has got variants, and none that would hold itself', async () => {
      await upsert([
        { sku: 'set', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'a', quantity: 3 }] },
        { sku: 'pair', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'kit', quantity: 3 }] },
      ]);
      const jobs = [
        await remove('set', 'pair'),
        await upsert([
          { sku: 'set', nodeName: 'Tape' },
          { sku: 'pair', nodeName: 'Tape' },
        ]),
      ];
      await upsert([
        { sku: 'variant', nodeName: 'Tape', parentSku: 'set' },
        { sku: 'kit', bundleItems: [{ sku: 'pair', quantity: 1 }] },
      ]);
      const before = await contents();
      const undo = await revert(jobs);
      assert.deepEqual(codes(undo), [
        ['pair', 'bundleItems', 'BUNDLE_CYCLE'],
        ['set', 'sku', 'ITEM_IN_USE'],
      ]);
      assert.deepEqual(await contents(), before);
    });

    it('keeps an item that a later job has changed, and names the job and the attribute', async () => {
      const first = await upsert([
        { sku: 'a', attributes: { Price: '6', Title: 'New' } },
        { sku: 'b', attributes: { Title: 'Three' } },
        { sku: 'c', nodeName: 'Disk' },
        { sku: 'd', nodeName: 'Disk' },
      ]);
      const later = await upsert([
        { sku: 'a', attributes: { Price: '7' } },
        { sku: 'c', attributes: { Title: 'Kept' } },
      ]);
      const gone = await remove('d');
      const undo = await revert(first);
      assert.deepEqual([undo.status, undo.updated, undo.failed], ['COMPLETED_PARTIALLY', 1, 3]);
      assert.deepEqual(
        undo.errors.map(({ key, column, code, value }) => [key, column, code, value]),
        [
          ['a', 'Price', 'CHANGED_SINCE', later],
          ['c', 'Title', 'CHANGED_SINCE', later],
          ['d', 'sku', 'CHANGED_SINCE', gone],
        ],
      );
      assert.equal((await shop.item('a'))?.attributes.Title, 'New');
      assert.equal((await shop.item('b'))?.attributes.Title, 'Two');
      // What was changed of the item besides is no reason to keep it.
      const price = await upsert([{ sku: 'b', attributes: { Price: '1' } }]);
      await upsert([{ sku: 'b', attributes: { Title: 'Four' } }]);
      assert.deepEqual((await revert(price)).status, 'COMPLETED');
      assert.deepEqual((await shop.item('b'))?.attributes, { Title: 'Four' });
    });

    it('takes several jobs back at once, but no item that another job has changed between them', async () => {
      const before = await contents();
      const first = await upsert([
        { sku: 'a', attributes: { Price: '6' } },
        { sku: 'c', nodeName: 'Disk' },
      ]);
      const second = await upsert([
        { sku: 'a', attributes: { Price: '7' } },
        { sku: 'c', parentSku: 'a' },
      ]);
      const third = await remove('b');
      const dry = await revert([first, second, third], { validateOnly: true });
      assert.deepEqual([dry.created, dry.updated], [1, 2]);
      const preview = (await shop.ask('GET', `/jobs/${dry.id}/changes`)).data;
      assert.equal(preview.length, 3);
      const { body } = await shop.post('/jobs/actions/revert', { jobIds: [first, third] }, WAIT);
      assert.deepEqual(body.options.revertOf, [third, first]);
      assert.deepEqual(codes(await shop.outcome(body.id)), [
        ['a', 'Price', 'CHANGED_SINCE'],
        ['c', 'parentSku', 'CHANGED_SINCE'],
      ]);
      const undo = await revert([second, first]);
      assert.deepEqual([undo.status, codes(undo)], ['COMPLETED', []]);
      assert.deepEqual(await contents(), before);
    });

    it('fails rows whose way back is barred, and says why', async () => {
      const emptied = await upsert([{ sku: 'a', attributes: { Gtin: null } }]);
      const made = await upsert([{ sku: 'p', nodeName: 'Disk' }]);
      const moved = await upsert([{ sku: 'k', nodeName: 'Tape' }]);
      await upsert([{ sku: 'k', nodeName: 'Disk' }]);
      await upsert([{ sku: 'z', nodeName: 'Disk', attributes: { Gtin: 'g1' } }]);
      await upsert([{ sku: 'v', nodeName: 'Disk', parentSku: 'p' }]);
      assert.deepEqual(codes(await revert(emptied)), [['a', 'Gtin', 'VALUE_NOT_UNIQUE']]);
      assert.deepEqual(codes(await revert(made)), [['p', 'sku', 'ITEM_IN_USE']]);
      assert.deepEqual(codes(await revert(moved)), [['k', 'nodeId', 'CHANGED_SINCE']]);
      const gone = await remove('z');
      await upsert([{ sku: 'z', nodeName: 'Disk' }]);
      assert.deepEqual(codes(await revert(gone)), [['z', 'sku', 'SKU_EXISTS']]);
    });

    it('fails rows whose attribute or category was deleted since', async () => {
      await shop.define({ attributes: ['Shade'], categories: { Book: ['Shade'] } });
      const nodeId = await shop.category('Book');
      await upsert([
        { sku: 'x', nodeName: 'Book', attributes: { Shade: 'red' } },
        { sku: 'y', nodeName: 'Book' },
      ]);
      const jobId = await remove('x', 'y');
      await shop.ask('DELETE', `/api-category/v1/category?nodeId=${nodeId}`);
      await shop.bulkAttributes([{ action: 'DELETE', name: 'Shade' }]);
      assert.deepEqual(codes(await revert(jobId)), [
        ['x', null, 'ATTRIBUTE_NOT_FOUND'],
        ['x', 'nodeId', 'NODE_NOT_FOUND'],
        ['y', 'nodeId', 'NODE_NOT_FOUND'],
      ]);
    });

    it('of a file takes back what was applied of it, in chunks, beside an import of the same items', async () => {
      const rows = Array.from({ length: 60 }, (_, n) => `s${n},Disk,T${n}`);
      const { id } = await shop.importFile('a.csv', ['SKU,Category Node,Title', ...rows, 'bad,Nowhere,x'].join('\n'));
      const sent = await Promise.all([
        shop.post(`/jobs/${id}/actions/revert`, {}),
        shop.upload('b.csv', ['SKU,Category Node,Price', ...rows.map((row) => row.replace(/T\d+$/, '9'))].join('\n')),
      ]);
      const [{ body }, jobId] = sent;
      const [undo, imported] = [await shop.outcome(body.jobId), await shop.outcome(jobId)];
      assert.equal(imported.failed, 0);
      // The order decides: either the items were deleted and created again, or they were kept because they had changed.
      assert.deepEqual([undo.updated, undo.failed], imported.created === 60 ? [60, 0] : [0, 60]);
      assert.ok(undo.errors.every(({ code }) => code === 'CHANGED_SINCE'));
    });

    it('can be retried: the rows that failed are tried again', async () => {
      const emptied = await upsert([
        { sku: 'a', attributes: { Gtin: null } },
        { sku: 'b', attributes: { Title: 'x' } },
      ]);
      await upsert([{ sku: 'z', nodeName: 'Disk', attributes: { Gtin: 'g1' } }]);
      const undo = await revert(emptied);
      assert.deepEqual([undo.updated, codes(undo)], [1, [['a', 'Gtin', 'VALUE_NOT_UNIQUE']]]);
      await remove('z');
      const { body } = await shop.post(`/jobs/${undo.id}/actions/retry`, { rows: 'failed' });
      const again = await shop.outcome(body.jobId);
      assert.deepEqual([again.total, again.updated, codes(again)], [1, 1, []]);
      assert.equal((await shop.item('a'))?.attributes.Gtin, 'g1');
    });

    it('is refused for jobs that have nothing to take back, or are not there', async () => {
      const dry = await upsert([{ sku: 'a', attributes: { Price: '6' } }], '?validateOnly=true');
      const idle = await upsert([{ sku: 'a', attributes: { Price: '5' } }]);
      const waited = await upsert([{ sku: 'a', attributes: { Price: 'x' } }], '?requireApproval=true');
      const jobId = await upsert([{ sku: 'a', attributes: { Price: '6' } }]);
      const { jobId: exported } = (await shop.post('/jobs/attribute/actions/filter-export', { match: {} })).body;
      await shop.ask('GET', `/jobs/${exported}`, WAIT);
      const other = await (await world.newShop()).post(`/jobs/${jobId}/actions/revert`, {});
      assert.equal(other.status, 404);
      const of = (id: string) => `/jobs/${id}/actions/revert`;
      const inStage = (stage: string) => ({ context: { stage }, headers: { prefer: 'wait=25' } });
      const made = ['next', 'old'].map(async (stage) => {
        const rows = [{ action: 'CREATE', name: 'Own', type: 'TEXT' }];
        return (await shop.post('/api-product/v1/product/attribute/bulk', rows, inStage(stage))).body.jobId;
      });
      const [next, old] = await Promise.all(made);
      const apart = new RegExp(`a call for each: of the stage "next": ${next}; of the stage "old": ${old}$`);
      await refused('/jobs/actions/revert', { jobIds: [jobId, old, next] }, 404, apart);
      await refused('/jobs/actions/revert', { jobIds: [old, 'nobody'] }, 404, /no job nobody/);
      await refused(of(dry), {}, 409, /dry run/);
      await refused(of(idle), {}, 409, /has changed nothing/);
      await refused(of(waited), {}, 409, /job \w+ has changed nothing/);
      await refused(of(exported), {}, 409, /ATTRIBUTE_EXPORT/);
      await refused('/jobs/actions/revert', { jobIds: [jobId, jobId] }, 400, /twice/);
      await refused('/jobs/actions/revert', { jobIds: [jobId, 'nobody'] }, 404, /no job nobody/);
      const file = { fileName: 'a.csv', fileType: 'ITEM_IMPORT' };
      const announced = await shop.post('/files/product', file);
      await refused(of(announced.body.jobId), {}, 409, /AWAITING_UPLOAD/);
      // Only its beginning: a job that has ended so long ago is deleted by maintenance.
      await world.db('job').where({ id: jobId }).update({ started_at: '2020-01-01' });
      await refused(of(jobId), {}, 410, /kept since 20/);
    });
  });
});
