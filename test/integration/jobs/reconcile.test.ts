/** The queue made to agree with the rows again. */
import assert from 'node:assert/strict';
import { planBatch } from '../../../src/queues/contracts/plan-batch.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import { enqueueEntries, type OutboxEntry } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { placeOf } from '../../support/worlds/place-of.js';
import { emptyQueues } from '../../support/worlds/queue-state.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

describe('the reconciler', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let world: World;
    let gate: Gate | undefined;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { RECONCILE_MS: '100' } });
      await installFaults(world.db);
    });
    after(() => world.stop());
    afterEach(async () => {
      await gate?.open();
      gate = undefined;
    });

    it('enqueues what was committed and never enqueued', async () => {
      const workers = await world.startWorkers({}, BULK_ONLY);
      const shop = await newShop();
      const { jobId } = await world.acceptRows(shop, 'insert', [item('a')]);
      assert.equal(await reconcile(impatient()), 1);
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
      await workers.stop();
    });

    it('leaves alone what the queue still has', async () => {
      const shop = await newShopWithoutWorkers();
      const rows = Array.from({ length: 101 }, (_, row) => item(`a${row}`));
      const { jobId, outboxEntries } = await world.acceptRows(shop, 'insert', rows);
      await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      const { dispatched_at: before } = await placeOf(world.db, jobId);
      assert.equal(await reconcile(impatient()), 0);
      const { dispatch, dispatched_at: after } = await placeOf(world.db, jobId);
      assert.equal(dispatch, 1);
      assert.ok(after > before, 'others are looked at first next time');
    });

    it('leaves small jobs alone as long as the queue has one that is as old, and finds those that it has lost', async () => {
      const [shop, other] = [await newShopWithoutWorkers(), await newShopWithoutWorkers()];
      const kept = await world.acceptRows(shop, 'insert', [item('a')]);
      await enqueueEntries(world.services.producer, kept.outboxEntries, world.services.logger);
      assert.equal(await reconcile(impatient()), 0);
      assert.equal((await placeOf(world.db, kept.jobId)).dispatch, 1);
      const lost = await world.acceptRows(other, 'insert', [item('a')]);
      await world
        .db('job_order')
        .where({ job_id: lost.jobId })
        .update({ dispatched_at: new Date(Date.now() - 60_000) });
      assert.equal(await reconcile(impatient()), 1, 'it is older than all that the queue has');
      assert.equal((await placeOf(world.db, lost.jobId)).dispatch, 2);
      assert.equal((await placeOf(world.db, kept.jobId)).dispatch, 1);
    });

    it('leaves chunks alone that the queue still has, and finds the others', async () => {
      const workers = await world.startWorkers({}, BULK_ONLY);
      const shop = await newShop();
      await workers.stop();
      const { jobId, outboxEntries } = await world.acceptFile(shop, 'many.csv', csv(30));
      const chunks: OutboxEntry[] = [];
      for (const step of outboxEntries) {
        await runStep({ ...world.services, producer: unheard(world.services.producer, chunks) }, step);
      }
      const [lost, ...kept] = chunks;
      assert.ok(lost?.queue === 'apply' && kept.length > 0);
      await enqueueEntries(world.services.producer, kept, world.services.logger);
      assert.equal(await reconcile(impatient()), 1);
      const rows = await world.db('job_chunk').where({ job_id: jobId, status: 'dispatched' }).orderBy('idx');
      assert.deepEqual(
        rows.map(({ dispatch }) => dispatch),
        chunks.map((step) => (step === lost ? 2 : 1)),
      );
      const again = await world.startWorkers({}, BULK_ONLY);
      assert.equal((await shop.outcome(jobId)).created, 30);
      await again.stop();
    });

    it('waits for no step that is being carried out', async () => {
      const workers = await world.startWorkers({}, BULK_ONLY);
      const shop = await newShop();
      gate = await shutGate(world.services.config.databaseUrl);
      // So many rows that it is executed by itself, and not in a batch.
      const rows = Array.from({ length: 100 }, (_, row) => item(`a${row}`));
      const slow = await world.acceptRows(shop, 'insert', [item(`${FAULT.wait}1`), ...rows]);
      await enqueueEntries(world.services.producer, slow.outboxEntries, world.services.logger);
      await gate.reached();
      const lost = await world.acceptRows(shop, 'insert', [item('b')]);
      assert.equal(await reconcile(impatient()), 1);
      assert.equal((await shop.outcome(lost.jobId)).status, 'COMPLETED');
      await gate.open();
      assert.equal((await shop.outcome(slow.jobId)).status, 'COMPLETED');
      await workers.stop();
    });

    it('loses nothing when the queue loses everything, again and again, in the middle of everything', async () => {
      // What the queue lost is found soon, seven times.
      const config = { ...world.services.config, reconcileGraceMs: 500 };
      const workers = await world.startWorkers({ config });
      const shops = await Promise.all(Array.from({ length: 4 }, () => newShop()));
      const jobs = await Promise.all(
        shops.flatMap((shop) => [
          accept(shop, (one) => world.acceptFile(one, 'many.csv', csv(120))),
          accept(shop, (one) => world.acceptRows(one, 'upsert', [item('x'), item('y')])),
          accept(shop, (one) => world.acceptFile(one, 'more.jsonl', jsonl(60))),
        ]),
      );
      for (let done = 20; done <= 140; done += 20) {
        await until(`${done} chunks are done`, async () => (await chunksDone()) >= done, 30_000);
        await emptyQueues(world.services.producer, backend);
      }
      for (const { shop, jobId } of jobs) {
        const { status, created, failed } = await shop.outcome(jobId);
        assert.deepEqual([status, failed], ['COMPLETED', 0]);
        assert.ok(created > 0);
      }
      for (const shop of shops) assert.equal(await countItems(shop), 182);
      await workers.stop();
    });

    describe('finding small jobs that wait behind older ones', () => {
      beforeEach(forgetAll);
      after(forgetAll);

      it('executes a small job by itself that is overdue for long, although the queue has older ones', async () => {
        const [shop, other, busy] = [
          await newShopWithoutWorkers(),
          await newShopWithoutWorkers(),
          await newShopWithoutWorkers(),
        ];
        const [kept, lost, executed] = [await accepted(shop, 0), await accepted(other, 60), await accepted(busy, 60)];
        const young = await accepted(await newShopWithoutWorkers(), 20);
        await enqueueAsOld(kept.outboxEntries, 120);
        const executing = await world.db.transaction();
        try {
          await executing('job').where({ id: executed.jobId }).forNoKeyUpdate();
          assert.equal(await reconcile(impatient()), 1);
          assert.equal(await reconcile(impatient()), 0, 'the queue has it');
        } finally {
          await executing.rollback();
        }
        const { dispatch, batchable } = await placeOf(world.db, lost.jobId);
        assert.deepEqual([dispatch, batchable], [1, false]);
        assert.equal(await world.services.producer.isPending(planJob, { jobId: lost.jobId, dispatch: 1 }), true);
        for (const { jobId } of [kept, executed, young]) {
          const place = await placeOf(world.db, jobId);
          assert.deepEqual([place.dispatch, place.batchable], [1, true]);
        }
      });

      it('takes a limited number of small jobs out of their batches in one pass, the oldest of all sites', async () => {
        const late: string[] = [];
        for (let site = 0; site < 7; site++) {
          const shop = await newShopWithoutWorkers();
          for (let job = 0; job < 4; job++) late.push((await accepted(shop, 60 + site)).jobId);
        }
        await world.db('job_order').update({ state: 'q' });
        const first = await accepted(await newShopWithoutWorkers(), 0);
        await enqueueAsOld(first.outboxEntries, 300);
        assert.equal(await reconcile(impatient()), 25);
        const left = await world.db('job_order').where({ batchable: true }).whereIn('job_id', late).pluck('job_id');
        assert.ok(
          left.every((jobId) => late.indexOf(jobId) < 4),
          'those of the site that waits for the shortest time',
        );
        assert.equal(await reconcile(impatient()), 3);
      });

      it('leaves a small job in its batch while this waits for an outage to end', async () => {
        const job = await accepted(await newShopWithoutWorkers(), 60);
        const [entry] = job.outboxEntries;
        assert.ok(entry?.queue === 'plan-batch');
        await enqueueAsOld([entry], 120);
        const outage = { kind: 'outage', part: 'database', lasting: true } as const;
        await createHandlers().planBatch.failed(world.services, entry.payload, new Error('away'), outage);
        assert.equal(await reconcile(impatient()), 0);
        assert.equal((await placeOf(world.db, job.jobId)).batchable, true);
      });

      /** Accepts a small job that the queue was not given, as if that had been so many seconds ago. */
      async function accepted(shop: Shop, secondsAgo: number): Promise<Accepted> {
        const job = await world.acceptRows(shop, 'insert', [item('a')]);
        const dispatched_at = new Date(Date.now() - secondsAgo * 1_000);
        await world.db('job_order').where({ job_id: job.jobId }).update({ dispatched_at });
        return job;
      }

      /** Enqueues batches as if that had been so many seconds ago. */
      async function enqueueAsOld(entries: readonly OutboxEntry[], secondsAgo: number): Promise<void> {
        const queue = world.services.producer.queues().find(({ name }) => name === planBatch.name);
        assert.ok(queue !== undefined);
        for (const { payload } of entries) {
          const jobId = planBatch.jobId(planBatch.payload.parse(payload));
          await queue.add(planBatch.name, payload, { jobId, timestamp: Date.now() - secondsAgo * 1_000 });
        }
      }

      async function forgetAll(): Promise<void> {
        await world.db('job_order').delete();
        await emptyQueues(world.services.producer, backend);
      }
    });

    async function accept(shop: Shop, how: (shop: Shop) => ReturnType<World['acceptRows']>) {
      const { jobId, outboxEntries } = await how(shop);
      await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      return { shop, jobId };
    }

    async function chunksDone(): Promise<number> {
      const row = await world
        .db('job_chunk')
        .where({ status: 'done' })
        .first(world.db.raw('count(*)::integer AS done'));
      return row.done;
    }

    async function countItems({ siteId }: Shop): Promise<number> {
      const row = await world.db('item').where({ site_id: siteId }).first(world.db.raw('count(*)::integer AS items'));
      return row.items;
    }

    async function newShop(): Promise<Shop> {
      return (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    }

    const newShopWithoutWorkers = () => world.newShop();

    /** What was committed a moment ago counts as overdue. */
    function impatient() {
      return { ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } };
    }
  });
});

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: sku } };
}

const skus = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

function csv(count: number): string {
  return `SKU,Category Node,Title\n${skus('c', count)
    .map((sku) => `${sku},Disk,T\n`)
    .join('')}`;
}

function jsonl(count: number): string {
  return skus('j', count)
    .map((sku) => `${JSON.stringify(item(sku))}\n`)
    .join('');
}
