/** What the workers promise of a queue, on each engine. */
import assert from 'node:assert/strict';
import { QueueEvents } from 'bullmq';
import { watchConnections } from '../../../db/connection-watch.js';
import { openQueueConnection } from '../../../src/platform/queue-connection.js';
import { fanOutEvent } from '../../../src/queues/contracts/fan-out-event.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { workerPools } from '../../../src/workers/connections.js';
import { startWorkers } from '../../../src/workers/start-workers.js';
import { openShutLine } from '../../support/faults/shut-line.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

describe('the workers', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    after(() => world.stop());

    it('work once the engine accepts connections that refused them when they were made', async () => {
      const { config, logger, producer } = world.services;
      const line = await openShutLine(backend.redisUrl ?? config.databaseUrl);
      const urls = backend.redisUrl === undefined ? { databaseUrl: line.url } : { redisUrl: line.url };
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const { consuming: poolMax } = workerPools(config);
      const queue = openQueueConnection({ ...config, ...urls, role: 'worker', poolMax, onConnect, logger });
      const workers = startWorkers(world.services, queue, new Set(BULK_ONLY));
      try {
        await line.refused();
        // A worker whose loop called again and again would let no timer, and so nothing of this test, go on.
        await until('the process goes on', async () => true, 5_000);
        line.open();
        const shop = await world.newShop();
        const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [{ sku: 'a', nodeName: 'Nowhere' }]);
        await enqueueEntries(producer, outboxEntries, logger);
        const hasEnded = async () =>
          (await world.db('job').where({ id: jobId }).whereNotNull('completed_at').first()) !== undefined;
        await until('the job has ended', hasEnded, 20_000);
      } finally {
        await workers.stop();
        await queue.close();
        await line.close();
      }
    });

    it('let others follow the events of a queue', async () => {
      const { config, logger, producer } = world.services;
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const following = openQueueConnection({ ...config, role: 'worker', poolMax: 2, onConnect, logger });
      const { connection, prefix, backendFactory } = following;
      const events = new QueueEvents(fanOutEvent.name, { connection, prefix }, backendFactory);
      const errors: Error[] = [];
      let dispatch = 0;
      events.on('error', (error) => errors.push(error));
      const workers = await world.startWorkers();
      try {
        await events.waitUntilReady();
        const completed = new Set<string>();
        events.on('completed', ({ jobId }) => completed.add(jobId));
        // Only what happens after the first look is followed, and nothing says when that was.
        await until(
          'an event is followed',
          async () => {
            dispatch += 1;
            const payload = { eventId: 'e'.repeat(24), dispatch };
            await producer.enqueue(fanOutEvent, payload);
            return completed.size > 0;
          },
          20_000,
        );
        assert.deepEqual(errors, []);
      } finally {
        await workers.stop();
        await events.close();
        await following.close();
      }
    });

    const itOnPostgres = backend.name === 'postgres' ? it : () => undefined;
    itOnPostgres('share one connection that is notified of jobs, and open another one when it is lost', async () => {
      const { producer, logger } = world.services;
      const workers = await world.startWorkers();
      const notified = async (): Promise<number[]> => {
        const { rows } = await world.db.raw<{ rows: { pid: number }[] }>(
          `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE '%LISTEN bullmq_jobs%' AND pid <> pg_backend_pid()`,
        );
        return rows.map(({ pid }) => pid);
      };
      const execute = async (sku: string) => {
        const { jobId, outboxEntries } = await world.acceptRows(shop, 'upsert', [{ sku, nodeName: 'Nowhere' }]);
        await enqueueEntries(producer, outboxEntries, logger);
        const hasEnded = async () =>
          (await world.db('job').where({ id: jobId }).whereNotNull('completed_at').first()) !== undefined;
        await until(`the job of ${sku} has ended`, hasEnded, 5_000);
      };
      const shop = await world.newShop();
      try {
        await execute('a');
        const [first, ...more] = await notified();
        assert.ok(first !== undefined);
        assert.deepEqual(more, []);
        await world.db.raw('SELECT pg_terminate_backend(?)', [first]);
        // Within less than a worker would wait before it looks by itself.
        await execute('b');
        await until('another connection', async () => (await notified()).some((pid) => pid !== first), 5_000);
        await execute('c');
        assert.equal((await notified()).length, 1);
      } finally {
        await workers.stop();
      }
    });

    it('keep the last 200 finished jobs of each queue, and at most a hundred more', async () => {
      const { producer } = world.services;
      const queue = producer.queues().find(({ name }) => name === fanOutEvent.name) ?? assert.fail('no such queue');
      // Events that do not exist, so that there is nothing to do.
      const payloads = Array.from({ length: 450 }, (_, nth) => ({
        eventId: String(nth).padStart(24, '0'),
        dispatch: 1,
      }));
      const workers = await world.startWorkers();
      try {
        for (const payload of payloads) await producer.enqueue(fanOutEvent, payload);
        const isIdle = async () =>
          Object.values(await queue.getJobCounts('waiting', 'active')).every((count) => count === 0);
        await until('all jobs have finished', isIdle, 20_000);
      } finally {
        await workers.stop();
      }
      const kept = new Set((await queue.getCompleted(0, 1_000)).map(({ id }) => id));
      assert.ok(kept.size >= 200 && kept.size <= 300, `${kept.size} are kept`);
      const lastIds = payloads.slice(-190).map((payload) => fanOutEvent.jobId(payload));
      assert.deepEqual(
        lastIds.filter((id) => !kept.has(id)),
        [],
      );
    });
  });
});
