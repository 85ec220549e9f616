import assert from 'node:assert/strict';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

/** More than a process executes or picks up at the same time. */
const SITES = 20;
/** Too many for a job that is executed in a batch. */
const ROWS = 150;

describe('the large requests of one account, in many of its sites,', function () {
  this.timeout(120_000);
  forEachBackend((backend) => {
    let world: World;
    let gate: Gate | undefined;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
    });
    afterEach(() => gate?.open());
    after(() => world.stop());

    const send = (...jobs: Accepted[]) =>
      enqueueEntries(
        world.services.producer,
        jobs.flatMap(({ outboxEntries }) => outboxEntries),
        world.services.logger,
      );

    async function sitesOf({ api, account, token }: Shop): Promise<Shop[]> {
      const shops: Shop[] = [];
      for (let number = 0; number < SITES; number++) {
        const stage = `stage-${number}`;
        const site = new Shop(api, account, token, await resolveSite(world.db, account, stage));
        await site.ask('POST', '/api-category/v1/category', { body: { name: 'Disk' }, context: { stage } });
        shops.push(site);
      }
      return shops;
    }

    it('keep neither the files nor the large requests of another account waiting', async () => {
      const [one, other] = [await world.newShop(), await world.newShop()];
      await other.define({ categories: { Disk: [] } });
      const sites = await sitesOf(one);
      await world.startWorkers({}, BULK_ONLY);
      // The process learns that it is used by both.
      for (const shop of [sites[0] ?? one, other]) {
        const small = await world.acceptRows(shop, 'insert', [{ sku: 'first', nodeName: 'Disk' }]);
        await send(small);
        const { jobId: id } = small;
        await until(
          'it has ended',
          async () => (await world.db('job').where({ id }).first()).completed_at !== null,
          15_000,
        );
      }
      gate = await shutGate(world.services.config.databaseUrl);
      const rows = (prefix: string) =>
        Array.from({ length: ROWS }, (_, index) => ({ sku: `${prefix}${index}`, nodeName: 'Disk' }));
      const blocked = await Promise.all(sites.map((site) => world.acceptRows(site, 'insert', rows(FAULT.wait))));
      await send(...blocked);
      await gate.reached(1);
      const file = await world.acceptFile(other, 'one.csv', 'SKU,Category Node\nfile,Disk\n');
      await send(file);
      assert.equal((await other.outcome(file.jobId)).status, 'COMPLETED');
      const ids = blocked.map(({ jobId }) => jobId);
      assert.deepEqual(await world.db('job').whereIn('id', ids).whereNotNull('completed_at'), []);
      const large = await world.acceptRows(other, 'insert', rows('large'));
      await send(large);
      await gate.open();
      assert.equal((await other.outcome(large.jobId)).status, 'COMPLETED');
      const left = await world.db('job').whereIn('id', ids).whereNull('completed_at');
      assert.ok(left.length > 0, 'the large request has its turn before the last of them');
    });
  });
});
