import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { replayPage } from '../../../src/domain/replays/replay-page.js';
import { createHandlers } from '../../../src/workers/index.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

const RETRY = '/api/v2/webhook/retry';

describe('POST /api/v2/webhook/retry', function () {
  this.timeout(30_000);
  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    beforeEach(async () => {
      shop = await world.newShop();
    });
    after(() => world.stop());

    const hear = async (): Promise<string> =>
      (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() })).webhookId;
    const emit = async (): Promise<string> => {
      const body = { source: 'OMS', event: 'ORDER_CREATED', payload: {} };
      return (await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } })).body
        .eventRequestId;
    };
    const retry = (body: unknown) => shop.call('POST', RETRY, { body });
    /** Ends a delivery as whoever attempts it does. */
    const ended = (eventId: string, webhookId: string, status: string) =>
      world
        .db('delivery')
        .where({ event_id: eventId, definition_id: webhookId })
        .update({ status, attempts: 10, next_attempt_at: null, completed_at: world.db.fn.now() });
    const deliveryOf = (eventId: string, webhookId: string) =>
      world.db('delivery').where({ event_id: eventId, definition_id: webhookId }).first();

    describe('one event', () => {
      it('is delivered again where it failed, with the whole schedule and attempts that go on counting', async () => {
        const [dead, cancelled, done] = [await hear(), await hear(), await hear()];
        const eventRequestId = await emit();
        await ended(eventRequestId, dead, 'DEAD');
        await ended(eventRequestId, cancelled, 'CANCELLED');
        await ended(eventRequestId, done, 'DELIVERED');
        const answer = await retry({ eventRequestId });
        assert.deepEqual([answer.status, answer.body], [202, { eventRequestId, deliveries: 2 }]);
        for (const id of [dead, cancelled]) {
          const { status, lane, attempts, round_start, dispatch, completed_at } = await deliveryOf(eventRequestId, id);
          assert.deepEqual(
            [status, lane, attempts, round_start, dispatch, completed_at],
            ['PENDING', 'again', 10, 10, 2, null],
          );
        }
        assert.equal((await deliveryOf(eventRequestId, done)).status, 'DELIVERED');
        assert.equal((await retry({ eventRequestId })).body.deliveries, 0);
      });

      it('is delivered again to one definition, though it was delivered, or though the definition is younger', async () => {
        const webhookId = await hear();
        const eventRequestId = await emit();
        await ended(eventRequestId, webhookId, 'DELIVERED');
        assert.equal((await retry({ eventRequestId, webhookId })).body.deliveries, 1);
        assert.equal((await deliveryOf(eventRequestId, webhookId)).status, 'PENDING');
        const younger = await hear();
        assert.equal((await retry({ eventRequestId, webhookId: younger })).body.deliveries, 1);
        const { status, attempts, lane } = await deliveryOf(eventRequestId, younger);
        assert.deepEqual([status, attempts, lane], ['PENDING', 0, 'again']);
      });

      it('has its next attempt now where it waits for it; an attempt that is due is not doubled', async () => {
        const webhookId = await hear();
        const eventRequestId = await emit();
        assert.equal((await retry({ eventRequestId, webhookId })).body.deliveries, 0);
        await world
          .db('delivery')
          .where({ event_id: eventRequestId })
          .update({ attempts: 3, next_attempt_at: new Date(Date.now() + 3_600_000) });
        assert.equal((await retry({ eventRequestId, webhookId })).body.deliveries, 1);
        const { attempts, round_start, next_attempt_at } = await deliveryOf(eventRequestId, webhookId);
        assert.deepEqual([attempts, round_start], [3, 0]);
        assert.ok(next_attempt_at <= new Date());
      });

      it('is not delivered where the definition is disabled or gone', async () => {
        const [disabled, gone] = [await hear(), await hear()];
        const eventRequestId = await emit();
        await shop.ask('POST', `/api/v2/webhook/${disabled}/actions/disable`);
        await shop.ask('DELETE', `/api/v2/webhook/${gone}`);
        assert.equal((await retry({ eventRequestId })).body.deliveries, 0);
        const answer = await retry({ eventRequestId, webhookId: disabled });
        assert.deepEqual([answer.status, Object.keys(answer.body)], [409, ['message']]);
      });

      it('is not found under an id that is none, or of another account', async () => {
        const eventRequestId = await emit();
        const other = await world.newShop();
        for (const answer of [
          await retry({ eventRequestId: newId() }),
          await retry({ eventRequestId: 'x' }),
          await other.call('POST', RETRY, { body: { eventRequestId } }),
        ]) {
          assert.equal(answer.status, 404);
          assert.deepEqual(answer.body, { message: 'No webhook event present for the given eventRequest Id' });
        }
        const answer = await retry({ eventRequestId, webhookId: newId() });
        assert.deepEqual(answer.body, { message: 'No webhook definition present for the given webhook Id' });
      });
    });

    describe('a range', () => {
      const SINCE = '2026-03-01T00:00:00Z';
      const UNTIL = '2026-04-01T00:00:00Z';

      /** Dead deliveries, one a minute from SINCE on. */
      async function failedDeliveries(webhookId: string, count: number): Promise<void> {
        await world.db.raw(
          `INSERT INTO delivery (event_id, definition_id, site_id, status, attempts, next_attempt_at, created_at, completed_at)
           SELECT lpad(to_hex(n), 24, '0'), :webhookId, :siteId, CASE n % 3 WHEN 0 THEN 'CANCELLED' ELSE 'DEAD' END, 10, NULL,
                  :since::timestamptz + n * interval '1 minute', now()
           FROM generate_series(0, :count::integer - 1) AS n`,
          { webhookId, siteId: shop.siteId, since: SINCE, count },
        );
      }
      const pending = async (webhookId: string) =>
        (await world.db('delivery').where({ definition_id: webhookId, status: 'PENDING' })).length;
      const ask = async (webhookId: string, over = {}) => {
        const answer = await retry({ since: SINCE, webhookId, status: 'FAILED', ...over });
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        assert.equal(answer.headers.get('location'), `/jobs/${answer.body.jobId}`);
        return answer.body.jobId as string;
      };
      const job = (id: string) => shop.ask('GET', `/jobs/${id}`);

      it('is replayed by a job, each delivery once, and no other', async () => {
        const [webhookId, other] = [await hear(), await hear()];
        await failedDeliveries(webhookId, 1_200);
        await failedDeliveries(other, 5);
        const workers = await world.startWorkers({}, ['webhook']);
        const id = await ask(webhookId, { until: '2026-03-01T18:20:00Z' });
        await until('the job has ended', async () => (await job(id)).completedAt !== null, 20_000);
        await workers.stop();
        const { status, type, progressTracker } = await job(id);
        assert.deepEqual(
          [status, type, progressTracker.totalCount, progressTracker.updatedCount],
          ['COMPLETED', 'WEBHOOK_REPLAY', 1_100, 1_100],
        );
        assert.deepEqual([await pending(webhookId), await pending(other)], [1_100, 0]);
        const again = await world
          .db('delivery')
          .where({ definition_id: webhookId, status: 'PENDING' })
          .whereNot({ dispatch: 2 });
        assert.deepEqual(again, []);
      });

      it('goes on where it was when its worker was killed or the queue lost it', async () => {
        const webhookId = await hear();
        await failedDeliveries(webhookId, 1_200);
        const jobId = await ask(webhookId);
        const cut = world.db.transaction(async (trx) => {
          await replayPage(trx, { jobId, dispatch: 1 });
          throw new Error('cut off before the commit');
        });
        await assert.rejects(cut, /cut off/);
        assert.equal(await pending(webhookId), 0);
        assert.equal((await replayPage(world.db, { jobId, dispatch: 1 })).outboxEntries.length, 500);
        await Promise.all(
          world.services.producer.queues().map((queue) => queue.obliterate({ force: true }).then(() => queue.resume())),
        );
        await until(
          'it is dispatched anew',
          async () => {
            await reconcile(world.services);
            return (await world.db('job').where({ id: jobId }).first()).dispatch > 1;
          },
          10_000,
        );
        await handlers.replayDeliveries.run(world.services, { jobId, dispatch: 1 }, new AbortController().signal);
        assert.equal(await pending(webhookId), 500, 'the old dispatch no longer counts');
        const { dispatch } = await world.db('job').where({ id: jobId }).first();
        const run = () =>
          handlers.replayDeliveries.run(world.services, { jobId, dispatch }, new AbortController().signal);
        await Promise.all([run(), run()]);
        const { status, progressTracker } = await job(jobId);
        assert.deepEqual(
          [status, progressTracker.totalCount, progressTracker.updatedCount],
          ['COMPLETED', 1_200, 1_200],
        );
        assert.equal(await pending(webhookId), 1_200);
      });

      it('does not begin anew what ends again while it runs', async () => {
        const webhookId = await hear();
        await failedDeliveries(webhookId, 700);
        const jobId = await ask(webhookId);
        await replayPage(world.db, { jobId, dispatch: 1 });
        await world
          .db('delivery')
          .where({ definition_id: webhookId, status: 'PENDING' })
          .update({ status: 'CANCELLED', completed_at: world.db.fn.now() });
        assert.equal((await replayPage(world.db, { jobId, dispatch: 1 })).kind, 'ended');
        assert.equal((await job(jobId)).progressTracker.updatedCount, 700);
      });

      describe('by what became of the events', () => {
        const emitOf = async (event: string, orderNumber: string): Promise<string> => {
          const body = { source: 'OMS', event, orderNumber, payload: {} };
          const answer = await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } });
          return answer.body.eventRequestId;
        };
        const count = async (webhookId: string, over: object) =>
          (await retry({ since: '2026-01-01T00:00:00Z', webhookId, dryRun: true, ...over })).body.deliveries;
        const replay = async (webhookId: string, over: object) => {
          const { jobId } = (await retry({ since: '2026-01-01T00:00:00Z', webhookId, ...over })).body;
          while ((await replayPage(world.db, { jobId, dispatch: 1 })).kind === 'more');
          return (await job(jobId)).progressTracker.updatedCount;
        };

        it('brings what a definition missed while it was disabled, and counts it first', async () => {
          const { webhookId } = await shop.ask('POST', '/api/v2/webhook', {
            body: webhookBody({ events: ['ORDER_CREATED', 'ORDER_SHIPPED'], collectHours: 0 }),
          });
          const waiting = await emitOf('ORDER_CREATED', 'A');
          await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/disable`);
          const missed = [await emitOf('ORDER_CREATED', 'A'), await emitOf('ORDER_SHIPPED', 'B')];
          await emitOf('ORDER_OTHER', 'A');
          assert.equal((await retry({ since: SINCE, webhookId, outcomes: ['IGNORED'], dryRun: true })).status, 409);
          await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/enable`);

          const outcomes = ['FAILED', 'CANCELLED', 'IGNORED'];
          assert.equal(await count(webhookId, { outcomes }), 3);
          assert.equal(await count(webhookId, { outcomes: ['IGNORED'] }), 2);
          assert.equal(await count(webhookId, { outcomes, event: 'ORDER_CREATE' }), 2);
          assert.equal(await count(webhookId, { outcomes, orderNumber: 'B' }), 1);
          assert.equal(await pending(webhookId), 0, 'counting delivers nothing');

          assert.equal(await replay(webhookId, { outcomes, orderNumber: 'B' }), 1);
          assert.equal((await deliveryOf(missed[1] ?? '', webhookId)).status, 'PENDING');
          assert.equal(await replay(webhookId, { outcomes }), 2);
          for (const id of [waiting, ...missed]) assert.equal((await deliveryOf(id, webhookId)).status, 'PENDING');
          assert.equal(await count(webhookId, { outcomes }), 0);
        });

        it('delivers again what was delivered, and nothing else', async () => {
          const webhookId = await hear();
          const [done, dead] = [await emit(), await emit()];
          await ended(done, webhookId, 'DELIVERED');
          await ended(dead, webhookId, 'DEAD');
          assert.equal(await replay(webhookId, { outcomes: ['DELIVERED'] }), 1);
          assert.equal((await deliveryOf(done, webhookId)).status, 'PENDING');
          assert.equal((await deliveryOf(dead, webhookId)).status, 'DEAD');
        });

        it('does not bring events of owners, or of another source, channel or account', async () => {
          const { webhookId } = await shop.ask('POST', '/api/v2/webhook', {
            body: webhookBody({ events: ['*'] }),
            context: { channel: 7 },
          });
          const row = { site_id: shop.siteId, account_id: shop.account, payload: '{}', fanned_out_at: new Date() };
          await world.db('event').insert([
            { ...row, id: newId(), source: 'OMS', event: 'WEBHOOK_DELIVERY_FAILED', channel: 7 },
            { ...row, id: newId(), source: 'CATALOG', event: 'JOB_COMPLETED', channel: 7 },
            { ...row, id: newId(), source: 'OMS', event: 'ORDER_CREATED', channel: 8 },
            { ...row, id: newId(), source: 'OMS', event: 'ORDER_CREATED', channel: 7 },
          ]);
          assert.equal(await count(webhookId, { outcomes: ['IGNORED'] }), 1);
        });
      });

      it('can be cancelled', async () => {
        const webhookId = await hear();
        await failedDeliveries(webhookId, 700);
        const jobId = await ask(webhookId);
        await replayPage(world.db, { jobId, dispatch: 1 });
        const { status, statusMessage } = await shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
        assert.deepEqual([status, /500 deliveries/.test(statusMessage)], ['CANCELLED', true]);
        assert.equal((await replayPage(world.db, { jobId, dispatch: 1 })).kind, 'stale');
        assert.equal(await pending(webhookId), 500);
      });

      it('can be cancelled while a page of it waits for a row', async () => {
        const webhookId = await hear();
        await failedDeliveries(webhookId, 700);
        const jobId = await ask(webhookId);
        await replayPage(world.db, { jobId, dispatch: 1 });
        const holding = await world.db.transaction();
        try {
          await holding('delivery').where({ definition_id: webhookId }).update({ attempts: 10 });
          const page = replayPage(world.db, { jobId, dispatch: 1 });
          page.catch(() => undefined);
          const waits = () =>
            world.db('pg_stat_activity').whereRaw("datname = current_database() AND wait_event_type = 'Lock'");
          await until('the page waits', async () => (await waits()).length > 0, 10_000);
          assert.equal((await shop.ask('POST', `/jobs/${jobId}/actions/cancel`)).status, 'CANCELLED');
          await assert.rejects(page, /terminat/);
        } finally {
          await holding.rollback();
        }
        assert.equal(await pending(webhookId), 500);
      });

      it('is refused where it is none, and where the definition is not there or disabled', async () => {
        const webhookId = await hear();
        for (const body of [
          {},
          { since: SINCE },
          { since: SINCE, webhookId },
          { since: SINCE, webhookId, status: 'DELIVERED' },
          { since: 'yesterday', webhookId, status: 'FAILED' },
          { since: SINCE, until: UNTIL, webhookId, status: 'FAILED', eventRequestId: newId() },
          { webhookId },
        ]) {
          const answer = await retry(body);
          assert.equal(answer.status, 400, JSON.stringify(body));
          assert.deepEqual(Object.keys(answer.body), ['message']);
        }
        assert.equal((await retry({ since: SINCE, webhookId: newId(), status: 'FAILED' })).status, 404);
        await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/disable`);
        assert.equal((await retry({ since: SINCE, webhookId, status: 'FAILED' })).status, 409);
      });
    });
  });
});
