/** Files applied in one transaction, disturbed in the middle of it: all of their rows are in, or none. */
import assert from 'node:assert/strict';
import type { ImportOptions } from '../../../src/domain/imports/model/import-options.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { holdStore } from '../../support/faults/held-store.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { type Accepted, BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

const ABORT: Partial<ImportOptions> = { onError: 'abort' };
const TRY: Partial<ImportOptions> = { validateOnly: true };

describe('a job that takes effect as a whole', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  let workers: Workers;

  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
  });
  after(() => world.stop());
  beforeEach(async () => {
    workers = await world.startWorkers({}, BULK_ONLY);
    shop = await newShop();
  });
  afterEach(async () => {
    await gate?.open();
    gate = undefined;
    await workers.stop();
  });

  it('shows its progress, and none of its rows before all of them', async () => {
    const job = await stopInTheMiddle(ABORT);
    await until('its first chunks are counted', async () => (await progress(job)).processedCount === 6, 10_000);
    assert.deepEqual(await shop.items(), []);
    await gate?.open();
    const { status, created } = await shop.outcome(job.jobId);
    assert.deepEqual([status, created, (await shop.items()).length], ['COMPLETED', 12, 12]);
  });

  for (const [name, options] of [
    ['all or nothing', ABORT],
    ['a dry run', TRY],
  ] as const) {
    it(`that is ${name} is undone when it is cancelled`, async () => {
      const job = await stopInTheMiddle(options, { bad: true });
      await until('its first chunks are counted', async () => (await progress(job)).processedCount === 6, 10_000);
      assert.equal((await cancel(job)).body.status, 'CANCELLED');
      assert.equal((await cancel(job)).status, 200);
      await gate?.open();
      const outcome = await shop.outcome(job.jobId);
      assert.equal(outcome.status, 'CANCELLED');
      assert.match(outcome.message, /no row was applied/);
      assert.deepEqual([outcome.total, outcome.created, outcome.failed, outcome.errors.length], [12, 0, 1, 1]);
      await workers.stop();
      assert.deepEqual(await shop.items(), []);
      assert.deepEqual((await shop.result(job.jobId)).success, []);
    });

    it(`that is ${name} cannot be cancelled when only its report is missing`, async () => {
      await workers.stop();
      const held = holdStore(world.services.fileStore, 'create', (key) => key.startsWith('errors/'));
      workers = await world.startWorkers({ fileStore: held.fileStore }, BULK_ONLY);
      const job = await accept(['a', 'b', 'c', '', 'd'], options);
      await held.reached;
      const answer = await cancel(job);
      held.release();
      assert.equal(answer.status, 409);
      assert.match(answer.body.message, /can no longer be cancelled/);
      const outcome = await shop.outcome(job.jobId);
      assert.equal(outcome.status, options === TRY ? 'COMPLETED' : 'REJECTED');
      assert.deepEqual([outcome.created, outcome.failed], [options === TRY ? 4 : 0, 1]);
    });
  }

  it('begins anew by itself when its connection is lost in the middle', async () => {
    const job = await stopInTheMiddle(ABORT);
    await world.db.raw(
      `SELECT pg_terminate_backend(pid) FROM ${OWN_LOCKS}
         WHERE locktype = 'advisory' AND NOT granted AND pid <> pg_backend_pid()`,
    );
    await gate?.open();
    const { status, created } = await shop.outcome(job.jobId);
    assert.deepEqual([status, created, (await shop.items()).length], ['COMPLETED', 12, 12]);
  });

  it('keeps no other tenant waiting', async () => {
    await stopInTheMiddle(ABORT);
    const other = await newShop();
    const large = await world.acceptFile(other, 'x.csv', csv(['a', 'b', 'c', 'd', 'e']), 'upsert', ABORT);
    await send(large);
    assert.equal((await other.outcome(large.jobId)).created, 5);
    assert.equal((await other.bulk('insert', [{ sku: 'z', nodeName: 'Disk' }])).status, 200);
  });

  it('of attributes keeps nobody waiting but its own site', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `B${at}`);
    const content = `Attribute Title,Type of Attribute,Description\n${[...names, 'Title'].map((name) => `${name},SHORT TEXT,new\n`).join('')}`;
    const holding = await world.db.transaction();
    try {
      await holding.raw("SELECT 1 FROM attribute WHERE site_id = ? AND name = 'Title' FOR UPDATE", [shop.siteId]);
      const jobId = await shop.upload('attributes.csv', content, { onError: 'abort' }, { type: 'ATTRIBUTE_IMPORT' });
      await until(
        'it waits',
        async () => {
          const { rows } = await world.db.raw(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows.length > 0;
        },
        20_000,
      );
      // More than a process plans at once, and definitions that no job has gone by yet.
      const parked = [];
      for (let count = 0; count < 12; count++) {
        parked.push(await world.acceptRows(shop, 'upsert', [{ sku: `p${count}`, nodeName: 'Disk' }]));
      }
      await send(...parked);
      const other = await newShop();
      assert.equal((await other.bulk('insert', [{ sku: 'z', nodeName: 'Disk' }])).status, 200);
      await holding.rollback();
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
      for (const job of parked) assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
    } finally {
      if (!holding.isCompleted()) await holding.rollback();
    }
  });

  /** A job that stands in its third chunk of four. */
  async function stopInTheMiddle(options: Partial<ImportOptions>, { bad = false } = {}): Promise<Accepted> {
    gate = await shutGate(world.services.config.databaseUrl);
    const skus = ['a', 'b', 'c', 'd', bad ? '' : 'e', 'f', 'g', `${FAULT.wait}1`, 'h', 'i', 'j', 'k'];
    const job = await accept(skus, options);
    await gate.reached();
    return job;
  }

  async function accept(skus: readonly string[], options: Partial<ImportOptions>): Promise<Accepted> {
    const job = await world.acceptFile(shop, 'whole.csv', csv(skus), 'upsert', options);
    await send(job);
    return job;
  }

  const newShop = async () =>
    (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
  const cancel = ({ jobId }: Accepted) => shop.call('POST', `/jobs/${jobId}/actions/cancel`);
  const progress = async ({ jobId }: Accepted) => (await shop.ask('GET', `/jobs/${jobId}`)).progressTracker;
  const send = (...jobs: Accepted[]) =>
    enqueueEntries(
      world.services.producer,
      jobs.flatMap(({ outboxEntries }) => outboxEntries),
      world.services.logger,
    );
});

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
