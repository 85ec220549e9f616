/** Files that are announced with `"hold": true`: their jobs wait after the upload until a client says how to import them. */
import assert from 'node:assert/strict';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { followEnd } from '../../../src/domain/jobs/follow-end.js';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import { UnreferredJobs } from '../../../src/domain/jobs/reconcile/unreferred-jobs.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { noticeUploads } from '../../../src/workers/maintenance/notice-uploads.js';
import { rescueUnreferred } from '../../../src/workers/maintenance/rescue-unreferred.js';
import type { Shop } from '../../support/http/shop.js';
import { storedIn } from '../../support/worlds/stored-in.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const CSV = 'SKU;Category Node;Title\na;Disk;A\nb;Disk;B\n';
const HOUR_MS = 3_600_000;
/** The body of a trial, after which the file is still held. */
const trialOf = (delimiter: string) => ({ hold: true, options: { validateOnly: true, delimiter } });

interface Announced {
  readonly id: string;
  readonly jobId: string;
  readonly location: string;
}

describe('held files', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  });
  after(() => world.stop());

  const announce = (over: object = {}): Promise<Announced> =>
    shop.ask('POST', '/files/product', { body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT', hold: true, ...over } });
  const jobOf = ({ jobId }: Pick<Announced, 'jobId'>) => shop.ask('GET', `/jobs/${jobId}`);
  const start = ({ id }: Pick<Announced, 'id'>, body: object = {}, headers: Record<string, string> = {}) =>
    shop.call('POST', `/files/product/${id}/actions/import`, { body, headers });
  async function held(over: object = {}, content = CSV): Promise<Announced> {
    const file = await announce(over);
    assert.equal((await shop.put(file, content)).status, 200);
    return file;
  }

  it('wait after their upload, without a place in the order, until they are imported', async () => {
    const file = await announce({ options: { mode: 'insert' } });
    assert.equal((await jobOf(file)).status, 'AWAITING_UPLOAD');
    assert.equal((await shop.put(file, CSV)).status, 200);
    const waiting = await jobOf(file);
    assert.equal(waiting.status, 'AWAITING_PROFILE');
    assert.match(waiting.statusMessage, /actions\/import/);
    const row = await world.db('job').where({ id: file.jobId }).first();
    assert.deepEqual([row.step, row.line_no], [null, null]);
    assert.equal((await world.db('job_order').where({ job_id: file.jobId })).length, 0);
    const { expiresAt, status } = await shop.ask('GET', `/files/product/${file.id}`);
    assert.equal(status, 'UPLOADED');
    const hours = (Date.parse(expiresAt) - Date.now()) / HOUR_MS;
    assert.ok(hours > 71 && hours <= 72, `${hours} hours`);

    // Another job of the site does not wait for it.
    const other = await shop.importFile('y.csv', 'SKU,Category Node,Title\ny,Disk,Y\n');
    assert.equal(other.created, 1);
    const listed = await shop.ask('GET', '/jobs/product?status=AWAITING_PROFILE');
    assert.deepEqual(
      listed.data.map(({ id }: { id: string }) => id),
      [file.jobId],
    );

    const answer = await start(file, { options: { delimiter: ';' } });
    assert.deepEqual([answer.status, answer.body], [202, { jobId: file.jobId, status: 'SCHEDULED' }]);
    const outcome = await shop.outcome(file.jobId);
    assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 2]);
    const { options, statusMessage } = await jobOf(file);
    assert.deepEqual(options, { mode: 'insert', onError: 'skip', validateOnly: false, delimiter: ';' });
    assert.equal(statusMessage, null);
    assert.equal((await shop.ask('GET', `/files/product/${file.id}`)).expiresAt, null, 'kept as long as its job');
  });

  it('get the options of the import where the announcement has others', async () => {
    const file = await held({ options: { mode: 'insert', onError: 'abort' } });
    const { body } = await start(file, { options: { mode: 'update', validateOnly: true } }, { prefer: 'wait=25' });
    assert.equal(body.id, file.jobId);
    assert.equal(body.completedAt === null, false);
    assert.deepEqual(body.options, { mode: 'update', onError: 'abort', validateOnly: true });
  });

  it('are tried as often as one likes, and stay held', async () => {
    const file = await held({}, 'SKU;Category Node;Title\nnew-1;Disk;A\nnew-2;Disk;B\n');
    const trial = trialOf(';');
    const wrong = await start(file, { hold: true });
    assert.deepEqual([wrong.status, /validateOnly/.test(wrong.body.message)], [400, true]);
    for (const _ of [1, 2]) {
      const { body } = await start(file, trial, { prefer: 'wait=25' });
      assert.notEqual(body.id, file.jobId);
      assert.deepEqual([body.status, body.progressTracker.createdCount], ['COMPLETED', 2]);
      assert.equal((await jobOf(file)).status, 'AWAITING_PROFILE');
    }
    assert.equal((await shop.get('/api-product/v1/product?skus=new-1,new-2')).body.count, 0);
    // The time of holding has begun anew.
    const { expiresAt } = await shop.ask('GET', `/files/product/${file.id}`);
    assert.ok(Date.parse(expiresAt) - Date.now() > 71 * HOUR_MS);
    assert.equal((await start(file, { options: { delimiter: ';' } })).status, 202);
    assert.equal((await shop.outcome(file.jobId)).created, 2);
    assert.equal((await start(file, trial)).status, 409);
  });

  it('stay held when their trial is rejected or repeated, and their rows go with the last of their jobs', async () => {
    const file = await held();
    const wrong = { ...trialOf(';'), profile: { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'no' }] } };
    const rejected = await start(file, { ...wrong, options: { validateOnly: true } }, { prefer: 'wait=25' });
    assert.equal(rejected.body.status, 'REJECTED');
    const { expiresAt } = await shop.ask('GET', `/files/product/${file.id}`);
    assert.ok(Date.parse(expiresAt) - Date.now() > 71 * HOUR_MS);
    const { body: again } = await shop.call('POST', `/jobs/${rejected.body.id}/actions/retry`, { body: {} });
    await shop.outcome(again.jobId);
    assert.equal((await shop.ask('GET', `/files/product/${file.id}`)).jobId, file.jobId);
    assert.equal((await jobOf(file)).status, 'AWAITING_PROFILE');
    // The held job is deleted first: it was cancelled long ago, and the trials are kept still.
    await shop.ask('POST', `/jobs/${file.jobId}/actions/cancel`);
    await world
      .db('job')
      .where({ id: file.jobId })
      .update({ completed_at: new Date(0) });
    await housekeep(world.services);
    assert.equal(await world.db('job').where({ id: file.jobId }).first(), undefined);
    assert.notEqual(await world.db('file').where({ id: file.id }).first(), undefined);
    const ids = [rejected.body.id, again.jobId];
    await world
      .db('job')
      .whereIn('id', ids)
      .update({ completed_at: new Date(0) });
    await housekeep(world.services);
    assert.equal((await world.db('job').whereIn('id', ids)).length, 0);
    assert.equal(await world.db('file').where({ id: file.id }).first(), undefined);
  });

  it('run exclusively or beside others as the options of the import say', async () => {
    for (const [announced, given, shared] of [
      [{}, { mode: 'insert' }, true],
      [{ mode: 'insert' }, { onError: 'abort' }, false],
      [{ mode: 'insert' }, { mode: 'upsert' }, false],
    ] as const) {
      const file = await held({ options: announced });
      assert.equal((await start(file, { options: given })).status, 202);
      assert.equal((await world.db('job').where({ id: file.jobId }).first('shared')).shared, shared);
      await shop.outcome(file.jobId);
    }
  });

  it('are imported once: the same key gets the same answer, and a second call is refused', async () => {
    const file = await held();
    const headers = { 'idempotency-key': newId() };
    const answers = await Promise.all([1, 2, 3, 4].map(() => start(file, {}, headers)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    const again = await start(file);
    assert.equal(again.status, 409);
    assert.match(again.body.message, /imported already.*job/);
    await shop.outcome(file.jobId);
    assert.equal((await start(file, {}, headers)).status, 202, 'the first answer once more');
    assert.equal((await start(file)).status, 409);
  });

  it('are imported once when many ask at the same time', async () => {
    const file = await held();
    const answers = await Promise.all([1, 2, 3, 4].map(() => start(file)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409]);
    await shop.outcome(file.jobId);
  });

  it('are refused with the reason', async () => {
    const open = await announce();
    const early = await start(open);
    assert.deepEqual([early.status, /not uploaded yet/.test(early.body.message)], [409, true], early.body.message);

    const usual = await announce({ hold: false });
    await shop.put(usual, CSV);
    await shop.outcome(usual.jobId);
    const notHeld = await start(usual);
    assert.equal(notHeld.status, 409);
    assert.match(notHeld.body.message, /"hold": true/);

    const cancelled = await held();
    await shop.ask('POST', `/jobs/${cancelled.jobId}/actions/cancel`);
    const late = await start(cancelled);
    assert.equal(late.status, 409);
    assert.match(late.body.message, /cancelled.*announce/);

    const wrong = await start(await held(), { options: { sheet: 'Items' } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.message, /applies only to XLSX/);
    assert.equal((await start({ id: newId() })).status, 404);

    const foreign = await held();
    const other = await world.newShop();
    assert.equal((await other.call('POST', `/files/product/${foreign.id}/actions/import`, { body: {} })).status, 404);
    assert.equal((await jobOf(foreign)).status, 'AWAITING_PROFILE');
  });

  it('are cancelled, and their bytes are removed', async () => {
    const file = await held();
    await housekeep(world.services);
    const before = (await storedIn(world.services.config, 'uploads')).length;
    const cancelled = await shop.ask('POST', `/jobs/${file.jobId}/actions/cancel`);
    assert.equal(cancelled.status, 'CANCELLED');
    await housekeep(world.services);
    assert.equal((await storedIn(world.services.config, 'uploads')).length, before - 1);
    assert.equal((await shop.ask('GET', `/files/product/${file.id}`)).status, 'DELETED');
    const retry = await shop.call('POST', `/jobs/${file.jobId}/actions/retry`, { body: {} });
    assert.equal(retry.status, 410);
    assert.match(retry.body.message, /announce/);
  });

  it('expire when nothing is said for long, say so, and lose their bytes', async () => {
    const [late, waiting] = [await held(), await held()];
    await housekeep(world.services);
    const before = (await storedIn(world.services.config, 'uploads')).length;
    const waits = shop.ask('GET', `/jobs/${late.jobId}`, { headers: { prefer: 'wait=25' } });
    await world
      .db('file')
      .where({ id: late.id })
      .update({ expires_at: new Date(Date.now() - 1) });
    await housekeep(world.services);
    const { status, statusMessage, completedAt } = await waits;
    assert.equal(status, 'EXPIRED');
    assert.notEqual(completedAt, null);
    assert.match(statusMessage, /was uploaded, and nothing said in time how to import it; announce it again/);
    assert.equal((await jobOf(waiting)).status, 'AWAITING_PROFILE');
    assert.equal((await shop.ask('GET', `/files/product/${late.id}`)).status, 'DELETED');
    assert.equal((await storedIn(world.services.config, 'uploads')).length, before - 1);
    const expired = await start(late);
    assert.equal(expired.status, 410);
    assert.match(expired.body.message, /announce it again/);
    assert.equal((await start(waiting)).status, 202);
    await shop.outcome(waiting.jobId);
  });

  it('are expired and imported at the same time: one of the two happens', async () => {
    for (let round = 0; round < 5; round++) {
      const file = await held();
      await world
        .db('file')
        .where({ id: file.id })
        .update({ expires_at: new Date(Date.now() - 1) });
      const [answer] = await Promise.all([start(file), expireJobs(world.db, 'upload', 1)]);
      const { status } = await jobOf(file);
      if (answer.status === 410) assert.equal(status, 'EXPIRED');
      else {
        assert.equal(answer.status, 202);
        assert.equal((await shop.outcome(file.jobId)).status, 'COMPLETED');
      }
    }
  });

  it('are no lost work: the reconciler leaves them alone', async () => {
    const file = await held();
    const impatient = { ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } };
    const unreferred = new UnreferredJobs();
    await rescueUnreferred(impatient, unreferred);
    assert.deepEqual(unreferred.left, []);
    assert.equal((await jobOf(file)).status, 'AWAITING_PROFILE');
    // One whose upload was recorded and nothing else.
    await world.db('job').where({ id: file.jobId }).update({ status: 'AWAITING_UPLOAD' });
    await rescueUnreferred(impatient, unreferred);
    assert.equal((await jobOf(file)).status, 'AWAITING_PROFILE');
    assert.deepEqual(unreferred.left, []);
  });

  it('wait as well when their upload was not announced by its client but noticed', async function () {
    if (world.services.fileStore.direct === null) this.skip();
    const file = await announce();
    const put = await fetch(file.location, { method: 'PUT', body: CSV });
    assert.equal(put.status, 200);
    await world
      .db('file')
      .where({ id: file.id })
      .update({ look_at: new Date(0) });
    await noticeUploads(world.services);
    assert.equal((await jobOf(file)).status, 'AWAITING_PROFILE');
    assert.equal((await start(file)).status, 202);
    assert.equal((await shop.outcome(file.jobId)).status, 'COMPLETED');
  });

  it('do not count the time that nobody decided as time of the job', async () => {
    const file = await held();
    await world
      .db('job')
      .where({ id: file.jobId })
      .update({ created_at: new Date(Date.now() - 10 * HOUR_MS) });
    assert.equal((await start(file)).status, 202);
    await shop.outcome(file.jobId);
    let took = -1;
    await followEnd(world.db, JOB_TYPES, file.jobId, ({ seconds }) => {
      took = seconds;
    });
    assert.ok(took >= 0 && took < 60, `${took} s`);
  });
});
