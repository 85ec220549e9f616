/** What maintenance does with the change log: it numbers changes, drops old months, and keeps the jobs of changes. */
import assert from 'node:assert/strict';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';
import { describePruning } from './pruning.trials.js';

const DAY_MS = 86_400_000;
const CSV = 'SKU,Category Node,Title\na,Disk,One\n,Disk,no key\n';

onOneBackend((backend) => {
  describe('maintenance of the change log', () => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await world.startWorkers({}, BULK_ONLY);
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    after(() => world.stop());

    const open = () => world.db('change_set').whereNull('position').where({ preview: false });
    const endedAgo = (id: string, days: number) =>
      world
        .db('job')
        .where({ id })
        .update({ completed_at: new Date(Date.now() - days * DAY_MS) });

    it('numbers the changes that nobody reads', async () => {
      await shop.importFile('a.csv', 'SKU,Category Node,Title\nx,Disk,One\n');
      assert.notEqual((await open()).length, 0);
      await reconcile(world.services);
      assert.deepEqual(await open(), []);
    });

    it('keeps an old job without its errors, rows and files as long as what it changed', async () => {
      const { id } = await shop.importFile('a.csv', CSV);
      await endedAgo(id, 31);
      await housekeep(world.services);
      const job = await shop.ask('GET', `/jobs/${id}`);
      assert.equal(job.status, 'COMPLETED_PARTIALLY');
      assert.equal((await shop.ask('GET', `/jobs/${id}/changes`)).data.length, 1);
      assert.deepEqual((await shop.ask('GET', `/jobs/${id}/errors`)).data, []);
      for (const table of ['job_chunk', 'job_error', 'file']) {
        assert.deepEqual(await world.db(table).where({ job_id: id }), [], table);
      }
      assert.equal((await shop.post(`/jobs/${id}/actions/retry`, {})).status, 410);
      assert.equal((await shop.call('GET', `/jobs/${id}/result`)).status, 410);
      await housekeep(world.services);
      assert.equal((await shop.call('GET', `/jobs/${id}`)).status, 200);
      await endedAgo(id, 365);
      for (const table of ['change_set', 'item_change']) await world.db(table).where({ site_id: shop.siteId }).delete();
      await housekeep(world.services);
      assert.equal((await shop.call('GET', `/jobs/${id}`)).status, 404);
    });

    it('deletes an old job that changed nothing', async () => {
      const { id } = await shop.importFile('a.csv', 'SKU,Category Node\n,Disk\n');
      await endedAgo(id, 31);
      await housekeep(world.services);
      assert.equal((await shop.call('GET', `/jobs/${id}`)).status, 404);
    });
  });
});

describePruning(100_000);
