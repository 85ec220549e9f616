/** Snapshots that somebody has to approve: what was shown is removed, and nothing else. */
import assert from 'node:assert/strict';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
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
  const waiting = async (
    rows: readonly string[],
    snapshot: object,
    options: object = { requireApproval: true },
    content = csv(rows),
  ) => {
    const full = { scope: 'stage', missing: 'delete', ...snapshot };
    const id = await shop.upload('x.csv', content, { ...options, snapshot: full });
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
  const changes = async (id: string) => {
    const { data } = await shop.ask('GET', `/jobs/${id}/changes`);
    return data.map(({ operation, sku }: { operation: string; sku: string }) => `${operation} ${sku}`);
  };
  const counted = async (id: string) => (await shop.ask('GET', `/jobs/${id}/changes/summary`)).operations;

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

  describe('removes no parent of a variant that stays', () => {
    const variant = { sku: 'n', nodeName: 'A', parentSku: 'b', attributes: { Title: 'V' } };
    const assertParentStays = async (id: string) => {
      const done = await approved(id);
      assert.equal(done.status, 'COMPLETED_PARTIALLY');
      assert.match(done.message, /2 items that the file lacks were deleted; 2 items that it lacks stay \(.*"n"/);
      assert.deepEqual(await skus(), ['a', 'b', 'n']);
      await assertChangesAddUp(world.db, shop.siteId);
    };

    it('because it was changed since', async () => {
      await shop.bulk('upsert', [variant]);
      const job = await waiting(['a,A,1'], {});
      await shop.bulk('upsert', [{ sku: 'n', attributes: { Title: 'changed' } }]);
      await assertParentStays(job.id);
    });

    it('because it was created since', async () => {
      const job = await waiting(['a,A,1'], {});
      await shop.bulk('upsert', [variant]);
      await assertParentStays(job.id);
    });

    it('because the job has created an item that was made again since', async () => {
      const brake = { maxMissingPercent: 5, onBrake: 'approve' };
      const job = await waiting(['a,A,1', 'n,A,new'], brake, {});
      await shop.post('/api-product/v1/product/bulk/delete', { skus: ['n'] }, { headers: { prefer: 'wait=20' } });
      await shop.bulk('upsert', [variant]);
      await assertParentStays(job.id);
    });
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

  const WHOLE = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };

  it('removes nothing after a newer file of its scope was applied as a whole, which may name it', async () => {
    const job = await waiting(['a,A,new', 'b,A,2'], {});
    const newer = await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3']), { snapshot: WHOLE });
    assert.deepEqual([newer.status, await skus()], ['COMPLETED', ['a', 'b', 'c']]);
    const waits = await shop.ask('GET', `/jobs/${job.id}`);
    const stays = { inScope: 4, missing: 2, removed: 0, kept: 2, stopped: true, supersededBy: newer.id };
    assert.deepEqual([waits.status, waits.removal], ['AWAITING_APPROVAL', stays]);
    assert.match(
      waits.statusMessage,
      new RegExp(`remove 2 items .*; job ${newer.id}, .* newer .* none of them is removed`),
    );
    assert.deepEqual((await shop.ask('GET', `/jobs/${newer.id}`)).removal.supersedes, [job.id]);
    assert.deepEqual(await changes(job.id), ['UPDATED a'], 'what is not removed any more is not shown to who approves');
    assert.deepEqual(await counted(job.id), { CREATED: 0, UPDATED: 1, DELETED: 0, STATUS: 0 });
    assert.deepEqual(await changes(newer.id), ['DELETED d']);

    const done = await approved(job.id);
    assert.equal(done.status, 'COMPLETED_PARTIALLY');
    assert.match(done.message, new RegExp(`1 item that it lacks stays \\(job ${newer.id}, which is newer`));
    const { removal } = await shop.ask('GET', `/jobs/${job.id}`);
    const kept = { inScope: 3, missing: 1, removed: 0, kept: 1, stopped: false, supersededBy: newer.id };
    assert.deepEqual([removal, await skus()], [kept, ['a', 'b', 'c']]);
    assert.deepEqual(await shop.values('Title'), { a: 'new', b: '2', c: '3' });
  });

  it('shows its rows alone after a newer file, also where it would set values or create definitions', async () => {
    const asks = {
      requireApproval: true,
      createMissing: { attributes: true },
      missing: { attributes: [{ name: 'New', type: 'TEXT' }] },
    };
    const values = { missing: { set: { attribute: 'Title', value: 'gone' } } };
    const rows = ['SKU,Category Node,Title,New', 'a,A,new,', 'b,A,2,', 'e,A,5,'].join('\n');
    const job = await waiting([], values, { ...asks }, rows);
    assert.equal(job.removal.removed, 2);
    const definitions = await shop.ask('GET', `/jobs/${job.id}/changes?types=attribute`);
    assert.equal((await changes(job.id)).filter((one: string) => /UPDATED [cd]$/.test(one)).length, 2);
    await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3', 'd,A,4']), { snapshot: { ...WHOLE, ...values } });
    const left = (await changes(job.id)).filter((one: string) => / [a-z]$/.test(one));
    assert.deepEqual(left.sort(), ['CREATED e', 'UPDATED a']);
    const { UPDATED, CREATED } = await counted(job.id);
    assert.deepEqual([UPDATED, CREATED], [1, 1]);
    assert.deepEqual(await shop.ask('GET', `/jobs/${job.id}/changes?types=attribute`), definitions);
  });

  it('ends when a newer file was applied as a whole, and it has nothing else that it would change', async () => {
    const rows = ['a,A,1', 'b,A,2'];
    const job = await waiting(rows, {});
    const asks = { requireApproval: true, createMissing: { attributes: true } };
    const without = await waiting(rows, {}, { ...asks, missing: { attributes: [] } });
    const needed = await waiting(rows, {}, { ...asks, missing: { attributes: [{ name: 'New', type: 'TEXT' }] } });
    const newer = await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3']), { snapshot: WHOLE });
    const { status, reason } = await shop.outcome(without.id);
    assert.deepEqual([status, reason], ['COMPLETED_PARTIALLY', null], 'it would have created no definition');
    assert.equal((await shop.ask('GET', `/jobs/${needed.id}`)).status, 'AWAITING_APPROVAL', 'an attribute is left');
    const done = await shop.outcome(job.id);
    assert.deepEqual([done.status, done.reason, done.unchanged], ['COMPLETED_PARTIALLY', null, 2]);
    assert.match(done.message, new RegExp(`^superseded by job ${newer.id}, .*; nothing was removed, and no row would`));
    assert.equal((await shop.ask('GET', `/jobs/${job.id}`)).removal.removed, 0);
    assert.equal((await shop.call('POST', `/jobs/${job.id}/actions/approve`, { body: {} })).status, 409);
  });

  it('has removed and created nothing when it is rejected after its approval', async () => {
    const snapshot = { scope: 'stage', missing: 'delete' };
    const missing = { attributes: [{ name: 'New', type: 'TEXT' }] };
    const creates = { createMissing: { attributes: true }, missing };
    for (const more of [{}, creates]) {
      const job = await waiting(['a,A,new', 'b,A,2'], snapshot, { requireApproval: true, onError: 'abort', ...more });
      assert.equal(job.removal.removed, 2);
      await shop.bulk('upsert', [{ sku: 'a', attributes: { Title: `changed ${Object.keys(more).length}` } }]);
      assert.equal((await approved(job.id)).status, 'REJECTED');
      const { removal, created } = await shop.ask('GET', `/jobs/${job.id}`);
      assert.deepEqual([removal.removed, removal.kept, created, (await skus()).length], [0, 2, undefined, 4]);
    }
  });

  const decided = (action: string) => (id: string) => shop.ask('POST', `/jobs/${id}/actions/${action}`, { body: {} });
  const expired = async (id: string) => {
    const updated = { updated_at: world.db.raw("now() - interval '61 minutes'") };
    await world.db('job').where({ id }).update(updated);
    // Less than maintenance goes by, which might come first.
    assert.deepEqual(await expireJobs(world.db, 'approval', 1), [id]);
  };
  for (const [status, ends] of [
    ['REJECTED', decided('reject')],
    ['CANCELLED', decided('cancel')],
    ['EXPIRED', expired],
  ] as const) {
    it(`has written and removed nothing when it is ${status}, which its counts and its result say`, async () => {
      const job = await waiting(['a,A,new', 'b,A,2', 'e,A,5', 'f,Nowhere,6'], {});
      await ends(job.id);
      const ended = await shop.ask('GET', `/jobs/${job.id}`);
      const { createdCount, updatedCount, unchangedCount, errorCount, processedCount } = ended.progressTracker;
      assert.equal(ended.status, status);
      assert.deepEqual([createdCount, updatedCount, unchangedCount, errorCount, processedCount], [0, 0, 0, 1, 1]);
      assert.deepEqual(ended.removal, { ...job.removal, missing: 2, removed: 0, kept: 2 });
      assert.deepEqual((await shop.result(job.id)).success, []);
      const { data } = await shop.ask('GET', `/jobs/${job.id}/changes`);
      assert.equal(data.length, 4, 'what it would have changed can still be read');
    });
  }

  it('removes what was shown after a newer file of another scope, or one whose removals the brake has stopped', async () => {
    const job = await waiting(['a,A,1'], {});
    const stopped = await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2']), {
      snapshot: { ...WHOLE, maxMissingPercent: 5 },
    });
    assert.equal(stopped.reason, 'SNAPSHOT_BRAKE');
    const values = { attribute: 'Title', value: '1' };
    await shop.importFile('x.csv', csv(['a,A,1']), { snapshot: { ...WHOLE, scope: values } });
    assert.deepEqual([(await approved(job.id)).status, await skus()], ['COMPLETED', ['a']]);
  });

  it('does not end the waiting of a newer file when it is approved, because it is older', async () => {
    const job = await waiting(['a,A,1', 'b,A,2'], {});
    const asks = { snapshot: { ...WHOLE, maxMissingPercent: 5, onBrake: 'approve' } };
    const newer = await shop.upload('x.csv', csv(['a,A,1', 'c,A,3']), asks);
    const read = () => shop.ask('GET', `/jobs/${newer}`);
    await until('it waits', async () => (await read()).status === 'AWAITING_APPROVAL', 30_000);
    await approved(job.id);
    assert.deepEqual([(await read()).status, (await read()).removal.waits], ['AWAITING_APPROVAL', true]);
  });

  it('does the same as a request', async () => {
    const row = (sku: string) => ({
      sku,
      nodeName: 'A',
      attributes: { Title: { a: '1', b: '2', c: '3', d: '4' }[sku] },
    });
    const query = (more: object) => ({
      query: String(new URLSearchParams({ snapshot: JSON.stringify(WHOLE), ...more })),
    });
    const changed = { sku: 'a', attributes: { Title: 'x' } };
    const old = (await shop.bulk('upsert', [changed], query({ requireApproval: 'true' }))).body.jobId;
    await shop.bulk('upsert', ['a', 'b', 'c', 'd'].map(row), query({}));
    await approved(old);
    const { removal, status } = await shop.ask('GET', `/jobs/${old}`);
    assert.deepEqual([status, removal.removed, removal.kept], ['COMPLETED_PARTIALLY', 0, 3]);
    assert.deepEqual(await skus(), ['a', 'b', 'c', 'd']);
  });

  it('is overtaken by a request that goes on by itself, because the rule of the stage lets it', async () => {
    const job = await waiting(['a,A,x'], {});
    await shop.ask('PATCH', '/site-settings', { body: { approval: { when: 'LARGE', items: 100, allowOwn: true } } });
    const rows = ['a', 'b', 'c', 'd'].map((sku) => ({ sku, nodeName: 'A', attributes: { Title: `new ${sku}` } }));
    const snapshot = String(new URLSearchParams({ snapshot: JSON.stringify(WHOLE) }));
    const newer = (await shop.bulk('upsert', rows, { query: snapshot })).body.jobId;
    assert.equal((await shop.outcome(newer)).status, 'COMPLETED');
    assert.equal((await shop.ask('GET', `/jobs/${job.id}`)).removal.supersededBy, newer);
    await approved(job.id);
    assert.deepEqual(await skus(), ['a', 'b', 'c', 'd']);
  });

  it('leaves nothing behind but its job and its changes', async () => {
    const job = await waiting(['a,A,1'], {});
    await approved(job.id);
    assert.deepEqual(await world.db('snapshot_sku').where({ job_id: job.id }), []);
    const { data } = await shop.ask('GET', `/jobs/${job.id}/changes`);
    assert.equal(data.length, 3);
  });
});
