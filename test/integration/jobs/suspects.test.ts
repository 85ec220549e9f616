/** Steps that may have ended a worker: each new start of the same step knows it, whoever enqueues it. */
import assert from 'node:assert/strict';
import { IMPORT_HOOKS } from '../../../src/domain/imports/import-hooks.js';
import { planFileJob } from '../../../src/domain/imports/plan-file-job.js';
import { prepareDefinitions } from '../../../src/domain/imports/prepare-definitions.js';
import { ROWS_OF_JOBS } from '../../../src/domain/imports/rows-of-jobs.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { beginAlone } from '../../../src/domain/jobs/begin-alone.js';
import { presentEntries } from '../../../src/domain/jobs/present-entries.js';
import { redispatchLost } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import { recordFailure } from '../../../src/domain/jobs/record-failure.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import { suspectStep } from '../../../src/domain/jobs/suspects.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import type { JobOutboxEntry, OutboxEntry } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { unheard } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();
const OUTAGE = { kind: 'outage', part: 'file store', lasting: true } as const;

describe('a step that was found without its worker', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let enqueued: OutboxEntry[];
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    const workers = await world.startWorkers();
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
    enqueued = [];
  });

  it('stays suspect when it is tried again, and when the queue has lost it', async () => {
    const { jobId } = await world.acceptFile(shop, 'x.csv', csv(7));
    let plan: JobOutboxEntry = { queue: 'plan', payload: { jobId, dispatch: 1 } };
    await suspectStep(world.db, plan);
    for (let dispatch = 2; dispatch < 4; dispatch++) {
      const again = await recordFailure(world.db, JOB_TYPES, plan.payload, OUTAGE);
      assert.deepEqual(again.outboxEntries, [{ queue: 'plan', payload: { jobId, dispatch, suspect: true } }]);
      plan = { queue: 'plan', payload: { jobId, dispatch } };
    }
    const lost = await redispatchLost(world.db, plan);
    assert.deepEqual(lost, { queue: 'plan', payload: { jobId, dispatch: 4, suspect: true } });

    await handlers.planJob.run(services(), { jobId, dispatch: 4 }, new AbortController().signal);
    const chunks = enqueued.splice(0).flatMap((entry) => (entry.queue === 'apply' ? [entry] : []));
    assert.deepEqual(
      chunks.map(({ payload }) => payload),
      [0, 1, 2].map((chunk) => ({ jobId, chunk, dispatch: 1 })),
      'the next steps have done nothing',
    );
    const [first, second] = chunks;
    assert.ok(first !== undefined && second !== undefined);
    await handlers.applyChunk.suspected?.(services(), first.payload);
    const failed = await recordFailure(world.db, JOB_TYPES, first.payload, OUTAGE);
    const suspect = { jobId, chunk: 0, dispatch: 2, suspect: true } as const;
    assert.deepEqual(failed.outboxEntries, [{ queue: 'apply', payload: suspect }]);
    const again = await redispatchLost(world.db, { queue: 'apply', payload: suspect });
    assert.deepEqual(again?.payload, { ...suspect, dispatch: 3 });
    const other = await redispatchLost(world.db, second);
    assert.deepEqual(other?.payload, { jobId, chunk: 1, dispatch: 2 }, 'another chunk is not');
    await handlers.applyChunk.suspected?.(services(), { jobId, chunk: 2, dispatch: 9 });
    const third = await redispatchLost(world.db, { queue: 'apply', payload: { jobId, chunk: 2, dispatch: 1 } });
    assert.deepEqual(third?.payload, { jobId, chunk: 2, dispatch: 2 }, 'an outdated start says nothing');
  });

  it('stays suspect when it was held meanwhile', async () => {
    const { jobId } = await world.acceptFile(shop, 'x.csv', csv(2));
    await suspectStep(world.db, { queue: 'plan', payload: { jobId, dispatch: 1 } });
    await world.db('job_order').where({ site_id: shop.siteId, job_id: jobId }).update({ state: 'h' });
    const released = await releaseDue(world.db, [shop.siteId]);
    assert.deepEqual(released, [{ queue: 'plan', payload: { jobId, dispatch: 2, suspect: true } }]);
  });

  it('passes its suspicion on to the step that it executed inline', async () => {
    const { jobId } = await world.acceptFile(shop, 'x.csv', csv(2));
    // A file of one chunk: its plan step has committed, and was applying the chunk when its worker ended.
    const plan = { queue: 'plan', payload: { jobId, dispatch: 1 } } as const;
    await world.services.producer.enqueue(planJob, plan.payload);
    const { db, fileStore } = world.services;
    await prepareDefinitions(db, jobId);
    const outcome = await db.transaction((trx) => beginAlone(trx, plan.payload, IMPORT_HOOKS));
    assert.ok(outcome.kind === 'begun');
    const { definitionsVersion } = outcome;
    const { job } = outcome.begun;
    const files = { db, fileStore, chunkRows: 3, rowsOfJobs: ROWS_OF_JOBS };
    const planned = await planFileJob(files, job, 1, definitionsVersion, new AbortController().signal);
    assert.deepEqual(planned.outboxEntries, [{ queue: 'apply', payload: { jobId, chunk: 0, dispatch: 1 } }]);
    const [found] = await presentEntries(world.db, jobId, true);
    assert.deepEqual(found?.payload, { jobId, chunk: 0, dispatch: 1, suspect: true });

    await world
      .db('job_chunk')
      .where({ job_id: jobId })
      .update({ dispatched_at: new Date(0) });
    await reconcile(services());
    // What the tests before this one have left on no queue may be found in the same pass.
    const again = enqueued.filter(({ payload }) => 'jobId' in payload && payload.jobId === jobId);
    assert.deepEqual(again, [{ queue: 'apply', payload: { jobId, chunk: 0, dispatch: 2, suspect: true } }]);
  });

  function services() {
    return { ...world.services, producer: unheard(world.services.producer, enqueued) };
  }
});

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, nth) => `s${nth},Disk,T\n`);
  return `SKU,Category Node,Title\n${lines.join('')}`;
}
