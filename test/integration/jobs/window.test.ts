/** How much of a job, and of a site, is on the queue at once. */
import assert from 'node:assert/strict';
import { applyChunk } from '../../../src/queues/contracts/apply-chunk.js';
import { enqueueEntries, type OutboxEntry } from '../../../src/queues/outbox.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { waitingJobs } from '../../support/worlds/queue-state.js';
import { type Accepted, BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

const JOB_WINDOW = 6;
const SITE_WINDOW = 12;
const WITHIN_MS = 15_000;

describe('the window of chunks on the queue', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    let gate: Gate | undefined;
    let workers: Workers | undefined;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
    });
    after(() => world.stop());
    beforeEach(async () => {
      workers = await world.startWorkers({}, BULK_ONLY);
      shop = await newShop();
    });
    afterEach(async () => {
      await gate?.open();
      await workers?.stop();
      gate = undefined;
    });

    it('never holds more than six of a job, and is used up to the end', async () => {
      const job = await world.acceptFile(shop, 'many.csv', csv(300), 'insert');
      const queued = watch(() => waitingJobs(world.services.producer, applyChunk.name));
      const due = watch(async () => Math.max(...(await dispatched([job]))));
      await send(job);
      assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
      for (const { highest } of [await queued(), await due()]) {
        assert.ok(highest <= JOB_WINDOW, `${highest} of one job were on the queue`);
      }
      assert.ok((await due()).highest >= 2, 'chunks go side by side');
    });

    it('never holds more than twelve of a site, but for one of each further job, although all are planned at once', async () => {
      gate = await shutGate(world.services.config.databaseUrl);
      const jobs: Accepted[] = [];
      for (let job = 0; job < 4; job++) {
        jobs.push(await world.acceptFile(shop, 'held.csv', csv(60, `${FAULT.wait}${job}-`), 'insert'));
      }
      await send(...jobs);
      await until('all are planned', async () => (await planned(jobs)) === jobs.length, WITHIN_MS);
      const ofJobs = await dispatched(jobs);
      assert.ok(Math.max(...ofJobs) <= JOB_WINDOW);
      assert.ok(Math.min(...ofJobs) >= 1, 'every job has one');
      const ofSite = ofJobs.reduce((sum, count) => sum + count, 0);
      assert.ok(ofSite <= SITE_WINDOW + jobs.length - 2, `${ofSite} of one site are on the queue`);
      await gate.open();
      for (const { jobId } of jobs) assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    });

    it('of a site is not narrowed by the jobs of another', async () => {
      gate = await shutGate(world.services.config.databaseUrl);
      const others = await Promise.all([newShop(), newShop(), newShop()]);
      const jobs = await Promise.all(
        others.map((one, index) => world.acceptFile(one, 'held.csv', csv(60, `${FAULT.wait}${index}-`), 'insert')),
      );
      await send(...jobs);
      await until('all are planned', async () => (await planned(jobs)) === jobs.length, WITHIN_MS);
      assert.deepEqual(await dispatched(jobs), [JOB_WINDOW, JOB_WINDOW, JOB_WINDOW]);
      await gate.open();
      for (const [index, { jobId }] of jobs.entries()) await others[index]?.outcome(jobId);
    });

    it('widens again when the jobs that crowded it have ended', async () => {
      await workers?.stop();
      const jobs: Accepted[] = [];
      for (let job = 0; job < 3; job++) jobs.push(await world.acceptFile(shop, 'x.csv', csv(60, `${job}-`), 'insert'));
      const chunks = [];
      for (const { outboxEntries } of jobs) chunks.push(await follow(outboxEntries));
      assert.deepEqual(
        chunks.map((steps) => steps.length),
        [JOB_WINDOW, JOB_WINDOW, 1],
      );
      for (const { jobId } of jobs.slice(0, 2)) {
        await shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
        const { dispatch } = await world.db('job').where({ id: jobId }).first('dispatch');
        await follow([{ queue: 'finish', payload: { jobId, dispatch } }]);
      }
      assert.equal((await follow(chunks[2] ?? [])).length, JOB_WINDOW);
    });

    it('is one chunk wide where chunks have to follow one another', async () => {
      await shop.define({ attributes: [{ name: 'Barcode', type: 'TEXT', validation: { unique: true } }] });
      await shop.category('Disk', ['Barcode']);
      const job = await world.acceptFile(shop, 'many.csv', csv(60), 'insert');
      const due = watch(async () => Math.max(...(await dispatched([job]))));
      await send(job);
      assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
      assert.equal((await due()).highest, 1);
    });

    /** Runs steps without the queue. @returns what follows from them */
    async function follow(steps: readonly OutboxEntry[]): Promise<OutboxEntry[]> {
      const next: OutboxEntry[] = [];
      for (const step of steps) {
        await runStep({ ...world.services, producer: unheard(world.services.producer, next) }, step);
      }
      return next;
    }

    async function newShop(): Promise<Shop> {
      return (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    }

    async function planned(jobs: readonly Accepted[]): Promise<number> {
      const ids = jobs.map(({ jobId }) => jobId);
      return (await world.db('job').whereIn('id', ids).where({ step: 'apply' })).length;
    }

    /** How many chunks of each job are on the queue. */
    function dispatched(jobs: readonly Accepted[]): Promise<number[]> {
      return Promise.all(
        jobs.map(
          async ({ jobId }) => (await world.db('job_chunk').where({ job_id: jobId, status: 'dispatched' })).length,
        ),
      );
    }

    const send = (...jobs: Accepted[]) =>
      enqueueEntries(
        world.services.producer,
        jobs.flatMap(({ outboxEntries }) => outboxEntries),
        world.services.logger,
      );
  });
});

/** Looks again and again until it is called. */
function watch(look: () => Promise<number>): () => Promise<{ highest: number }> {
  let over = false;
  const watching = (async () => {
    let highest = 0;
    while (!over) highest = Math.max(highest, await look());
    return { highest };
  })();
  return () => {
    over = true;
    return watching;
  };
}

function csv(rows: number, prefix = 's'): string {
  const lines = Array.from({ length: rows }, (_, index) => `${prefix}${index},Disk,T\n`);
  return `SKU,Category Node,Title\n${lines.join('')}`;
}
