/** Failures of our own: tried again, and at last given up with all that was applied counted. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { chooseAfterFailure } from '../../../src/domain/access/accounts.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { recordFailure } from '../../../src/domain/jobs/record-failure.js';
import type { FileStore } from '../../../src/platform/file-store.js';
import { enqueueEntries, type OutboxEntry } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { FAULT, installFaults } from '../../support/faults/faults.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

const MAX_ATTEMPTS = 8;

describe('a step that fails by our own fault', function () {
  this.timeout(60_000);

  describe('again and again', () => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld();
      await installFaults(world.db);
      await world.startWorkers({}, BULK_ONLY);
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    after(() => world.stop());
    beforeEach(() => world.db('item').delete());

    it('ends a file as FAILED after its attempts, with the other chunks applied and counted', async () => {
      const job = await world.acceptFile(shop, 'x.csv', csv(['a', 'b', '', `${FAULT.fail}1`, 'd', 'e', 'f', 'g', 'h']));
      const failures = await driveToItsEnd(job, world.services.fileStore);
      assert.equal(failures, MAX_ATTEMPTS);
      const outcome = await shop.outcome(job.jobId);
      assert.deepEqual([outcome.status, outcome.reason], ['FAILED', 'INTERNAL_ERROR']);
      assert.match(outcome.message, /the 5 rows applied before remain; send the file again/);
      assert.deepEqual([outcome.total, outcome.created, outcome.failed], [9, 5, 1]);
      assert.deepEqual(Object.keys(await shop.values('Title')), ['a', 'b', 'f', 'g', 'h']);
      assert.ok(outcome.errorFile !== null);
    });

    it('ends a bulk request as FAILED after its attempts, with nothing written', async () => {
      const job = await world.acceptRows(shop, 'upsert', [item('a'), item(`${FAULT.fail}1`)]);
      assert.equal(await driveToItsEnd(job, world.services.fileStore), MAX_ATTEMPTS);
      const outcome = await shop.outcome(job.jobId);
      assert.deepEqual([outcome.status, outcome.reason, outcome.created], ['FAILED', 'INTERNAL_ERROR', 0]);
      assert.match(outcome.message, /send it again/);
      assert.deepEqual(await shop.items(), []);
    });

    it('counts what was applied although the error file cannot be written', async () => {
      const job = await world.acceptFile(shop, 'x.csv.gz', gzipSync(csv(['a', '', 'b', 'c'])));
      assert.equal(await driveToItsEnd(job, brokenWrites(world.services.fileStore)), MAX_ATTEMPTS);
      const outcome = await shop.outcome(job.jobId);
      assert.deepEqual([outcome.status, outcome.created, outcome.failed], ['FAILED', 3, 1]);
      assert.equal(outcome.summary[0]?.code, 'SKU_REQUIRED');
    });

    it('keeps the jobs behind it waiting where the account chose that, until they are resumed', async () => {
      const own = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await chooseAfterFailure(world.db, own.account, 'pause');
      const failing = await world.acceptRows(own, 'upsert', [item(`${FAULT.fail}1`)]);
      const behind = await world.acceptRows(own, 'upsert', [item('a')]);
      await driveToItsEnd(failing, world.services.fileStore);
      const { status, message } = await own.outcome(failing.jobId);
      assert.equal(status, 'FAILED');
      assert.match(message, new RegExp(`later jobs .* wait until POST /jobs/${failing.jobId}/actions/resume$`));
      const { producer, logger } = world.services;
      await enqueueEntries(producer, [{ queue: 'plan', payload: { jobId: behind.jobId, dispatch: 1 } }], logger);
      // The reconciler finds nothing to release either.
      await until('its plan step was held', async () => (await stateOf(behind)) === 'h', 10_000);
      await reconcile(world.services);
      const waiting = await own.ask('GET', `/jobs/${behind.jobId}`);
      assert.deepEqual(
        [waiting.status, waiting.statusMessage],
        [
          'SCHEDULED',
          `waits, because job ${failing.jobId} has failed; POST /jobs/${failing.jobId}/actions/resume lets it go on`,
        ],
      );
      await own.ask('POST', `/jobs/${failing.jobId}/actions/resume`);
      assert.equal((await own.outcome(behind.jobId)).status, 'COMPLETED');
      assert.equal((await own.call('POST', `/jobs/${failing.jobId}/actions/resume`)).status, 409);
    });

    async function stateOf({ jobId }: Accepted): Promise<string> {
      return (await world.db('job_order').where({ job_id: jobId }).first('state')).state;
    }

    it('ends a file as FAILED of which a chunk has ended its process three times by itself', async () => {
      const job = await world.acceptFile(shop, 'x.csv', csv(['a', 'b', 'c', 'd']));
      const ahead: OutboxEntry[] = [...job.outboxEntries];
      const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
      for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) {
        if (step.queue !== 'apply' || step.payload.chunk === 0) {
          await runStep(services, step);
          continue;
        }
        for (let death = 1; death <= 3; death++) {
          const failure = { kind: 'death', how: 'SIGKILL' } as const;
          await handlers.applyChunk.failed(services, step.payload, new Error('it ended'), failure);
        }
      }
      const { status, reason, created, message } = await shop.outcome(job.jobId);
      assert.deepEqual([status, reason, created], ['FAILED', 'WORKER_DIED', 3]);
      assert.match(message, /ended the process that executed it \(SIGKILL\) each of 3 times/);
    });

    it('does not count the failure of a twin', async () => {
      const job = await world.acceptFile(shop, 'x.csv', csv(['a', 'b', 'c', 'd']));
      const sent: OutboxEntry[] = [];
      const services = { ...world.services, producer: unheard(world.services.producer, sent) };
      for (const step of job.outboxEntries) await runStep(services, step);
      const [step] = sent;
      assert.ok(step?.queue === 'apply');
      const stale = { ...step.payload, dispatch: step.payload.dispatch - 1 };
      assert.deepEqual(await recordFailure(world.db, JOB_TYPES, stale, { kind: 'error', reason: 'INTERNAL_ERROR' }), {
        outboxEntries: [],
        delayMs: 0,
        outcome: 'goes-on',
      });
      await enqueueEntries(world.services.producer, sent, world.services.logger);
      assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
    });

    /** Runs a job's steps as workers would, but without the pauses. @returns how many of them failed */
    async function driveToItsEnd({ outboxEntries }: Accepted, fileStore: FileStore): Promise<number> {
      const ahead = [...outboxEntries];
      const services = { ...world.services, fileStore, producer: unheard(world.services.producer, ahead) };
      let failures = 0;
      for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) {
        try {
          await runStep(services, step);
        } catch (error) {
          failures += 1;
          if (step.queue === 'plan') await handlers.planJob.failed(services, step.payload, error);
          else if (step.queue === 'plan-batch') await handlers.planBatch.failed(services, step.payload, error);
          else if (step.queue === 'apply') await handlers.applyChunk.failed(services, step.payload, error);
          else if (step.queue === 'finish') await handlers.finishJob.failed(services, step.payload, error);
        }
      }
      return failures;
    }
  });

  forEachBackend((backend) => {
    describe('once or twice', () => {
      let world: World;
      let shop: Shop;
      before(async () => {
        world = await startWorld({ redisUrl: backend.redisUrl });
        await installFaults(world.db, { deadlocks: 3 });
        await world.startWorkers({}, BULK_ONLY);
        shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      });
      after(() => world.stop());

      for (const [name, accept] of Object.entries({
        'a file': () => world.acceptFile(shop, 'x.csv', csv(['a', `${FAULT.deadlock}1`])),
        'a bulk request': () => world.acceptRows(shop, 'upsert', [item('a'), item(`${FAULT.deadlock}2`)]),
      })) {
        it(`is tried again at once after a deadlock, and no attempt is spent (${name})`, async () => {
          await world.db.raw("SELECT setval('fault_deadlock_seq', 1)");
          const job = await accept();
          await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
          assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
          const { last_value: deadlocks } = await world.db('fault_deadlock_seq').first('last_value');
          assert.ok(deadlocks > 3, 'it was the victim of all deadlocks');
          assert.equal(await attemptsOf(job), 0);
        });
      }

      it('is tried again after a pause by a worker of the queue', async () => {
        const job = await world.acceptRows(shop, 'upsert', [item(`${FAULT.fail}1`)]);
        await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
        await until('it has failed twice', async () => (await attemptsOf(job)) >= 2, 10_000);
        await world.db.raw('ALTER TABLE item DISABLE TRIGGER commit_fault');
        assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
        await world.db.raw('ALTER TABLE item ENABLE TRIGGER commit_fault');
      });

      async function attemptsOf({ jobId }: Accepted): Promise<number> {
        const { attempts } = await world.db('job').where({ id: jobId }).first('attempts');
        const chunks = await world.db('job_chunk').where({ job_id: jobId }).select('attempts');
        return attempts + chunks.reduce((sum, chunk) => sum + chunk.attempts, 0);
      }
    });
  });
});

/** A store whose error files cannot be written, although it is in order. */
function brokenWrites(store: FileStore): FileStore {
  return {
    ...store,
    create: async (key) => {
      if (!key.startsWith('errors/')) return store.create(key);
      const stream = new Writable({
        write: (_chunk, _encoding, done) => done(new Error('the stream is broken')),
      });
      return { stream, commit: async () => undefined, discard: async () => undefined };
    },
  };
}

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T' } };
}

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
