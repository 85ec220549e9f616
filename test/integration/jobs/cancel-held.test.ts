/** Cancelled while a step holds locks, waits in a statement or computes: the answer does not depend on the worker. */
import assert from 'node:assert/strict';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { ImportOptions } from '../../../src/domain/imports/model/import-options.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { type HeldStore, holdStore } from '../../support/faults/held-store.js';
import type { Answer } from '../../support/http/call-api.js';
import { acceptExport } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { digestItems, digestJob } from '../../support/models/site-digest.js';
import { until } from '../../support/until.js';
import type { RunningProgram } from '../../support/worlds/run-program.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { type Accepted, startWorld, type Workers, type World } from '../../support/worlds/world.js';

const ABORT: Partial<ImportOptions> = { onError: 'abort' };
const WAITING = `${FAULT.wait}1`;
const PRODUCT = '/api-product/v1/product';
/** What the API promises. */
const IN_TIME_MS = 2_000;
const WITHIN_MS = 20_000;

describe('cancelling a job that holds locks', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  let held: HeldStore | undefined;
  let workers: Workers | undefined;
  let program: RunningProgram | undefined;

  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
  });
  after(() => world.stop());
  beforeEach(async () => {
    workers = await world.startWorkers({}, ['bulk', 'export']);
    shop = await newShop();
  });
  afterEach(async () => {
    held?.release();
    await gate?.open();
    await workers?.stop();
    await program?.stop('SIGKILL');
    held = undefined;
    gate = undefined;
    workers = undefined;
    program = undefined;
  });

  it('keeps the whole chunks of a file, and undoes the chunk that waits in a statement', async () => {
    const job = await toTheGate(() => acceptFile(['a', 'b', 'c', 'd', WAITING, 'e', 'f', 'g', 'h']));
    await until('the other chunks are counted', async () => (await processed(job)) === 6, WITHIN_MS);
    assert.equal((await cancelInTime(job)).body.status, 'CANCELLED');
    const { total, created, message } = await shop.outcome(job.jobId);
    assert.deepEqual([total, created], [9, 6]);
    assert.match(message, /the 6 rows applied before remain/);
    await nextJobRuns();
    assert.deepEqual(Object.keys(await shop.values('Title')), ['a', 'b', 'c', 'f', 'g', 'h', 'next']);
    await nothingMore(job);
  });

  it('writes the error file of a file whose chunks recorded errors', async () => {
    const job = await toTheGate(() => acceptFile(['a', '', 'c', 'd', WAITING, 'e']));
    await until('the other chunk is counted', async () => (await processed(job)) === 3, WITHIN_MS);
    assert.equal((await cancelInTime(job)).body.status, 'CANCELLED');
    const { created, failed, errorFile } = await shop.outcome(job.jobId);
    assert.deepEqual([created, failed], [2, 1]);
    assert.match((await shop.download(errorFile ?? '')).bytes.toString(), /,Disk,T/);
  });

  it('undoes an atomic file whose statement runs, and nothing of it stays', async () => {
    const job = await toTheGate(() => acceptFile(['a', 'b', 'c', 'd', 'e', 'f', 'g', WAITING], ABORT));
    await until('its first chunks are counted', async () => (await processed(job)) === 6, WITHIN_MS);
    assert.equal((await cancelInTime(job)).body.status, 'CANCELLED');
    assert.equal(await waitingSessions(), 0, 'its statement was ended');
    assert.equal((await shop.outcome(job.jobId)).created, 0);
    await nextJobRuns();
    assert.deepEqual(Object.keys(await shop.values('Title')), ['next']);
    await nothingMore(job);
  });

  it('undoes the rows of a request, and ends no transaction of another job', async () => {
    const other = await newShop();
    const rows = [...Array.from({ length: 200 }, (_, at) => `s${at}`), WAITING].map(item);
    const job = await toTheGate(() => world.acceptRows(shop, 'upsert', rows));
    const beside = await world.acceptRows(other, 'upsert', rows);
    await send(beside);
    await gate?.reached(2);
    assert.equal((await cancelInTime(job)).body.status, 'CANCELLED');
    assert.equal((await shop.outcome(job.jobId)).message, 'cancelled on request; no row was applied');
    assert.equal(await waitingSessions(), 1, 'the transaction of the other job goes on');
    await nextJobRuns();
    await gate?.open();
    const { attempts } = await world.db('job_order').where({ job_id: beside.jobId }).first('dispatch as attempts');
    assert.deepEqual([(await other.outcome(beside.jobId)).created, attempts], [201, 1]);
    assert.deepEqual(Object.keys(await shop.values('Title')), ['next']);
    await nothingMore(job);
  });

  it('undoes a deletion that waits for a row', async () => {
    await shop.bulk('insert', [item('a'), item('b')]);
    const holding = await world.db.transaction();
    try {
      await holding.raw('SELECT 1 FROM item WHERE site_id = ? AND sku = ? FOR UPDATE', [shop.siteId, 'b']);
      const { body } = await shop.post(`${PRODUCT}/bulk/delete`, { skus: ['a', 'b'] });
      await until('it waits for the row', async () => (await lockWaits()) > 0, WITHIN_MS);
      assert.equal((await cancelInTime(body)).body.status, 'CANCELLED');
      await nextJobRuns();
      await holding.rollback();
      assert.deepEqual(Object.keys(await shop.values('Title')), ['a', 'b', 'next']);
      await nothingMore(body);
    } finally {
      if (!holding.isCompleted()) await holding.rollback();
    }
  });

  it('executes the neighbours of a small request again that were executed with it', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const first = await world.acceptRows(shop, 'upsert', [item(WAITING)]);
    const second = await world.acceptRows(shop, 'upsert', [item('b')]);
    const third = await world.acceptRows(shop, 'upsert', [item('c')]);
    await send(first);
    await gate.reached();
    assert.equal((await cancelInTime(second)).body.status, 'CANCELLED');
    await gate.open();
    for (const { jobId } of [first, third]) assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    assert.deepEqual(Object.keys(await shop.values('Title')), ['c', WAITING]);
    await nothingMore(second);
  });

  it('ends a job that is being planned, and frees its worker for the next', async () => {
    await workers?.stop();
    held = holdStore(world.services.fileStore, 'read', (key) => key.startsWith('uploads/'));
    const config = { ...world.services.config, planConcurrency: 1 };
    workers = await world.startWorkers({ fileStore: held.fileStore, config }, ['bulk']);
    const job = await acceptFile(['a', 'b', 'c', 'd']);
    await send(job);
    await held.reached;
    assert.equal((await cancelInTime(job)).body.status, 'CANCELLED');
    await nextJobRuns();
    await nothingMore(job, () => held?.release());
    assert.deepEqual(await world.db('job_chunk').where({ job_id: job.jobId }), []);
  });

  it('ends an export that holds its row', async () => {
    const holding = await world.db.transaction();
    try {
      await holding.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.siteWindow, shop.siteId]);
      const jobId = await acceptExport(shop);
      await until('it waits for the window', async () => (await lockWaits()) > 0, WITHIN_MS);
      assert.equal((await cancelInTime({ jobId })).body.status, 'CANCELLED');
      await holding.rollback();
      await nothingMore({ jobId });
    } finally {
      if (!holding.isCompleted()) await holding.rollback();
    }
  });

  it('does not wait for a worker that computes, and refuses what its steps do later', async () => {
    await workers?.stop();
    program = await startWorkerProcess(world);
    const skus = ['a', 'b', 'c', WAITING, 'd', 'e'];
    const shapes: Readonly<Record<string, () => Promise<Accepted>>> = {
      'the rows of a request': () => world.acceptRows(shop, 'upsert', skus.map(item)),
      'a file': () => acceptFile(skus),
    };
    for (const [shape, accept] of Object.entries(shapes)) {
      shop = await newShop();
      const job = await toTheGate(accept);
      // Its statement ends, and the process does not read the answer: as while it computes.
      program.process.kill('SIGSTOP');
      await gate?.open();
      await until('its transaction is idle', async () => (await idleTransactions()) > 0, WITHIN_MS);
      assert.equal((await cancelInTime(job)).body.status, 'CANCELLED', shape);
      const { created } = await shop.outcome(job.jobId);
      const others = await world.startWorkers({}, ['bulk']);
      await nextJobRuns();
      await others.stop();
      assert.equal((await shop.items()).length, created + 1, shape);
      await nothingMore(job, async () => {
        program?.process.kill('SIGCONT');
        // The process has noticed what happened to its transaction when it has executed another job.
        await newShop();
      });
    }
    assert.equal(await program.stop('SIGTERM'), 0);
  });

  /** Sends the job, and waits until its transaction stands at the gate. */
  async function toTheGate(accept: () => Promise<Accepted>): Promise<Accepted> {
    gate = await shutGate(world.services.config.databaseUrl);
    const job = await accept();
    await send(job);
    await gate.reached();
    return job;
  }

  async function cancelInTime({ jobId }: Pick<Accepted, 'jobId'>): Promise<Answer> {
    const askedAt = performance.now();
    const answer = await shop.call('POST', `/jobs/${jobId}/actions/cancel`);
    const tookMs = performance.now() - askedAt;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.ok(tookMs < IN_TIME_MS, `the answer took ${tookMs} ms`);
    return answer;
  }

  /** The site goes on: what is sent after the cancellation takes effect. */
  async function nextJobRuns(): Promise<void> {
    const job = await world.acceptRows(shop, 'upsert', [item('next')]);
    await send(job);
    assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
  }

  /** What is still under way in the workers ends, and changes neither the job nor the site. */
  async function nothingMore(
    { jobId }: Pick<Accepted, 'jobId'>,
    goOn: () => unknown = () => gate?.open(),
  ): Promise<void> {
    const seen = async () => [await digestItems(world.db, shop.siteId), await digestJob(world.db, jobId)];
    const before = await seen();
    await goOn();
    await workers?.stop();
    assert.deepEqual(await seen(), before);
  }

  const newShop = async (): Promise<Shop> =>
    (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });

  const acceptFile = (skus: readonly string[], options: Partial<ImportOptions> = {}) =>
    world.acceptFile(shop, 'many.csv', csv(skus), 'upsert', options);
  const processed = async ({ jobId }: Accepted): Promise<number> =>
    (await shop.ask('GET', `/jobs/${jobId}`)).progressTracker.processedCount;
  const send = ({ outboxEntries }: Accepted) =>
    enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
  const sessions = async (condition: string): Promise<number> => {
    const { rows } = await world.db.raw(
      `SELECT count(*)::integer AS sessions FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
    );
    return rows[0].sessions;
  };
  const waitingSessions = () => sessions(`wait_event = 'advisory'`);
  const lockWaits = () => sessions(`wait_event_type = 'Lock'`);
  const idleTransactions = () => sessions(`state = 'idle in transaction' AND query LIKE '%item%'`);
});

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T' } };
}

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
