/** The step that applies a file as a whole: held twice, handed back, given up, refused. One of all commits. */
import assert from 'node:assert/strict';
import { applyAtomicJob } from '../../../src/domain/imports/apply-atomic-job.js';
import type { ImportOptions } from '../../../src/domain/imports/model/import-options.js';
import { ROWS_OF_JOBS } from '../../../src/domain/imports/rows-of-jobs.js';
import { redispatchLost } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import type { Gate } from '../../support/faults/faults.js';
import { FAULT, installFaults, shutGate } from '../../support/faults/faults.js';
import type { Shop } from '../../support/http/shop.js';
import type { World } from '../../support/worlds/world.js';
import { BULK_ONLY, startWorld } from '../../support/worlds/world.js';

const handlers = createHandlers();

const ABORT: Partial<ImportOptions> = { onError: 'abort' };
const TRY: Partial<ImportOptions> = { validateOnly: true };
const NO_SIGNAL = new AbortController().signal;

describe('the step that applies a file as a whole', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
    const workers = await world.startWorkers({}, BULK_ONLY);
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.db('item').delete();
    await world.db('job').update({ completed_at: new Date(), step: null });
    await world.db('job_order').delete();
  });
  afterEach(async () => {
    await gate?.open();
    gate = undefined;
  });

  it('is committed by one of two that hold the same dispatch', async () => {
    const step = await planned(['a', 'b', 'c', '', 'e'], TRY);
    const twins = await Promise.all(
      [1, 2].map(() => applyAtomicJob({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, step.payload, NO_SIGNAL)),
    );
    assert.deepEqual(
      twins.flat().map(({ queue }) => queue),
      ['finish'],
    );
    await run(twins.flat());
    const { status, created, failed, errors } = await shop.outcome(step.payload.jobId);
    assert.deepEqual([status, created, failed, errors.length], ['COMPLETED', 4, 1, 1]);
  });

  it('is left by one whose dispatch no longer counts, for the next to begin anew', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const step = await planned(['a', '', 'c', 'd', `${FAULT.wait}1`, 'f', 'g'], ABORT);
    const late = applyAtomicJob({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, step.payload, NO_SIGNAL);
    await gate.reached();
    const again = await redispatchLost(world.db, step);
    assert.ok(again?.queue === 'apply-all');
    const next = applyAtomicJob({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, again.payload, NO_SIGNAL);
    await gate.open();
    assert.deepEqual(await late, []);
    await run(await next);
    const { status, created, failed, errors } = await shop.outcome(step.payload.jobId);
    assert.deepEqual([status, created, failed, errors.length], ['REJECTED', 0, 1, 1]);
    assert.deepEqual(await shop.items(), []);
  });

  it('is undone by a worker that is told to stop, and done by another', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const step = await planned(['a', 'b', 'c', 'd', `${FAULT.wait}1`, 'f', 'g'], ABORT);
    const stopping = new AbortController();
    const stopped = applyAtomicJob({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, step.payload, stopping.signal);
    await gate.reached();
    stopping.abort(new Error('told to stop'));
    await gate.open();
    await assert.rejects(stopped, /told to stop/);
    assert.deepEqual(await shop.items(), []);
    await run([step]);
    assert.equal((await shop.outcome(step.payload.jobId)).created, 7);
  });

  it('has only the row refused that Postgres itself refuses', async () => {
    const skus = ['a', 'b', 'c', 'd', `${FAULT.refuse}1`, 'f', 'g'];
    const tried = await planned(skus, TRY);
    await run([tried]);
    const { created, errors } = await shop.outcome(tried.payload.jobId);
    assert.deepEqual([created, errors.map(({ row, code }) => [row, code])], [6, [[6, 'INVALID_TEXT']]]);
    const { outboxEntries, jobId } = await world.acceptFile(shop, 'x.csv', csv(skus));
    await run(outboxEntries);
    assert.deepEqual((await shop.outcome(jobId)).errors, errors);
  });

  it('is FAILED after its attempts, with nothing applied', async () => {
    const step = await planned(['a', '', 'c', 'd', `${FAULT.fail}1`], ABORT);
    const ahead: OutboxEntry[] = [step];
    const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
    let failures = 0;
    for (let next = ahead.shift(); next?.queue === 'apply-all'; next = ahead.shift()) {
      const { payload } = next;
      await runStep(services, next).catch(async (error) => {
        failures++;
        await handlers.applyAtomicJob.failed(services, payload, error);
      });
    }
    const { status, reason, message, created, failed } = await shop.outcome(step.payload.jobId);
    assert.deepEqual([failures, status, reason, created, failed], [8, 'FAILED', 'INTERNAL_ERROR', 0, 1]);
    assert.match(message, /none of its rows was applied/);
    assert.deepEqual((await shop.result(step.payload.jobId)).success, []);
  });

  /** The whole step of a file that has been planned. */
  async function planned(skus: readonly string[], options: Partial<ImportOptions>) {
    const { outboxEntries } = await world.acceptFile(shop, 'x.csv', csv(skus), 'upsert', options);
    const sent: OutboxEntry[] = [];
    const services = { ...world.services, producer: unheard(world.services.producer, sent) };
    for (const entry of outboxEntries) await runStep(services, entry);
    const [step] = sent;
    assert.ok(step?.queue === 'apply-all');
    return step;
  }

  /** Runs steps, and those that follow from them. */
  async function run(steps: readonly OutboxEntry[]): Promise<void> {
    const ahead = [...steps];
    const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
    for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) await runStep(services, step);
  }
});

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
