import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { BATCH_DELIVERIES } from '../../../src/domain/webhooks/delivery-rows/delivery-batch.js';
import { FAN_OUT_PAGE } from '../../../src/domain/webhooks/events/fan-out-statement.js';
import type { EventRecord } from '../../../src/domain/webhooks/events/new-event.js';
import { recordEvents } from '../../../src/domain/webhooks/events/record-events.js';
import { fanOutPage } from '../../../src/domain/webhooks/fan-out.js';
import { recordFanOutFailure } from '../../../src/domain/webhooks/fan-out-failure.js';
import { firstEntries } from '../../../src/domain/webhooks/first-entries.js';
import { OverdueFanOuts, redispatchFanOut } from '../../../src/domain/webhooks/overdue-fan-outs.js';
import { replayEvent } from '../../../src/domain/webhooks/replay-event.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { createHandlers } from '../../../src/workers/index.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

const MANY = 10_000;
/** Enough for several pages. */
const FEWER = 3_000;

describe('who hears an event', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: World;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    after(() => world.stop());

    const emit = ({ siteId, account }: Shop, event: Partial<EventRecord> = {}) =>
      world.db.transaction((trx) =>
        recordEvents(trx, { siteId, accountId: account }, [
          { source: 'OMS', event: 'ORDER_CREATED', payload: '{}', ...event },
        ]),
      );

    async function heardBy(events: readonly string[], event: Partial<EventRecord>, channel: number | null = null) {
      const shop = await world.newShop();
      await insertDefinitions(world.db, { siteId: shop.siteId, account: shop.account, count: 1, events, channel });
      return (await emit(shop, event)).deliveries === 1;
    }

    it('is who named it, or every event of its source, or the other spelling of ORDER_CREATED', async () => {
      assert.equal(await heardBy(['ORDER_CREATED'], {}), true);
      assert.equal(await heardBy(['ORDER_SHIPPED', 'ORDER_CREATED'], {}), true);
      assert.equal(await heardBy(['*'], {}), true);
      assert.equal(await heardBy(['ORDER_CREATE'], {}), true);
      assert.equal(await heardBy(['ORDER_CREATED'], { event: 'ORDER_CREATE' }), true);
      assert.equal(await heardBy(['ORDER_SHIPPED'], {}), false);
      assert.equal(await heardBy(['*'], { source: 'CATALOG' }), false);
    });

    it('is, of definitions made under a channel, who was made under the channel of the event', async () => {
      assert.equal(await heardBy(['*'], { channel: 7 }, 7), true);
      assert.equal(await heardBy(['*'], { channel: 8 }, 7), false);
      assert.equal(await heardBy(['*'], {}, 7), false);
      assert.equal(await heardBy(['*'], { channel: 7 }, null), true);
    });

    it('is nobody of another site, and nobody who is disabled', async () => {
      const [shop, other] = [await world.newShop(), await world.newShop()];
      await insertDefinitions(world.db, { siteId: other.siteId, account: other.account, count: 1 });
      await insertDefinitions(world.db, { siteId: shop.siteId, account: shop.account, count: 1 });
      await world.db('webhook_definition').where({ site_id: shop.siteId }).update({ status: 'DISABLED' });
      assert.deepEqual(await emit(shop).then(({ deliveries, outboxEntries }) => [deliveries, outboxEntries]), [0, []]);
    });

    it('is told with the transaction that emits, or not at all', async () => {
      const shop = await world.newShop();
      const { siteId, account: accountId } = shop;
      await insertDefinitions(world.db, { siteId, account: accountId, count: 3 });
      const failed = world.db.transaction(async (trx) => {
        await recordEvents(trx, { siteId, accountId }, [{ source: 'OMS', event: 'ORDER_CREATED', payload: '{}' }]);
        throw new Error('the work failed');
      });
      await assert.rejects(failed, /the work failed/);
      assert.deepEqual(await world.db('event').where({ site_id: siteId }), []);
      assert.deepEqual(await world.db('delivery').where({ site_id: siteId }), []);
    });

    it('is a callback too, once, whoever else hears the event', async () => {
      const shop = await world.newShop();
      const { deliveries, outboxEntries, eventIds } = await emit(shop, { callbackUrl: 'https://shop.example/done' });
      assert.deepEqual([deliveries, outboxEntries.length], [0, 1]);
      const [delivery] = await world.db('delivery').where({ event_id: eventIds[0] });
      assert.deepEqual(
        [delivery.callback_url, delivery.definition_id, delivery.status, delivery.attempts],
        ['https://shop.example/done', null, 'PENDING', 0],
      );
    });

    it('is told by the transaction that emits if it is one of few, and otherwise by a job of the account', async () => {
      const shop = await world.newShop();
      const { siteId, account } = shop;
      await insertDefinitions(world.db, { siteId, account, count: BATCH_DELIVERIES });
      const few = await emit(shop);
      assert.deepEqual(
        few.outboxEntries.map(({ queue, payload }) => [queue, 'account' in payload && payload.account]),
        [['batch', account]],
      );
      await insertDefinitions(world.db, { siteId, account, count: 1 });
      const many = await emit(shop);
      const eventId = many.eventIds[0] ?? '';
      assert.deepEqual(many.outboxEntries, [{ queue: 'fan-out', payload: { eventId, dispatch: 1, account } }]);
      assert.deepEqual(await world.db('delivery').where({ event_id: eventId }), []);
      assert.deepEqual(await firstEntries(world.db, many.eventIds), many.outboxEntries);
      const page = await fanOutPage(world.db, { eventId, dispatch: 1 });
      assert.deepEqual(
        page.outboxEntries.map(({ queue, payload }) => [queue, 'account' in payload && payload.account]),
        [
          ['batch', account],
          ['batch', account],
        ],
      );
    });

    describe('of thousands of definitions', () => {
      async function emitToMany(count: number): Promise<{
        shop: Shop;
        eventId: string;
        outboxEntries: Awaited<ReturnType<typeof emit>>['outboxEntries'];
        count: number;
      }> {
        const shop = await world.newShop();
        await insertDefinitions(world.db, { siteId: shop.siteId, account: shop.account, count });
        const { deliveries, outboxEntries, eventIds } = await emit(shop);
        assert.equal(deliveries, count);
        const payload = { eventId: eventIds[0], dispatch: 1, account: shop.account };
        assert.deepEqual(outboxEntries, [{ queue: 'fan-out', payload }]);
        return { shop, eventId: eventIds[0] ?? '', outboxEntries, count };
      }

      async function assertEachOnce({
        shop,
        eventId,
        count,
      }: {
        shop: Shop;
        eventId: string;
        count: number;
      }): Promise<void> {
        const result = await world.db.raw(
          `SELECT count(*)::integer AS made, count(DISTINCT definition_id)::integer AS heard FROM delivery
           WHERE event_id = ? AND status = 'PENDING' AND definition_id IN (SELECT id FROM webhook_definition WHERE site_id = ?)`,
          [eventId, shop.siteId],
        );
        assert.deepEqual(result.rows[0], { made: count, heard: count });
        const event = await world.db('event').where({ id: eventId }).first();
        assert.equal(event.deliveries, count);
      }

      const isFannedOut = async (eventId: string) =>
        (await world.db('event').where({ id: eventId }).whereNotNull('fanned_out_at').first()) !== undefined;

      it(`each of ${MANY} is told once`, async () => {
        const emitted = await emitToMany(MANY);
        const workers = await world.startWorkers({}, ['webhook']);
        await enqueueEntries(world.services.producer, emitted.outboxEntries, world.services.logger);
        await until('all are told', () => isFannedOut(emitted.eventId), 30_000);
        await workers.stop();
        await assertEachOnce(emitted);
      });

      it('each is told once where the worker stops between two pages, and where the queue never knew', async () => {
        const emitted = await emitToMany(FEWER);
        const payload = { eventId: emitted.eventId, dispatch: 1 };
        for (let page = 1; page <= 2; page++) await fanOutPage(world.db, payload);
        await until(
          'it is overdue',
          async () => {
            await reconcile(world.services);
            return (await world.db('event').where({ id: emitted.eventId }).first()).dispatch > 1;
          },
          10_000,
        );
        await handlers.fanOutEvent.run(world.services, payload, new AbortController().signal);
        assert.equal(await isFannedOut(emitted.eventId), false, 'the old dispatch no longer counts');
        const { dispatch } = await world.db('event').where({ id: emitted.eventId }).first();
        await handlers.fanOutEvent.run(world.services, { ...payload, dispatch }, new AbortController().signal);
        await assertEachOnce(emitted);
      });

      it('is found again when the queue has lost it, however many fan-outs of others wait there', async () => {
        const [other, shop] = [await world.newShop(), await world.newShop()];
        const event = (id: string, { siteId, account }: Shop, minutesAgo: number) => ({
          ...{
            id,
            site_id: siteId,
            account_id: account,
            source: 'OMS',
            event: 'ORDER_CREATED',
            payload: '{}',
            dispatch: 1,
          },
          dispatched_at: new Date(Date.now() - minutesAgo * 60_000),
        });
        const waiting = Array.from({ length: 600 }, () => event(newId(), other, 3));
        const lost = event(newId(), shop, 2);
        await world.db('event').insert([...waiting, lost]);
        const entries = waiting.map(({ id }) => ({ queue: 'fan-out' as const, payload: { eventId: id, dispatch: 1 } }));
        await enqueueEntries(world.services.producer, entries, world.services.logger);
        const position = new OverdueFanOuts();
        const passes = [];
        for (let pass = 0; pass < 3; pass++) passes.push(await reconcile(world.services, undefined, position));
        assert.deepEqual(passes, [0, 1, 0]);
        const ids = [...waiting, lost].map(({ id }) => id);
        const rows = await world.db('event').whereIn('id', ids).where('dispatch', '>', 1).select('id', 'dispatch');
        assert.deepEqual(rows, [{ id: lost.id, dispatch: 2 }]);
        await world
          .db('event')
          .whereIn('id', [lost.id, ...waiting.map(({ id }) => id)])
          .delete();
      });

      it('stays suspect once it was found without its worker, and is stopped by the third end of its own process', async () => {
        const { eventId, shop } = await emitToMany(FEWER);
        const { fanOutEvent } = handlers;
        const { account } = shop;
        await fanOutPage(world.db, { eventId, dispatch: 1 });
        await fanOutEvent.suspected?.(world.services, { eventId, dispatch: 1 });
        const [first] = await firstEntries(world.db, [eventId]).then((all) =>
          all.filter(({ queue }) => queue === 'fan-out'),
        );
        assert.deepEqual(first?.payload, { eventId, dispatch: 1, account, suspect: true });
        const lost = await redispatchFanOut(world.db, { queue: 'fan-out', payload: { eventId, dispatch: 1 } });
        assert.deepEqual(lost?.payload, { eventId, dispatch: 2, account, suspect: true });
        const again = await recordFanOutFailure(world.db, { eventId, dispatch: 2 }, null);
        assert.ok(again.kind === 'again');
        assert.deepEqual(again.entry.payload, { eventId, dispatch: 3, account, suspect: true });
        const payload = { eventId, dispatch: 3 };
        const death = { kind: 'death', how: 'SIGSEGV' } as const;
        await fanOutEvent.failed(world.services, { eventId, dispatch: 2 }, new Error('an outdated end'), death);
        for (let end = 1; end <= 2; end++)
          await fanOutEvent.failed(world.services, payload, new Error('it ended'), death);
        assert.equal(await isFannedOut(eventId), false);
        await fanOutEvent.failed(world.services, payload, new Error('it ended'), death);
        await fanOutEvent.run(world.services, payload, new AbortController().signal);
        const [shown] = await shownOf(shop, eventId);
        assert.equal(shown?.status, 'PENDING', 'deliveries that exist are made');
        assert.match(shown.statusMessage, /ended the process \(SIGSEGV\) each of 3 times.*replay the event/);
        await world.db('delivery').where({ event_id: eventId }).update({ status: 'DELIVERED', next_attempt_at: null });
        assert.equal((await shownOf(shop, eventId, { status: 'FAILED' }))[0]?.status, 'FAILED');
        assert.equal(
          await world
            .db('delivery')
            .where({ event_id: eventId })
            .first()
            .count('* AS made')
            .then(({ made }) => Number(made)),
          FAN_OUT_PAGE,
        );

        const [resumed] = await replayEvent(world.db, shop.siteId, { eventRequestId: eventId });
        assert.deepEqual(resumed, { queue: 'fan-out', payload: { eventId, dispatch: 4, account, suspect: true } });
        await fanOutEvent.run(world.services, { eventId, dispatch: 4 }, new AbortController().signal);
        const { deliveries, fan_out_error: error } = await world.db('event').where({ id: eventId }).first();
        assert.deepEqual([deliveries, error], [FEWER, null]);
      });

      async function shownOf(
        shop: Shop,
        eventRequestId: string,
        filters: object = {},
      ): Promise<{ status: string; statusMessage: string }[]> {
        const { webhookEventLogs } = await shop.ask('POST', '/api/v2/webhook/event/query', {
          body: { filters: { eventRequestId, ...filters } },
        });
        return webhookEventLogs;
      }

      it('each is told once by two who hold the same dispatch, and by one whose transaction is cut', async () => {
        const emitted = await emitToMany(FEWER);
        const payload = { eventId: emitted.eventId, dispatch: 1 };
        await world.db
          .transaction(async (trx) => {
            await fanOutPage(trx, payload);
            throw new Error('cut');
          })
          .catch(() => undefined);
        const run = () => handlers.fanOutEvent.run(world.services, payload, new AbortController().signal);
        await Promise.all([run(), run(), run()]);
        assert.equal(await isFannedOut(emitted.eventId), true);
        await assertEachOnce(emitted);
      });
    });
  });
});
