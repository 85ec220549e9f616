/** Twins: a worker believed dead that is not, and the one that took its work over. One of them commits. */
import assert from 'node:assert/strict';
import { applyJobChunk } from '../../../src/domain/imports/apply-job-chunk.js';
import { finishFileJob } from '../../../src/domain/imports/finish-file-job.js';
import { ROWS_OF_JOBS } from '../../../src/domain/imports/rows-of-jobs.js';
import { redispatchLost } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { holdStore } from '../../support/faults/held-store.js';
import type { Shop } from '../../support/http/shop.js';
import { type Accepted, startWorld, type World } from '../../support/worlds/world.js';

const CSV = 'SKU,Category Node,Title\na,Disk,A\nb,Disk,B\nc,Tape,C\nd,Disk,D\n';
/** More chunks than are on the queue at once. */
const LONG_CSV = CSV + Array.from({ length: 20 }, (_, index) => `e${index},Disk,E\n`).join('');

describe('the fence', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    const workers = await world.startWorkers();
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.db('item').delete();
    await world.db('job').update({ completed_at: new Date(), step: null });
    await world.db('job_order').delete();
  });

  it('refuses the late commit of a stalled worker whose chunk was dispatched anew', async () => {
    const [first] = await planned();
    const held = holdStore(world.services.fileStore, 'readRange');
    const stalled = applyJobChunk(
      { ...world.services, fileStore: held.fileStore, rowsOfJobs: ROWS_OF_JOBS },
      first.payload,
    );
    await held.reached;
    const again = await redispatchLost(world.db, first);
    assert.ok(again?.queue === 'apply');
    await applyJobChunk({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, again.payload);
    const written = await versions();
    held.release();
    assert.deepEqual(await stalled, []);
    assert.deepEqual(await versions(), written);
    assert.equal((await chunk(first)).dispatch, again.payload.dispatch);
  });

  it('lets one of two write that hold a chunk at the same moment, old number or new', async () => {
    for (let trial = 0; trial < 10; trial++) {
      const [first] = await planned(LONG_CSV);
      const held = holdStore(world.services.fileStore, 'readRange');
      const old = [1, 2].map(() =>
        applyJobChunk({ ...world.services, fileStore: held.fileStore, rowsOfJobs: ROWS_OF_JOBS }, first.payload),
      );
      await held.reached;
      const again = trial % 2 === 0 ? first : await redispatchLost(world.db, first);
      assert.ok(again?.queue === 'apply');
      const young = [1, 2].map(() => applyJobChunk({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, again.payload));
      held.release();
      const next = (await Promise.all([...old, ...young])).filter((outboxEntries) => outboxEntries.length > 0);
      assert.equal(next.length, 1, 'one of them goes on with the job');
      const { created_count: created, error_count: failed, status } = await chunk(first);
      assert.deepEqual([status, created, failed], ['done', 2, 1]);
      await world.db('job').where({ id: first.payload.jobId }).delete();
      await world.db('job_order').delete();
      await world.db('item').delete();
    }
  });

  it('lets one of two plan that read the same file', async () => {
    const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
    const sent: OutboxEntry[] = [];
    await run([...outboxEntries, ...outboxEntries], sent);
    // One that comes when the other is through enqueues once more what the queue should have.
    assert.equal(new Set(sent.map((step) => JSON.stringify(step))).size, 2, 'its two chunks, each with one number');
    assert.equal((await world.db('job_chunk').where({ job_id: jobId })).length, 2);
  });

  it('lets one of two carry out a bulk request', async () => {
    const { jobId, outboxEntries } = await world.acceptRows(shop, 'insert', [{ sku: 'a', nodeName: 'Disk' }]);
    await run([...outboxEntries, ...outboxEntries], []);
    const job = await world.db('job').where({ id: jobId }).first();
    assert.deepEqual([job.status, job.created_count, job.error_count], ['COMPLETED', 1, 0]);
  });

  it('lets one of two finish, with one error file', async () => {
    const first = await planned();
    const finish: OutboxEntry[] = [];
    for (const step of first)
      finish.push(...(await applyJobChunk({ ...world.services, rowsOfJobs: ROWS_OF_JOBS }, step.payload)));
    const [step] = finish;
    assert.ok(step?.queue === 'finish');
    const { jobId } = step.payload;
    const ended = await Promise.all([1, 2].map(() => finishFileJob(world.services, step.payload)));
    assert.deepEqual(ended.sort(), [false, true]);
    assert.equal((await world.db('file').where({ job_id: jobId, type: 'ERROR_FILE' })).length, 1);
  });

  /** The chunks of a file that has been planned. */
  async function planned(csv = CSV): Promise<[Chunk, ...Chunk[]]> {
    const { outboxEntries }: Accepted = await world.acceptFile(shop, 'x.csv', csv);
    const sent: OutboxEntry[] = [];
    await run(outboxEntries, sent);
    const chunks = sent.filter((step) => step.queue === 'apply');
    const [first, ...others] = chunks;
    assert.ok(first !== undefined);
    return [first, ...others];
  }

  /** Runs steps at the same time, and notes what follows from them. */
  async function run(steps: readonly OutboxEntry[], sent: OutboxEntry[]): Promise<void> {
    const services = { ...world.services, producer: unheard(world.services.producer, sent) };
    await Promise.all(steps.map((step) => runStep(services, step)));
  }

  const chunk = ({ payload }: Chunk) =>
    world.db('job_chunk').where({ job_id: payload.jobId, idx: payload.chunk }).first();

  /** Postgres' own version of each row: another one after every write. */
  const versions = () => world.db('item').orderBy('sku').select('sku', world.db.raw('xmin::text AS version'));
});

type Chunk = Extract<OutboxEntry, { queue: 'apply' }>;
