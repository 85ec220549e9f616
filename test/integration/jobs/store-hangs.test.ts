/** The store hangs: what needs it fails in time and waits for it, and everything else goes on. */
import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { type RunningMaintenance, runMaintenance } from '../../../src/workers/maintenance/run-maintenance.js';
import { type FreezableDisk, mountFreezableDisk } from '../../support/faults/frozen-disk.js';
import { holdStore } from '../../support/faults/held-store.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const ENVIRONMENT = { RECONCILE_MS: '100', STORAGE_TIMEOUT_MS: '500', STORAGE_RESERVE_MB: '0' } as const;
const WITHIN_MS = 30_000;
const YESTERDAY = new Date(Date.now() - 86_400_000);
const STUCK_MS = 500;

describe('while the file store hangs', function () {
  this.timeout(60_000);

  describe('which is frozen', () => {
    let disk: FreezableDisk | undefined;
    let world: World;
    let shop: Shop;
    before(async function () {
      disk = mountFreezableDisk();
      if (disk === undefined) return this.skip();
      world = await startWorld({ environment: { ...ENVIRONMENT, STORAGE_URL: pathToFileURL(disk.path).href } });
      await world.startWorkers({}, BULK_ONLY);
      shop = await newShop(world);
    });
    after(async () => {
      disk?.thaw();
      await world?.stop();
      disk?.remove();
    });
    afterEach(() => disk?.thaw());

    it('an upload is answered with 503, and succeeds when it is repeated later', async () => {
      const body = { fileName: 'x.csv', fileType: 'ITEM_IMPORT' };
      const { location, jobId } = await shop.ask('POST', '/files/product', { body });
      disk?.freeze();
      const refused = await fetch(location, { method: 'PUT', body: csv('a') });
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      disk?.thaw();
      await until('it is stored', async () => (await fetch(location, { method: 'PUT', body: csv('a') })).ok, WITHIN_MS);
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    });

    it('a job that needs it waits and spends no attempt, and others go on', async () => {
      // Its error file is written at the end.
      const waiting = await world.acceptFile(shop, 'x.csv', csv('b', ''));
      disk?.freeze();
      await enqueueEntries(world.services.producer, waiting.outboxEntries, world.services.logger);
      const row = async () => world.db('job').where({ id: waiting.jobId }).first('attempts', 'outages');
      await until('the job has waited', async () => (await row()).outages > 0, WITHIN_MS);
      const { jobId, outboxEntries } = await world.acceptRows(await newShop(world), 'upsert', [item('c')]);
      await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      await until('others are served', async () => (await status(jobId)) === 'COMPLETED', WITHIN_MS);
      disk?.thaw();
      assert.equal((await shop.outcome(waiting.jobId)).status, 'COMPLETED_PARTIALLY');
      assert.equal((await row()).attempts, 0);
    });

    it('lost work is found', async () => {
      const abandoned = join(disk?.path ?? '', '.1.part');
      writeFileSync(abandoned, '');
      utimesSync(abandoned, YESTERDAY, YESTERDAY);
      disk?.freeze();
      for (let leader = 0; leader < 2; leader++) await world.startWorkers({}, ['maintenance']);
      const { jobId } = await world.acceptRows(await newShop(world), 'upsert', [item('d')]);
      await until('the lost job is done', async () => (await status(jobId)) === 'COMPLETED', WITHIN_MS);
    });

    async function status(jobId: string): Promise<string> {
      return (await world.db('job').where({ id: jobId }).first('status')).status;
    }
  });

  describe('or the queue of one process', () => {
    let world: World;
    let shop: Shop;
    const running: RunningMaintenance[] = [];
    const letGo: (() => void)[] = [];
    before(async () => {
      world = await startWorld({ environment: ENVIRONMENT });
      await world.startWorkers({}, BULK_ONLY);
      shop = await newShop(world);
    });
    afterEach(async () => {
      for (const release of letGo.splice(0)) release();
      for (const maintenance of running.splice(0)) await maintenance.stop();
    });
    after(() => world.stop());

    it('lost work is found although the leader waits for the store for ever', async () => {
      const held = holdStore(world.services.fileStore, 'removeAbandoned');
      letGo.push(held.release);
      for (let leader = 0; leader < 2; leader++) {
        running.push(runMaintenance({ ...world.services, fileStore: held.fileStore }));
      }
      await held.reached;
      const { jobId } = await world.acceptRows(shop, 'upsert', [item('a')]);
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    });

    it('another process leads when a pass comes no further', async () => {
      const { producer } = world.services;
      let isHeld: () => void = () => undefined;
      const reached = new Promise<void>((resolve) => (isHeld = resolve));
      const released = new Promise<void>((resolve) => letGo.push(resolve));
      const hanging: typeof producer = {
        ...producer,
        isPending: async (...args) => {
          isHeld();
          await released;
          return producer.isPending(...args);
        },
      };
      const { jobId } = await world.acceptFile(shop, 'x.csv', csv('b'));
      running.push(runMaintenance({ ...world.services, producer: hanging }, STUCK_MS));
      await reached;
      running.push(runMaintenance(world.services, STUCK_MS));
      assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    });
  });
});

async function newShop(world: World): Promise<Shop> {
  return (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
}

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: sku } };
}

function csv(...skus: readonly string[]): string {
  return ['SKU,Category Node,Title', ...skus.map((sku) => `${sku},Disk,A`), ''].join('\n');
}
