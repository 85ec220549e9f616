import assert from 'node:assert/strict';
import { fanOutPage } from '../../../src/domain/webhooks/fan-out.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';
import { emptyQueues, waitingJobs } from '../../support/worlds/queue-state.js';

const MANY = 120;
const BATCH_CHARACTERS = 22;

describe('the first attempts of an event', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    let receiver: Receiver;
    beforeEach(async () => {
      world = await DeliveryWorld.start({ redisUrl: backend.redisUrl, environment: { WEBHOOK_TIMEOUT_SECONDS: '60' } });
      receiver = await startReceiver(answerWith(204));
    });
    afterEach(async () => {
      await receiver.stop();
      await world.stop();
    });

    async function heardByMany(): Promise<void> {
      const { siteId, account } = await world.shop();
      const { secretsKeys } = world;
      await insertDefinitions(world.db, { siteId, account, count: MANY, target: receiver.url, secretsKeys });
    }

    /** Emits an event to all of them, and creates its deliveries as the queue job of its fan-out does. */
    async function emitToMany(event: object = {}): Promise<string> {
      const [eventId = ''] = await world.emit([event]);
      const { producer, logger } = world.jobs.services;
      const { outboxEntries } = await fanOutPage(world.db, { eventId, dispatch: 1 });
      await enqueueEntries(producer, outboxEntries, logger);
      return eventId;
    }

    const allEnd = (eventId: string) =>
      until(
        'all deliveries have ended',
        async () => (await world.deliveriesOf(eventId)).every(({ completed_at }) => completed_at !== null),
        30_000,
      );

    it('are a job of the queue for fifty deliveries, whose ids begin alike; a hook for the job itself is among them', async () => {
      await heardByMany();
      const eventId = await emitToMany({ callbackUrl: `${receiver.url}/callback` });
      const batches = new Map<string, number>();
      for (const { id } of await world.deliveriesOf(eventId)) {
        const batch = id.slice(0, BATCH_CHARACTERS);
        batches.set(batch, (batches.get(batch) ?? 0) + 1);
      }
      assert.deepEqual([...batches.values()].sort(), [1, 20, 50, 50]);
      assert.equal(await waitingJobs(world.jobs.services.producer, 'deliver-batch'), batches.size);
      await world.jobs.startWorkers({}, ['webhook']);
      await allEnd(eventId);
      assert.equal(receiver.received.length, MANY + 1);
    });

    it('leave the batch one by one where an endpoint has to wait: nobody waits for another, no attempt is spent', async () => {
      await world.hear(`${receiver.url}/slow`, { rateLimit: 1 });
      await world.hear(`${receiver.url}/other`);
      await world.jobs.startWorkers({}, ['webhook']);
      const eventIds = await world.emit([{}, {}, {}]);
      for (const eventId of eventIds) await allEnd(eventId);
      const made = (await Promise.all(eventIds.map((id) => world.deliveriesOf(id)))).flat();
      const byDispatch = (dispatch: number) => made.filter((delivery) => delivery.dispatch === dispatch).length;
      assert.deepEqual([byDispatch(1), byDispatch(2)], [4, 2]);
      assert.deepEqual([...new Set(made.map(({ attempts, status }) => `${attempts} ${status}`))], ['1 DELIVERED']);
      assert.equal(receiver.received.length, 6);
      const paths = receiver.received.map(({ path }) => path);
      assert.ok(paths.lastIndexOf('/other') < paths.lastIndexOf('/slow'), paths.join());
    });

    it('are retried by their schedule while another endpoint of the batch does not answer', async () => {
      let release = () => {};
      const answered: string[] = [];
      const mixed = await startReceiver((response, { path }) => {
        answered.push(path);
        if (path === '/hangs') release = () => response.writeHead(204).end();
        else response.writeHead(answered.filter((one) => one === path).length === 1 ? 500 : 204).end();
      });
      try {
        await world.hear(`${mixed.url}/hangs`);
        await world.hear(`${mixed.url}/fails-once`);
        const [eventId = ''] = await world.emit();
        await world.jobs.startWorkers({}, ['webhook']);
        const delivered = async () =>
          (await world.deliveriesOf(eventId)).filter(({ status }) => status === 'DELIVERED');
        await until('the retry is made', async () => (await delivered()).length === 1, 20_000);
        assert.deepEqual(answered.sort(), ['/fails-once', '/fails-once', '/hangs']);
        assert.deepEqual(
          (await world.deliveriesOf(eventId)).map(({ attempts }) => attempts).sort(),
          [0, 2],
          'the other is still under way',
        );
        release();
        await allEnd(eventId);
      } finally {
        await mixed.stop();
      }
    });

    it('do not run ahead of what is recorded by more than five times what may be in flight', async () => {
      const { services } = world.jobs;
      const deliveryConcurrency = 10;
      const most = 5 * deliveryConcurrency;
      const config = { ...services.config, webhooks: { ...services.config.webhooks, deliveryConcurrency } };
      await heardByMany();
      const [eventId = ''] = await world.emit();
      const trx = await world.db.transaction();
      try {
        await trx.raw('LOCK TABLE delivery_attempt IN EXCLUSIVE MODE');
        await world.jobs.startWorkers({ config }, ['webhook']);
        await until('as many are sent as may be', () => receiver.received.length >= most, 20_000);
        const isExceeded = until('more are sent', () => receiver.received.length > most, 1_000);
        await assert.rejects(isExceeded, /more are sent/);
      } finally {
        await trx.rollback();
      }
      await allEnd(eventId);
      assert.equal(receiver.received.length, MANY);
    });

    it('are not asked for again while their batch is on the queue, and one by one once it is lost', async () => {
      const { services } = world.jobs;
      await heardByMany();
      const eventId = await emitToMany();
      const outboxEntries = async () => new Set((await world.deliveriesOf(eventId)).map(({ dispatch }) => dispatch));
      const makeOverdue = () =>
        world
          .db('delivery')
          .where({ event_id: eventId })
          .update({
            dispatched_at: world.db.raw("now() - interval '1 hour'"),
            next_attempt_at: world.db.raw("now() - interval '1 hour'"),
          });
      await makeOverdue();
      await reconcile(services);
      assert.deepEqual(await outboxEntries(), new Set([1]));
      await emptyQueues(services.producer, backend);
      await makeOverdue();
      await reconcile(services);
      assert.deepEqual(await outboxEntries(), new Set([2]));
      assert.equal(await waitingJobs(services.producer, 'deliver-webhook'), MANY);
      await world.jobs.startWorkers({}, ['webhook']);
      await allEnd(eventId);
      assert.equal(receiver.received.length, MANY);
    });
  });
});
