/** Cancelled in every state: what was applied is counted, the rest is not written, and nothing comes after. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { type HeldStore, holdStore } from '../../support/faults/held-store.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { digestItems, digestJob } from '../../support/models/site-digest.js';
import { until } from '../../support/until.js';
import { placeOf } from '../../support/worlds/place-of.js';
import { type Accepted, BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

const PROMPTLY_MS = 15_000;
/** Whoever finishes the job may be quicker than the answer. */
const UNDER_WAY = /^CANCELL(ATION_IN_PROGRESS|ED)$/;

describe('cancelling a job', function () {
  this.timeout(30_000);

  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  let held: HeldStore | undefined;
  let workers: Workers | undefined;

  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });
  afterEach(async () => {
    held?.release();
    await gate?.open();
    await workers?.stop();
    held = undefined;
    gate = undefined;
    workers = undefined;
  });

  it('that awaits its upload ends it, and the upload is refused', async () => {
    const body = { fileName: 'late.csv', fileType: 'ITEM_IMPORT' };
    const announced = await shop.ask('POST', '/files/product', { body });
    assert.equal((await cancel(announced.jobId)).body.status, 'CANCELLED');
    assert.equal((await shop.put(announced, csv(['a']))).status, 409);
    assertAddsUp(await shop.outcome(announced.jobId), { applied: 0 });
  });

  it('that is scheduled ends it, and the queue finds nothing to do', async () => {
    await define();
    const job = await world.acceptRows(shop, 'upsert', [item('a')]);
    assert.equal((await cancel(job.jobId)).body.status, 'CANCELLED');
    await send(job);
    await nothingMore(job);
  });

  it('that is parked ends it, and it is not taken up', async () => {
    await define();
    gate = await shutGate(world.services.config.databaseUrl);
    const first = await world.acceptRows(shop, 'upsert', [item(`${FAULT.wait}1`)]);
    const second = await world.acceptRows(shop, 'upsert', [item('b')]);
    const third = await world.acceptRows(shop, 'upsert', [item('c')]);
    await send(first, second, third);
    await gate.reached();
    await until('it is held', async () => (await placeOf(world.db, second.jobId)).state === 'h', PROMPTLY_MS);
    assert.equal((await cancel(second.jobId)).body.status, 'CANCELLED');
    await gate.open();
    assert.equal((await shop.outcome(third.jobId)).status, 'COMPLETED');
    assert.deepEqual(Object.keys(await shop.values('Title')), ['c', `${FAULT.wait}1`]);
    await nothingMore(second);
  });

  it('that is being planned ends it at once, whatever its planner does later', async () => {
    await define();
    await startHeld('read', 'uploads/');
    const job = await world.acceptFile(shop, 'many.csv', csv(['a', 'b', 'c', 'd']));
    await send(job);
    await held?.reached;
    assert.match((await cancel(job.jobId)).body.status, UNDER_WAY);
    assertAddsUp(await shop.outcome(job.jobId), { applied: 0 });
    await nothingMore(job, async () => {
      held?.release();
      await workers?.stop();
    });
    assert.deepEqual(await world.db('job_chunk').where({ job_id: job.jobId }), []);
  });

  it('that is being applied keeps its whole chunks', async () => {
    await define();
    gate = await shutGate(world.services.config.databaseUrl);
    const skus = Array.from({ length: 60 }, (_, index) => (index === 4 ? `${FAULT.wait}1` : `s${index}`));
    skus[10] = '';
    const job = await world.acceptFile(shop, 'many.csv', csv(skus, 9));
    await send(job);
    await gate.reached();
    const processed = async () => (await shop.ask('GET', `/jobs/${job.jobId}`)).progressTracker.processedCount;
    await until('a chunk is counted', async () => (await processed()) >= 3, PROMPTLY_MS);
    assert.equal((await cancel(job.jobId)).status, 200);
    await gate.open();
    const outcome = await shop.outcome(job.jobId);
    assertAddsUp(outcome, { applied: (await shop.items()).length });
    assert.ok(outcome.created >= 2, 'what was counted stays');
    await nothingMore(job);
  });

  it('that is being finished leaves all its rows counted', async () => {
    await define();
    await startHeld('create', 'errors/');
    const job = await world.acceptFile(shop, 'bad.csv', csv(['a', '', 'b']));
    await send(job);
    await held?.reached;
    assert.match((await cancel(job.jobId)).body.status, UNDER_WAY);
    held?.release();
    const outcome = await shop.outcome(job.jobId);
    assertAddsUp(outcome, { applied: 2 });
    assert.deepEqual([outcome.failed, outcome.total], [1, 3]);
    await nothingMore(job);
  });

  it('does not wait for chunks that are recording errors', async () => {
    await define();
    gate = await shutGate(world.services.config.databaseUrl);
    const job = await world.acceptFile(shop, 'many.csv', csv(['a', 'b', 'c', `${FAULT.wait}1`]));
    await send(job);
    await gate.reached();
    // What a row of job_error does to the row of its job, in a transaction that takes its time.
    const recording = await world.db.transaction();
    await recording.raw('SELECT 1 FROM job WHERE id = ? FOR KEY SHARE', [job.jobId]);
    const askedAt = Date.now();
    assert.match((await cancel(job.jobId)).body.status, UNDER_WAY);
    assert.ok(Date.now() - askedAt < PROMPTLY_MS);
    await recording.rollback();
    await gate.open();
    assertAddsUp(await shop.outcome(job.jobId), { applied: (await shop.items()).length });
  });

  it('twice is no error, and of a job that has ended is a conflict', async () => {
    await define();
    const job = await world.acceptRows(shop, 'upsert', [item('a')]);
    assert.deepEqual([(await cancel(job.jobId)).status, (await cancel(job.jobId)).status], [200, 200]);
    const done = await world.acceptRows(shop, 'upsert', [item('a')]);
    await send(done);
    assert.equal((await shop.outcome(done.jobId)).status, 'COMPLETED');
    const refused = await cancel(done.jobId);
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /ended as COMPLETED/);
  });

  async function define(): Promise<void> {
    workers = await world.startWorkers({}, BULK_ONLY);
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  }

  async function startHeld(step: 'read' | 'create', prefix: string): Promise<void> {
    await workers?.stop();
    held = holdStore(world.services.fileStore, step, (key) => key.startsWith(prefix));
    workers = await world.startWorkers({ fileStore: held.fileStore }, BULK_ONLY);
  }

  const cancel = (jobId: string): Promise<Answer> => shop.call('POST', `/jobs/${jobId}/actions/cancel`);
  const jobOf = ({ jobId }: Accepted) => world.db('job').where({ id: jobId }).first();
  const send = (...jobs: Accepted[]) =>
    enqueueEntries(
      world.services.producer,
      jobs.flatMap(({ outboxEntries }) => outboxEntries),
      world.services.logger,
    );

  /** Whatever is still under way in the workers ends, and changes neither the job nor the site. */
  async function nothingMore({ jobId }: Accepted, endOfWork = () => workers?.stop()): Promise<void> {
    const seen = async () => [await digestItems(world.db, shop.siteId), await digestJob(world.db, jobId)];
    const before = await seen();
    await endOfWork();
    assert.deepEqual(await seen(), before);
    assert.equal((await jobOf({ jobId, outboxEntries: [] })).status, 'CANCELLED');
  }
});

function assertAddsUp(
  { status, created, updated, unchanged, failed, errors }: Outcome,
  want: { applied: number },
): void {
  assert.equal(status, 'CANCELLED');
  assert.equal(created + updated + unchanged, want.applied);
  assert.equal(new Set(errors.map(({ row }) => row)).size, failed);
}

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T' } };
}

/** @param variants so many of the last rows are variants of the first */
function csv(skus: readonly string[], variants = 0): string {
  const lines = skus.map((sku, at) => `${sku},Disk,${at >= skus.length - variants ? skus[0] : ''},T\n`);
  return `SKU,Category Node,Parent SKU,Title\n${lines.join('')}`;
}
