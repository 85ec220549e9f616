/** Files that are the whole truth within a scope: what they lack is removed when their rows are applied. */
import assert from 'node:assert/strict';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import type { FileOptions, Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = 'SKU,Category Node,Parent SKU,Title,Brand,Stock';
const ANY = { maxMissingPercent: 100 };

withReaderOfRun('a file that is the whole truth', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        'Title',
        { name: 'Brand', type: 'TEXT', validation: { inheritable: true } },
        { name: 'Stock', type: 'INTEGER' },
      ],
      categories: {
        'A->A1': ['Title', 'Brand', 'Stock'],
        'A->A2': ['Title', 'Brand', 'Stock'],
        B: ['Title', 'Brand', 'Stock'],
      },
    });
    await imported([
      'a1,A->A1,,One,x,1',
      'a2,A->A2,,Two,y,2',
      'a3,A->A1,,Three,x,3',
      'b1,B,,Four,x,4',
      'b2,B,,Five,y,5',
      'v1,A->A1,a3,,,',
    ]);
  });

  const csv = (rows: readonly string[]) => `${[HEADER, ...rows].join('\n')}\n`;
  const imported = (rows: readonly string[], options: FileOptions = {}) =>
    shop.importFile('items.csv', csv(rows), options);
  const truth = (rows: readonly string[], snapshot: object, options: FileOptions = {}) =>
    imported(rows, { ...options, snapshot: { missing: 'delete', ...ANY, ...snapshot } });
  const skus = async () => (await shop.items()).map(({ sku }) => sku);
  const removal = async ({ id }: Pick<Outcome, 'id'>) => (await shop.ask('GET', `/jobs/${id}`)).removal;
  const changes = async ({ id }: Pick<Outcome, 'id'>) => (await shop.ask('GET', `/jobs/${id}/changes?limit=100`)).data;

  describe('deletes what it lacks', () => {
    it('in the whole stage, with unchanged rows and new ones', async () => {
      const rows = ['a1,A->A1,,One,x,1', 'n1,B,,New,,', 'b2,,,last,,'];
      const job = await truth([...rows.slice(0, 2), 'b2,,,first,,', 'b2,,,last,,'], { scope: 'stage' });
      assert.equal(job.reason, 'SNAPSHOT_BRAKE', 'a row that is superseded counts as failed');
      const again = await truth(rows, { scope: 'stage' });
      assert.deepEqual([again.status, again.message], ['COMPLETED', '4 items that the file lacks were deleted']);
      assert.deepEqual(await skus(), ['a1', 'b2', 'n1']);
      assert.deepEqual(await removal(again), { inScope: 7, missing: 4, removed: 4, kept: 0, stopped: false });
    });

    it('exactly, whichever of many rows are unchanged, changed, new or not there', async () => {
      // More than twice as many as one word of the numbers of items has bits.
      const nth = Array.from({ length: 70 }, (_, index) => index);
      const row = (index: number, title: string) => `c${index},B,,${title},,`;
      await imported(nth.map((index) => row(index, 'first')));
      const left = nth.filter((index) => index % 7 !== 3);
      const given = left.map((index) => row(index, index % 9 === 5 ? 'changed' : 'first'));
      const changed = left.filter((index) => index % 9 === 5).length;
      const job = await truth([...given, 'n1,B,,New,,'], { scope: { category: 'B' } });
      assert.deepEqual([job.created, job.updated, job.unchanged], [1, changed, left.length - changed]);
      const expected = ['a1', 'a2', 'a3', 'n1', 'v1', ...left.map((index) => `c${index}`)].sort();
      assert.deepEqual([...(await skus())].sort(), expected);
      assert.deepEqual(await removal(job), { inScope: 73, missing: 12, removed: 12, kept: 0, stopped: false });
    });

    it('in a category with those below it', async () => {
      const job = await truth(['a1,,,One,x,1', 'b1,,,Four,x,4'], { scope: { category: 'A' } });
      assert.equal(job.status, 'COMPLETED');
      assert.deepEqual(await skus(), ['a1', 'b1', 'b2']);
    });

    it('in a single category that the file names by its node id', async () => {
      const { nodeId } = (await shop.ask('GET', '/api-category/v1/category/tree?limit=100')).data
        .flatMap((root: { children: object[] }) => root.children)
        .find(({ name }: { name: string }) => name === 'B');
      await truth(['b1,,,Four,x,4'], { scope: { category: String(nodeId) } });
      assert.deepEqual(await skus(), ['a1', 'a2', 'a3', 'b1', 'v1']);
    });

    it('of the items with a value, and of the variants that inherit it', async () => {
      const job = await truth(['b1,,,Four,x,4'], { scope: { attribute: 'brand', value: 'x' } });
      assert.equal(job.status, 'COMPLETED');
      assert.deepEqual(await skus(), ['a2', 'b1', 'b2'], 'a3 goes with its variant');
      assert.deepEqual(await removal(job), { inScope: 4, missing: 3, removed: 3, kept: 0, stopped: false });
    });

    it('with the mode insert, which leaves alone what is there already', async () => {
      const job = await truth(['a1,A->A1,,other,x,1', 'n1,B,,New,,'], { scope: 'stage' }, { mode: 'insert' });
      assert.deepEqual([job.created, job.failed, job.reason], [1, 1, null]);
      assert.deepEqual(await shop.values('Title'), { a1: 'One', n1: 'New' });
    });

    it('but keeps what items that stay need, and says so', async () => {
      const job = await truth(['v1,,,,,', 'b1,,,,,'], { scope: 'stage' });
      assert.equal(job.status, 'COMPLETED_PARTIALLY');
      assert.equal(
        job.message,
        '3 items that the file lacks were deleted; 1 item that it lacks stays ("a3": "v1" is a variant of it)',
      );
      assert.deepEqual(await skus(), ['a3', 'b1', 'v1']);
    });

    it('and never a bundle, which only a file of bundles does', async () => {
      const items = (sku: string) => `SKU,Category Node,Items\n${sku},B,a1:2\n`;
      const bundle = { type: 'BUNDLE_IMPORT' };
      await shop.importFile('bundles.csv', items('k1'), {}, bundle);
      await shop.importFile('bundles.csv', items('k2'), {}, bundle);
      const kept = await truth(['b1,,,,,'], { scope: 'stage' });
      assert.match(kept.message, /"a1": the bundle "k1" holds it/);
      assert.deepEqual(await skus(), ['a1', 'b1', 'k1', 'k2']);
      const snapshot = { scope: 'stage', missing: 'delete', ...ANY };
      await shop.importFile('bundles.csv', items('k2'), { snapshot }, bundle);
      assert.deepEqual(await skus(), ['a1', 'b1', 'k2']);
    });
  });

  describe('changes what it lacks', () => {
    it('by setting a value, once', async () => {
      const snapshot = { scope: { category: 'B' }, missing: { set: { attribute: 'Stock', value: 0 } } };
      const job = await truth(['b1,,,Four,x,4'], snapshot);
      assert.deepEqual([job.status, job.message], ['COMPLETED', '1 item that the file lacks was changed']);
      assert.deepEqual(await shop.values('Stock'), { a1: 1, a2: 2, a3: 3, b1: 4, b2: 0, v1: undefined });
      const again = await truth(['b1,,,Four,x,4'], snapshot);
      assert.deepEqual(await removal(again), { inScope: 2, missing: 0, removed: 0, kept: 0, stopped: false });
      assert.equal(again.message, '');
    });

    it('by clearing values', async () => {
      await truth(['b1,,,Four,x,4'], { scope: { category: 'B' }, missing: { clear: ['stock', 'Brand'] } });
      const { attributes } = (await shop.item('b2')) ?? assert.fail();
      assert.deepEqual([attributes.Title, attributes.Brand, attributes.Stock], ['Five', undefined, undefined]);
    });
  });

  describe('is stopped by the brake', () => {
    const counts = async (job: Outcome) => [
      job.status,
      job.reason,
      (await removal(job)).removed,
      (await skus()).length,
    ];

    it('above 5 percent by default, while its rows are applied', async () => {
      const job = await truth(['a1,,,Changed,x,1'], { scope: 'stage', maxMissingPercent: undefined });
      assert.deepEqual(await counts(job), ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE', 0, 6]);
      assert.match(job.message, /^5 of 6 items in the scope would go, and that is more than 5 percent/);
      assert.equal((await shop.values('Title')).a1, 'Changed');
    });

    it('exactly above the share, the number and the rows that it was given', async () => {
      const rows = ['a1,,,,,', 'a2,,,,,', 'a3,,,,,', 'v1,,,,,', 'b1,,,,,'];
      const tried: [object, boolean][] = [
        [{ maxMissingPercent: 16.6 }, true],
        [{ maxMissing: 0 }, true],
        [{ minRows: 6 }, true],
        [{ maxMissingPercent: 16.7, maxMissing: 1, minRows: 5 }, false],
      ];
      for (const [limits, holds] of tried) {
        const job = await truth(rows, { scope: 'stage', ...limits });
        assert.equal(job.reason, holds ? 'SNAPSHOT_BRAKE' : null, JSON.stringify(limits));
      }
      assert.deepEqual(await skus(), ['a1', 'a2', 'a3', 'b1', 'v1']);
    });

    it('when a row failed, also one without a SKU', async () => {
      for (const bad of ['a2,,,,,none', ',,,,,7']) {
        const job = await truth(['a1,,,,,', bad], { scope: 'stage' });
        assert.deepEqual(await counts(job), ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE', 0, 6]);
        assert.match(job.message, /1 row failed/);
      }
    });

    it('with onError abort before anything is written', async () => {
      const job = await truth(['a1,,,Changed,x,1'], { scope: 'stage', maxMissing: 1 }, { onError: 'abort' });
      assert.deepEqual(await counts(job), ['REJECTED', 'SNAPSHOT_BRAKE', 0, 6]);
      assert.match(job.message, /nothing was written because onError is abort/);
      assert.deepEqual([job.updated, (await shop.values('Title')).a1], [0, 'One']);
      const right = await truth(['a1,,,Changed,x,1'], { scope: 'stage' }, { onError: 'abort' });
      assert.deepEqual([right.status, await skus()], ['COMPLETED', ['a1']]);
    });
  });

  it('shows by a dry run what then happens, and a revert takes it back', async () => {
    const state = async () => (await shop.items()).map((item) => ({ ...item, ...NO_TIMES }));
    const before = await state();
    const rows = ['a1,,,Changed,x,1', 'n1,B,,New,,'];
    for (const onError of ['skip', 'abort']) {
      const dry = await truth(rows, { scope: 'stage' }, { validateOnly: true, onError });
      assert.match(dry.message, /^a dry run.*; 5 items that the file lacks would be deleted$/);
      assert.deepEqual(await state(), before);
      const shown = (await changes(dry)).map(({ jobId: _, at: __, ...change }: Record<string, unknown>) => change);
      const job = await truth(rows, { scope: 'stage' }, { onError });
      const done = (await changes(job)).map(({ jobId: _, at: __, ...change }: Record<string, unknown>) => change);
      assert.deepEqual(done.map(named).sort(), shown.map(named).sort());
      assert.equal(done.filter(({ operation }: { operation: string }) => operation === 'DELETED').length, 5);
      const { status, body } = await shop.call('POST', `/jobs/${job.id}/actions/revert`, { body: {} });
      assert.equal(status, 202);
      assert.equal((await shop.outcome(body.jobId)).status, 'COMPLETED');
      assert.deepEqual(await state(), before);
    }
  }).timeout(120_000);

  it('is no whole truth when only its failed rows are sent again', async () => {
    const job = await truth(['a1,,,,,', 'a2,,,,,none'], { scope: 'stage' });
    const { bytes } = await shop.download(job.errorFile ?? assert.fail());
    const again = await shop.outcome(await shop.upload('x.csv', String(bytes).replace('none', '7')));
    assert.deepEqual([again.status, again.updated], ['COMPLETED', 1]);
    const { body } = await shop.call('POST', `/jobs/${job.id}/actions/retry`, { body: { force: true } });
    const retried = await shop.outcome(body.jobId);
    assert.deepEqual([retried.failed, await removal(retried)], [1, undefined]);
    assert.equal((await skus()).length, 6);
  });
});

const NO_TIMES = { itemId: null, createdOn: null, modifiedOn: null };

function named(change: object): string {
  return JSON.stringify(change);
}
