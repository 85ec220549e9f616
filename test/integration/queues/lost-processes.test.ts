/** Worker processes that are killed in the middle of a step: others execute it, although its lock has not expired. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { LostProcesses } from '../../../src/workers/maintenance/take-over.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** Neither the locks of the queue nor what is overdue helps within the time of the test. */
const PATIENT = {
  WORKER_LOCK_MS: '600000',
  WORKER_STALLED_MS: '600000',
  RECONCILE_GRACE_MS: '600000',
  RECONCILE_MS: '500',
} as const;
const WITHIN_MS = 40_000;
const ROWS = 1_500;

describe('the steps of a process that was killed', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    after(() => world.stop());

    it('are executed by others within seconds, each row once, and by themselves', async () => {
      const { db, producer, logger } = world.services;
      const shop = await world.newShop();
      const preparing = await world.startWorkers();
      await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await preparing.stop();
      const rows = Array.from({ length: ROWS }, (_, nth) => `s${nth},Disk,T${nth}`).join('\n');
      const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', `SKU,Category Node,Title\n${rows}\n`);
      const doomed = await startWorkerProcess(world, PATIENT);
      await db.transaction(async (trx) => {
        await trx.raw('LOCK TABLE item IN EXCLUSIVE MODE');
        await enqueueEntries(producer, outboxEntries, logger);
        const waits = () => db.from(db.raw(OWN_LOCKS)).where({ granted: false, locktype: 'relation' }).first();
        await until('it writes items', async () => (await waits()) !== undefined, WITHIN_MS);
        doomed.process.kill('SIGKILL');
        await doomed.end;
      });
      const other = await startWorkerProcess(world, PATIENT);
      const said = other.said(/a process was lost, and others execute its steps/);
      try {
        const job = await untilEnded(shop, jobId);
        await said;
        assert.deepEqual([job.status, job.progressTracker.createdCount], ['COMPLETED', ROWS]);
        assert.equal((await db('item').where({ site_id: shop.siteId })).length, ROWS);
      } finally {
        await other.stop('SIGTERM');
      }
    });

    it('are left alone when its heartbeat comes late, as after an outage of the database', async () => {
      const { db } = world.services;
      const [late] = await db('process_heartbeat')
        .insert({ id: crypto.randomUUID(), groups: '{bulk}', host: 'h', pid: 1, version: 'v' })
        .returning('id');
      const age = (seconds: number) =>
        db('process_heartbeat')
          .where(late)
          .update({ seen_at: db.raw("now() - ? * interval '1 second'", [seconds]) });
      const returned: string[][] = [];
      const counting = {
        ...world.services.producer,
        returnSteps: async (processes: ReadonlySet<string>) => {
          returned.push([...processes]);
          return 0;
        },
      };
      const services = { ...world.services, producer: counting };
      let now = 0;
      const lost = new LostProcesses(() => now);
      await age(8);
      await lost.takeOver(services);
      await age(0);
      now = 3_000;
      await lost.takeOver(services);
      await age(8);
      now = 5_000;
      await lost.takeOver(services);
      assert.ok(!returned.flat().includes(late.id), 'it was never seen to be lost for long');
      now = 9_500;
      await lost.takeOver(services);
      await lost.takeOver(services);
      assert.equal(returned.flat().filter((id) => id === late.id).length, 1, 'its steps are returned once');
    });
  });
});
