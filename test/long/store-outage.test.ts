/** A file store that is away for minutes and a half: the jobs that were accepted wait for it, and none fails. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { type BreakableStore, breakableFolder, breakableS3 } from '../support/faults/breakable-store.js';
import { startWorld, type World } from '../support/worlds/world.js';

const AWAY_MS = 90_000;
const SITES = 4;
const JOBS_OF_SITE = 6;
/** Longer than it takes to accept all jobs: the reconciler would have the first ones executed before the store is away. */
const GRACE_MS = 60_000;

for (const [where, open] of [
  ['a folder', async () => breakableFolder()],
  ['S3', breakableS3],
] as const) {
  describe(`a file store in ${where} that is away for ${AWAY_MS / 1000} s`, function () {
    this.timeout(300_000);
    let store: BreakableStore;
    let world: World;
    before(async function () {
      store = await open(this);
      const environment = { STORAGE_URL: store.place, RECONCILE_GRACE_MS: String(GRACE_MS) };
      world = await startWorld({ workers: true, environment });
    });
    after(async () => {
      await world?.stop();
      await store?.close();
    });

    it('has no job fail and no attempt spent, and each site ends with its last file', async () => {
      const { producer, logger } = world.services;
      const jobs: string[] = [];
      const shops = [];
      for (let site = 0; site < SITES; site++) {
        shops.push(await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } }));
      }
      const accepted = [];
      for (let job = 1; job <= JOBS_OF_SITE; job++) {
        for (const shop of shops) {
          accepted.push(await world.acceptFile(shop, 'x.csv', `SKU,Category Node,Title\na,Disk,${job}\n`));
        }
      }
      store.hide();
      for (const { jobId, outboxEntries } of accepted) {
        jobs.push(jobId);
        await enqueueEntries(producer, outboxEntries, logger);
      }
      await delay(AWAY_MS);
      assert.deepEqual(await world.db('job').whereIn('id', jobs).whereNotNull('completed_at').pluck('status'), []);
      store.show();
      for (const shop of shops) {
        const own = await world.db('job').whereIn('id', jobs).where({ site_id: shop.siteId }).pluck('id');
        assert.equal(own.length, JOBS_OF_SITE);
        for (const id of own) assert.equal((await shop.outcome(id)).status, 'COMPLETED');
        assert.deepEqual(await shop.values('Title'), { a: String(JOBS_OF_SITE) });
      }
      assert.equal((await world.db('job').whereIn('id', jobs).where('attempts', '>', 0)).length, 0);
    });
  });
}
