/** Snapshots that somebody has to approve: what was shown is removed, and nothing else. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('a snapshot that waits for an approval', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { A: ['Title'] } });
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3', 'd,A,4']));
  });

  const csv = (rows: readonly string[]) => `${['SKU,Category Node,Title', ...rows].join('\n')}\n`;
  const waiting = async (rows: readonly string[], snapshot: object, options: object = { requireApproval: true }) => {
    const full = { scope: 'stage', missing: 'delete', ...snapshot };
    const id = await shop.upload('x.csv', csv(rows), { ...options, snapshot: full });
    const read = () => shop.ask('GET', `/jobs/${id}`);
    await until('it waits', async () => (await read()).status === 'AWAITING_APPROVAL', 30_000);
    return read();
  };
  const approved = async (id: string) => {
    const { status, text } = await shop.call('POST', `/jobs/${id}/actions/approve`, { body: {} });
    assert.ok(status < 300, text);
    return shop.outcome(id);
  };
  const skus = async () => (await shop.items()).map(({ sku }) => sku);

  it('shows what would go although the brake would stop it, which the approval releases', async () => {
    const job = await waiting(['a,A,new', 'b,A,2'], {});
    assert.match(
      job.statusMessage,
      /change or delete 1 row and remove 2 items that the file lacks, which the brake would stop/,
    );
    assert.deepEqual(job.removal, { inScope: 4, missing: 2, removed: 2, kept: 0, stopped: true });
    const { data } = await shop.ask('GET', `/jobs/${job.id}/changes?operations=DELETED`);
    assert.deepEqual(
      data.map(({ sku }: { sku: string }) => sku),
      ['c', 'd'],
    );
    assert.equal((await skus()).length, 4);
    const done = await approved(job.id);
    assert.deepEqual([done.status, done.reason, await skus()], ['COMPLETED', null, ['a', 'b']]);
  });

  it('removes nothing that was changed or created since', async () => {
    const job = await waiting(['a,A,1'], {});
    await shop.bulk('upsert', [
      { sku: 'b', attributes: { Title: 'changed' } },
      { sku: 'new', nodeName: 'A', attributes: { Title: 'N' } },
    ]);
    const done = await approved(job.id);
    assert.equal(done.status, 'COMPLETED_PARTIALLY');
    assert.match(
      done.message,
      /2 items that the file lacks were deleted; 2 items that it lacks stay \(they were changed/,
    );
    assert.deepEqual(await skus(), ['a', 'b', 'new']);
  });

  it('sets values of what was shown only', async () => {
    const missing = { set: { attribute: 'Title', value: 'gone' } };
    const job = await waiting(['a,A,1'], { missing });
    await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: 'changed' } }]);
    await approved(job.id);
    assert.deepEqual(await shop.values('Title'), { a: '1', b: 'changed', c: 'gone', d: 'gone' });
  });

  it('waits if the brake would stop it, however small it is by the rule of the stage', async () => {
    await shop.ask('PATCH', '/site-settings', { body: { approval: { when: 'LARGE', items: 100 } } });
    const job = await waiting(['a,A,1', 'b,A,2', 'c,A,3'], {}, {});
    assert.equal(job.removal.stopped, true);
    const small = { snapshot: { scope: 'stage', missing: 'delete', maxMissingPercent: 25 } };
    const done = await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3']), small);
    assert.deepEqual([done.status, await skus()], ['COMPLETED', ['a', 'b', 'c']]);
    await shop.call('POST', `/jobs/${job.id}/actions/reject`, { body: {} });
  });

  it('is rejected with onError abort if a row fails, and not for the brake', async () => {
    const abort = { requireApproval: true, onError: 'abort' };
    const snapshot = { scope: 'stage', missing: 'delete' };
    const failed = await shop.importFile('x.csv', csv(['a,A,1', 'b,Nowhere,2']), { ...abort, snapshot });
    assert.deepEqual([failed.status, failed.reason], ['REJECTED', 'ROWS_FAILED']);
    const job = await waiting(['a,A,1'], {}, abort);
    assert.deepEqual([(await approved(job.id)).status, await skus()], ['COMPLETED', ['a']]);
  });

  it('leaves nothing behind but its job and its changes', async () => {
    const job = await waiting(['a,A,1'], {});
    await approved(job.id);
    assert.deepEqual(await world.db('snapshot_sku').where({ job_id: job.id }), []);
    const { data } = await shop.ask('GET', `/jobs/${job.id}/changes`);
    assert.equal(data.length, 3);
  });
});
