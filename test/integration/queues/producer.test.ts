/** What the producer promises of a queue, on each engine. */
import assert from 'node:assert/strict';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { watchConnections } from '../../../db/connection-watch.js';
import { openQueueConnection } from '../../../src/platform/queue-connection.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import { createProducer, type Producer } from '../../../src/queues/producer.js';
import { openShutLine } from '../../support/faults/shut-line.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { until } from '../../support/until.js';
import { waitingJobs } from '../../support/worlds/queue-state.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the producer', function () {
  this.timeout(30_000);

  forEachBackend((backend) => {
    let world: World;
    let producer: Producer;
    let number = 0;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      producer = world.services.producer;
    });
    after(() => world.stop());
    beforeEach(async () => {
      await Promise.all(producer.queues().map((queue) => queue.drain(true)));
    });

    const payload = () => ({ jobId: String(++number).padStart(24, '0'), dispatch: 1 });

    it('enqueues one job for one payload, however often it is told', async () => {
      const one = payload();
      await Promise.all([producer.enqueue(planJob, one), producer.enqueueMany(planJob, [one, one, payload()])]);
      assert.equal(await waitingJobs(producer, planJob.name), 2);
    });

    it('refuses a payload that does not fit, and enqueues none of the others', async () => {
      const wrong = { jobId: 'x' } as unknown as ReturnType<typeof payload>;
      await assert.rejects(producer.enqueueMany(planJob, [payload(), wrong]));
      assert.equal(await waitingJobs(producer, planJob.name), 0);
    });

    it('knows what waits, what is delayed and what the queue never had', async () => {
      const [waiting, delayed, unknown] = [payload(), payload(), payload()];
      await producer.enqueue(planJob, waiting);
      await producer.enqueueMany(planJob, [delayed], 60_000);
      assert.equal(await producer.isPending(planJob, waiting), true);
      assert.equal(await producer.isPending(planJob, delayed), true);
      assert.equal(await producer.isPending(planJob, unknown), false);
    });

    it('takes what failed for done with, and enqueues its next dispatch', async () => {
      const { config, logger } = world.services;
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const queue = openQueueConnection({ ...config, role: 'worker', poolMax: 4, onConnect, logger });
      const fail = async () => {
        throw new Error('no');
      };
      const worker = new Worker(planJob.name, fail, { ...queue, removeOnFail: { age: 60 } }, queue.backendFactory);
      worker.on('error', () => undefined);
      try {
        const one = payload();
        await producer.enqueue(planJob, one);
        await until('it has failed', async () => !(await producer.isPending(planJob, one)), 10_000);
        const next = { ...one, dispatch: 2 };
        // A paused worker may still pick up one job.
        await worker.close();
        await producer.enqueue(planJob, next);
        assert.equal(await producer.isPending(planJob, next), true);
        assert.equal(await producer.isPending(planJob, one), false, 'a failed job that is kept is not pending');
      } finally {
        await worker.close();
        await queue.close();
      }
    });

    it('enqueues once the engine accepts connections that refused them when the producer was made', async () => {
      const { config, logger } = world.services;
      const line = await openShutLine(backend.redisUrl ?? config.databaseUrl);
      const urls = backend.redisUrl === undefined ? { databaseUrl: line.url } : { redisUrl: line.url };
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const queue = openQueueConnection({ ...config, ...urls, role: 'producer', poolMax: 3, onConnect, logger });
      const young = createProducer(queue, () => undefined);
      const before = young.queues();
      try {
        await line.refused();
        await assert.rejects(young.enqueue(planJob, payload()));
        await assert.rejects(young.ping());
        line.open();
        const one = payload();
        await until('it enqueues', () => succeeds(young.enqueue(planJob, one)), 10_000);
        await until('it is ready', () => succeeds(young.ping()), 10_000);
        assert.equal(await young.isPending(planJob, one), true);
        if (backend.redisUrl === undefined) assert.notEqual(young.queues(), before, 'the dashboard gets the new ones');
        assert.equal(young.queues(), young.queues());
      } finally {
        await young.close();
        await queue.close();
        await line.close();
      }
    });

    it('enqueues for real when it is pinged, and nothing grows by it', async () => {
      const { config, logger } = world.services;
      const { add: onConnect } = watchConnections({ url: config.databaseUrl });
      const connection = openQueueConnection({ ...config, role: 'producer', poolMax: 3, onConnect, logger });
      const queue = new Queue('readiness-probe', connection, connection.backendFactory);
      try {
        // What a probe leaves behind that was interrupted two minutes ago, and one that is under way.
        await queue.add('left', {}, { delay: 3_600_000, timestamp: Date.now() - 120_000 });
        const underWay = await queue.add('under way', {}, { delay: 3_600_000 });
        const young = createProducer(connection, () => undefined);
        for (let ping = 0; ping < 60; ping++) await young.ping();
        const ids = (await queue.getJobs(['delayed', 'waiting', 'failed', 'completed'])).map(({ id }) => id);
        assert.deepEqual(ids, [underWay.id]);
        const kept = await events(config.queuePrefix);
        assert.ok(kept > 0 && kept <= 200, `${kept} events are kept`);
        await young.close();
      } finally {
        await queue.close();
        await connection.close();
      }
    });

    async function events(prefix: string): Promise<number> {
      if (backend.redisUrl === undefined) {
        const { rows } = await world.db.raw(
          "SELECT count(*) AS kept FROM bullmq.event WHERE queue = 'readiness-probe'",
        );
        return rows[0].kept;
      }
      const redis = new Redis(backend.redisUrl);
      try {
        return await redis.xlen(`${prefix}:readiness-probe:events`);
      } finally {
        redis.disconnect();
      }
    }

    it('knows how long the next job of each group has waited, delays apart', async () => {
      assert.deepEqual([...(await producer.waits())], []);
      await producer.enqueueMany(planJob, [payload()], 60_000);
      assert.deepEqual([...(await producer.waits())], []);
      const beganAt = Date.now();
      await producer.enqueue(planJob, payload());
      await until('it has waited', async () => ((await producer.waits()).get('bulk') ?? 0) > 20, 5_000);
      assert.ok(((await producer.waits()).get('bulk') ?? 0) <= Date.now() - beganAt + 10);
    });

    it('keeps ids and states on the queue, and no content', async () => {
      await producer.enqueue(planJob, payload());
      const queue = producer.queues().find(({ name }) => name === planJob.name);
      const [job] = (await queue?.getJobs(['waiting'])) ?? [];
      assert.deepEqual(Object.keys(job?.data ?? {}).sort(), ['dispatch', 'jobId']);
    });
  });
});

function succeeds(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => true,
    () => false,
  );
}
