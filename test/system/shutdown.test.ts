/** A worker process that is told to end: it drains, hands back what is not done, and ends. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../support/faults/faults.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { type Accepted, startWorld, type World } from '../support/worlds/world.js';

/** Longer than any of these tests: neither a stalled job nor a lost one is noticed in time to help. */
const PATIENT = { WORKER_LOCK_MS: '600000', WORKER_STALLED_MS: '600000', RECONCILE_GRACE_MS: '600000' };
/** So long that the time for handing back is that of the default grace period; a shorter one divides it. */
const GRACE_MS = 6_000;
/** An import that is to be met in the middle does not take long. */
const LOOK_EVERY_MS = 20;

describe('a worker process that is told to end', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    let gate: Gate | undefined;
    const started: RunningProgram[] = [];
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
      const workers = await world.startWorkers();
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await workers.stop();
    });
    after(() => world.stop());
    afterEach(async () => {
      await gate?.open();
      gate = undefined;
      // They drain: one that is killed when its job has ended can have a step of it in hand still, for the next test to find.
      for (const { process: child } of started) child.kill('SIGTERM');
      await Promise.all(started.splice(0).map(({ end }) => end));
      await world.db('item').delete();
    });

    it('ends at once when it has nothing in hand', async () => {
      const worker = await start();
      const { code, ms } = await terminate(worker);
      assert.equal(code, 0);
      assert.ok(ms < 3_000, `it took ${ms} ms`);
    });

    it('finishes what it has in hand in the middle of an import, and another goes on at once, no attempt spent', async () => {
      const worker = await start({ SHUTDOWN_GRACE_MS: '20000' });
      const job = await world.acceptFile(shop, 'many.csv', csv(20_000));
      await send(job);
      await until('some chunks are done', async () => (await done(job)) >= 3, 25_000, LOOK_EVERY_MS);
      const { code, ms } = await terminate(worker);
      assert.equal(code, 0);
      assert.ok(ms < 25_000);
      assert.ok((await done(job)) < 100, 'it was in the middle');
      assert.deepEqual(new Set(await active()), new Set([0]));
      await start();
      const { status, created } = await shop.outcome(job.jobId);
      assert.deepEqual([status, created], ['COMPLETED', 20_000]);
      assert.equal(await attempts(job), 0);
    });

    for (const [what, accept] of Object.entries({
      'a chunk': () => world.acceptFile(shop, 'x.csv', `SKU,Category Node,Title\n${FAULT.wait}1,Disk,T\n`),
      'a bulk request': () => world.acceptRows(shop, 'upsert', [{ sku: `${FAULT.wait}1`, nodeName: 'Disk' }]),
    })) {
      it(`hands back ${what} that is not done when its time is over, no attempt spent`, async () => {
        gate = await shutGate(world.services.config.databaseUrl);
        const worker = await start();
        const job = await accept();
        await send(job);
        await gate.reached();
        const { code, ms } = await terminate(worker);
        assert.equal(code, 0);
        assert.ok(ms < GRACE_MS + 500, `it took ${ms} ms`);
        assert.deepEqual(new Set(await active()), new Set([0]));
        await start();
        await gate.open();
        const { status, created } = await shop.outcome(job.jobId);
        assert.deepEqual([status, created], ['COMPLETED', 1]);
        assert.equal(await attempts(job), 0);
      });
    }

    it('ends at once on a second signal', async () => {
      gate = await shutGate(world.services.config.databaseUrl);
      const worker = await start({ SHUTDOWN_GRACE_MS: '20000' });
      const job = await world.acceptRows(shop, 'upsert', [{ sku: `${FAULT.wait}1`, nodeName: 'Disk' }]);
      await send(job);
      await gate.reached();
      worker.process.kill('SIGTERM');
      await worker.said(/"msg":"ending"/);
      const { code, ms } = await terminate(worker);
      assert.equal(code, 1);
      assert.ok(ms < 1_000, `it took ${ms} ms`);
    });

    async function start(environment: Record<string, string> = {}): Promise<RunningProgram> {
      const worker = await startWorkerProcess(world, {
        ...PATIENT,
        SHUTDOWN_GRACE_MS: String(GRACE_MS),
        WORKER_CHUNK_ROWS: '200',
        ...environment,
      });
      started.push(worker);
      return worker;
    }

    async function terminate(worker: RunningProgram): Promise<{ code: number | NodeJS.Signals; ms: number }> {
      const askedAt = Date.now();
      worker.process.kill('SIGTERM');
      const { code } = await worker.end;
      return { code, ms: Date.now() - askedAt };
    }

    const send = ({ outboxEntries }: Accepted) =>
      enqueueEntries(world.services.producer, outboxEntries, world.services.logger);

    const active = () => Promise.all(world.services.producer.queues().map((queue) => queue.getActiveCount()));

    async function done({ jobId }: Accepted): Promise<number> {
      return (await world.db('job_chunk').where({ job_id: jobId, status: 'done' })).length;
    }

    async function attempts({ jobId }: Accepted): Promise<number> {
      const job = await world.db('job').where({ id: jobId }).first('attempts');
      const chunks = await world.db('job_chunk').where({ job_id: jobId }).select('attempts');
      return job.attempts + chunks.reduce((sum, chunk) => sum + chunk.attempts, 0);
    }
  });
});

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `c${index},Disk,T\n`);
  return `SKU,Category Node,Title\n${lines.join('')}`;
}
