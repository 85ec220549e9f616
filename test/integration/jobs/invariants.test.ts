/** What must not be is planted into the database: the step that finds it writes nothing, is tried again, and its job ends as FAILED. */
import assert from 'node:assert/strict';
import { endJob } from '../../../src/domain/jobs/end-job.js';
import { InvariantViolation } from '../../../src/domain/kernel/invariant.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

const CSV = 'SKU,Category Node,Title\na,Disk,A\nb,Disk,B\nc,Tape,C\nd,Disk,D\n';
const MAX_ATTEMPTS = 8;

describe('a step that finds what must not be', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    const workers = await world.startWorkers();
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
  });
  after(() => world.stop());
  beforeEach(() => world.db('item').delete());

  it('writes none of a chunk whose rows do not all have an outcome, and ends the job as FAILED', async () => {
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
    const chunks = await run(outboxEntries);
    await world.db('job_chunk').where({ job_id: jobId, idx: 0 }).increment('row_count', 1);
    const errors = await drive(chunks);
    assert.deepEqual(
      new Set(errors.map(String)),
      new Set([`InvariantViolation: job ${jobId}, chunk 0: 4 rows have 3 outcomes`]),
    );
    assert.equal(errors.length, MAX_ATTEMPTS);
    const outcome = await shop.outcome(jobId);
    assert.deepEqual([outcome.status, outcome.reason], ['FAILED', 'INTERNAL_ERROR']);
    assert.deepEqual(Object.keys(await shop.values('Title')), ['d'], 'the other chunk');
    assert.equal((await world.db('job_error').where({ job_id: jobId })).length, 0);
  });

  it('ends no job as completed whose rows do not add up, and keeps what was applied', async () => {
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
    const chunks = await run(outboxEntries);
    await world.db('job').where({ id: jobId }).increment('total_count', 1);
    const errors = await drive(chunks);
    assert.equal(errors.length, MAX_ATTEMPTS);
    assert.match(String(errors[0]), new RegExp(`job ${jobId}: 4 of its rows have an outcome, and it has 5`));
    const outcome = await shop.outcome(jobId);
    assert.deepEqual([outcome.status, outcome.created, outcome.failed], ['FAILED', 3, 1]);
  });

  it('writes nothing of a request whose rows do not all have an outcome', async () => {
    const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [{ sku: 'a', nodeName: 'Disk' }]);
    await world.db('job').where({ id: jobId }).update({ total_count: 2 });
    const errors = await drive(outboxEntries);
    assert.equal(errors.length, 1 + MAX_ATTEMPTS, 'first in a batch, then by itself');
    assert.ok(errors.every((error) => error instanceof InvariantViolation && error.message.includes(jobId)));
    assert.equal((await shop.outcome(jobId)).status, 'FAILED');
    assert.deepEqual(await shop.items(), []);
  });

  it('does nothing under a fencing token that the row has never had', async () => {
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
    const chunks = await run(outboxEntries);
    await world.db('job_chunk').where({ job_id: jobId, idx: 0 }).update({ dispatch: 0 });
    const [step] = chunks;
    assert.ok(step?.queue === 'apply' && step.payload.chunk === 0);
    await assert.rejects(run([step]), {
      name: 'InvariantViolation',
      message: `job ${jobId}, chunk 0: its fencing token has decreased: a step has 1, and the row has 0`,
    });
    assert.deepEqual(await shop.items(), []);
    await world.db('job_chunk').where({ job_id: jobId, idx: 0 }).update({ dispatch: 1 });
    assert.deepEqual(await drive(chunks), []);
    assert.equal((await shop.outcome(jobId)).status, 'COMPLETED_PARTIALLY');
  });

  it('finishes nothing under a fencing token that the job has never had', async () => {
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
    const finish: OutboxEntry[] = [];
    for (const step of await run(outboxEntries)) finish.push(...(await run([step])));
    await world.db('job').where({ id: jobId }).decrement('dispatch', 1);
    await assert.rejects(run(finish), new RegExp(`InvariantViolation: job ${jobId}: its fencing token has decreased`));
    assert.equal((await world.db('job').where({ id: jobId }).first('status')).status, 'IN_PROGRESS');
    await world.db('job').where({ id: jobId }).increment('dispatch', 1);
    assert.deepEqual(await drive(finish), []);
  });

  it('ends no job twice', async () => {
    const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [{ sku: 'a', nodeName: 'Disk' }]);
    await drive(outboxEntries);
    const again = world.db.transaction((trx) => endJob(trx, jobId, { status: 'FAILED', reason: 'INTERNAL_ERROR' }));
    await assert.rejects(again, { name: 'InvariantViolation', message: `job ${jobId}: it has ended already` });
    assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
  });

  /** Runs steps one after another. @returns what follows from them */
  async function run(steps: readonly OutboxEntry[]): Promise<OutboxEntry[]> {
    const next: OutboxEntry[] = [];
    const services = { ...world.services, producer: unheard(world.services.producer, next) };
    for (const step of steps) await runStep(services, step);
    return next;
  }

  /** Runs steps and those that follow from them as workers would, but without the pauses. @returns the errors of those that failed */
  async function drive(steps: readonly OutboxEntry[]): Promise<unknown[]> {
    const ahead = [...steps];
    const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
    const errors: unknown[] = [];
    for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) {
      try {
        await runStep(services, step);
      } catch (error) {
        errors.push(error);
        if (step.queue === 'plan') await handlers.planJob.failed(services, step.payload, error);
        else if (step.queue === 'plan-batch') await handlers.planBatch.failed(services, step.payload, error);
        else if (step.queue === 'apply') await handlers.applyChunk.failed(services, step.payload, error);
        else if (step.queue === 'finish') await handlers.finishJob.failed(services, step.payload, error);
      }
    }
    return errors;
  }
});
