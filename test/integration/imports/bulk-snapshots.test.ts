/** Requests that are the whole truth: as files, in one transaction. */
import assert from 'node:assert/strict';
import { withReaderOfRun } from '../../support/for-each-reader.js';
import type { Shop, WriteMode } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ANY = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };

withReaderOfRun('a request that is the whole truth', (environment) => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, environment });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { A: ['Title'], B: ['Title'] } });
    await shop.bulk(
      'insert',
      ['a', 'b', 'c', 'd'].map((sku) => row(sku, 'One', sku === 'd' ? 'B' : 'A')),
    );
  });

  const row = (sku: string, title = 'One', nodeName = 'A') => ({ sku, nodeName, attributes: { Title: title } });
  const send = async (
    rows: readonly object[],
    snapshot: object,
    more: Record<string, string> = {},
    mode: WriteMode = 'upsert',
  ) => {
    const query = new URLSearchParams({ snapshot: JSON.stringify({ ...ANY, ...snapshot }), ...more });
    return shop.bulk(mode, rows, { query: String(query) });
  };
  const jobOf = async ({ body }: { body: { jobId: string } }) => shop.ask('GET', `/jobs/${body.jobId}`);
  const skus = async () => (await shop.items()).map(({ sku }) => sku);

  it('deletes what it lacks, and answers the outcome of its rows', async () => {
    const answer = await send([row('a', 'Two'), row('n')], {});
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(
      answer.body.success.map(({ sku }: { sku: string }) => sku),
      ['a', 'n'],
    );
    const job = await jobOf(answer);
    assert.deepEqual(job.removal, { inScope: 5, missing: 3, removed: 3, kept: 0, stopped: false });
    assert.deepEqual([job.status, job.statusMessage], ['COMPLETED', '3 items that the request lacks were deleted']);
    assert.deepEqual(await skus(), ['a', 'n']);
    const { data } = await shop.ask('GET', `/jobs/${job.id}/changes?operations=DELETED`);
    assert.equal(data.length, 3);
    assert.deepEqual(await world.db('snapshot_sku').where({ job_id: job.id }), []);
  });

  it('changes what it lacks within its scope, also in the mode insert', async () => {
    const snapshot = { scope: { category: 'A' }, missing: { set: { attribute: 'Title', value: 'gone' } } };
    const answer = await send([row('a'), row('n')], snapshot, {}, 'insert');
    const job = await jobOf(answer);
    assert.deepEqual([job.status, job.removal.removed], ['COMPLETED_PARTIALLY', 2], 'a is there already');
    assert.deepEqual(await shop.values('Title'), { a: 'One', b: 'gone', c: 'gone', d: 'One', n: 'One' });
  });

  it('is stopped by the brake, exactly', async () => {
    const rows = [row('a', 'Two'), row('b'), row('c')];
    const tried: [object, RegExp | null][] = [
      [{ maxMissingPercent: 24 }, /^1 of 4 items in the scope would go, and that is more than 24 percent/],
      [{ maxMissing: 0 }, /more than 0 \(maxMissing\)/],
      [{ minRows: 4 }, /the request has 3 rows, fewer than 4 \(minRows\); .*send the whole request again/],
      [{ maxMissingPercent: 25, maxMissing: 1, minRows: 3 }, null],
    ];
    for (const [limits, message] of tried) {
      const job = await jobOf(await send(rows, limits));
      assert.equal(job.reason, message === null ? null : 'SNAPSHOT_BRAKE', JSON.stringify(limits));
      if (message !== null) assert.match(job.statusMessage, message);
      assert.equal((await shop.values('Title')).a, 'Two');
    }
    assert.deepEqual(await skus(), ['a', 'b', 'c']);
    const failed = await jobOf(await send([row('a'), row('b'), row('x', 'One', 'Nowhere')], {}));
    assert.deepEqual([failed.status, failed.reason], ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE']);
    assert.match(failed.statusMessage, /1 row failed/);
  });

  it('says in its answer what became of what it lacks', async () => {
    const done = await send([row('a'), row('b'), row('c')], {});
    assert.deepEqual(done.body.removal, { inScope: 4, missing: 1, removed: 1, kept: 0, stopped: false });
    assert.equal(done.body.message, '1 item that the request lacks was deleted');
    const stopped = await send([row('a', 'Two')], { maxMissing: 1 });
    assert.equal(stopped.status, 200, stopped.text);
    assert.deepEqual(stopped.body.removal, { inScope: 3, missing: 2, removed: 0, kept: 0, stopped: true });
    assert.match(stopped.body.message, /more than 1 \(maxMissing\); nothing was removed/);
    const { removal, message } = await shop.result(stopped.body.jobId);
    assert.deepEqual({ removal, message }, { removal: stopped.body.removal, message: stopped.body.message });
    const tried = await send([row('a', 'Two')], {}, { validateOnly: 'true' });
    assert.deepEqual(tried.body.removal, { inScope: 3, missing: 2, removed: 2, kept: 0, stopped: false });
    assert.deepEqual(await skus(), ['a', 'b', 'c']);
    const plain = await shop.bulk('upsert', [row('a', 'Three')]);
    assert.deepEqual(Object.keys(plain.body), ['jobId', 'success', 'failed', 'itemIds']);
  });

  it('with onError abort writes nothing when the brake holds', async () => {
    const answer = await send([row('a', 'Two')], { maxMissing: 1 }, { onError: 'abort' });
    assert.equal(answer.status, 422, answer.text);
    const job = await jobOf(answer);
    assert.deepEqual([job.status, job.reason, job.removal.removed], ['REJECTED', 'SNAPSHOT_BRAKE', 0]);
    assert.match(job.statusMessage, /nothing was written because onError is abort: check the request/);
    assert.deepEqual([(await shop.values('Title')).a, (await skus()).length], ['One', 4]);
    await send([row('a', 'Two')], {}, { onError: 'abort' });
    assert.deepEqual(await shop.values('Title'), { a: 'Two' });
  });

  it('shows by a dry run what would go', async () => {
    const job = await jobOf(await send([row('a', 'Two'), row('b')], {}, { validateOnly: 'true' }));
    assert.match(job.statusMessage, /a dry run.*; 2 items that the request lacks would be deleted$/);
    const { data } = await shop.ask('GET', `/jobs/${job.id}/changes?limit=100`);
    const shown = data.map(({ sku, operation }: { sku: string; operation: string }) => `${operation} ${sku}`).sort();
    assert.deepEqual(shown, ['DELETED c', 'DELETED d', 'UPDATED a']);
    assert.deepEqual([(await skus()).length, (await shop.values('Title')).a], [4, 'One']);
  });

  it('waits for an approval, which releases the brake', async () => {
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    const answer = await send([row('a', 'Two')], { maxMissing: 0 }, { requireApproval: 'true' });
    assert.equal(answer.status, 202, answer.text);
    const { jobId } = answer.body;
    const read = () => shop.ask('GET', `/jobs/${jobId}`);
    await until('it waits', async () => (await read()).status === 'AWAITING_APPROVAL', 30_000);
    const waiting = await read();
    assert.deepEqual(waiting.removal, { inScope: 4, missing: 3, removed: 3, kept: 0, stopped: true });
    assert.match(waiting.statusMessage, /remove 3 items that the request lacks, which the brake would stop/);
    await shop.bulk('upsert', [row('c', 'changed since')]);
    const { status, text } = await shop.call('POST', `/jobs/${jobId}/actions/approve`, { body: {} });
    assert.ok(status < 300, text);
    const done = await shop.outcome(jobId);
    assert.deepEqual([done.status, await skus()], ['COMPLETED_PARTIALLY', ['a', 'c']]);
  });

  it('is refused with the place', async () => {
    const refused = async (query: Record<string, string>, mode: WriteMode = 'upsert') => {
      const { status, body } = await shop.bulk(mode, [row('a')], { query: String(new URLSearchParams(query)) });
      assert.equal(status, 400);
      return `${body.errors[0].path}: ${body.errors[0].message}`;
    };
    assert.match(await refused({ snapshot: '{' }), /^snapshot: expected JSON/);
    assert.match(await refused({ snapshot: '{"scope":"stage"}' }), /^snapshot\.missing: /);
    assert.match(
      await refused({ snapshot: JSON.stringify({ scope: { category: 'None' }, missing: 'delete' }) }),
      /^snapshot\.scope\.category: /,
    );
    assert.match(await refused({ snapshot: JSON.stringify(ANY) }, 'update'), /snapshot/);
    assert.equal((await skus()).length, 4);
  });
});
