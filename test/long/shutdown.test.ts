/** The default grace period: a worker that hangs ends within the 25 s that a platform gives. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { FAULT, installFaults, shutGate } from '../support/faults/faults.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type World } from '../support/worlds/world.js';

const PLATFORM_GIVES_MS = 25_000;

describe('a worker process with the default grace period', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
    });
    after(() => world.stop());

    it('ends within 25 s although a step in hand hangs in the database', async () => {
      const gate = await shutGate(world.services.config.databaseUrl);
      const worker = await startWorkerProcess(world);
      try {
        const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
        const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [
          { sku: `${FAULT.wait}1`, nodeName: 'Disk' },
        ]);
        await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
        await gate.reached();
        const askedAt = Date.now();
        worker.process.kill('SIGTERM');
        assert.equal((await worker.end).code, 0);
        assert.ok(Date.now() - askedAt < PLATFORM_GIVES_MS);
        await world.startWorkers();
        await gate.open();
        assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
      } finally {
        await gate.open();
        worker.process.kill('SIGKILL');
      }
    });
  });
});
