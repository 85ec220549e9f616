/** Definitions that are disabled go on collecting events for some time, and deliver them when they are enabled again. */
import assert from 'node:assert/strict';
import type { EventRecord } from '../../../src/domain/webhooks/events/new-event.js';
import { recordEvents } from '../../../src/domain/webhooks/events/record-events.js';
import { endCollecting } from '../../../src/domain/webhooks/release-collected.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';

const WITHIN_MS = 30_000;
const HOUR_MS = 3_600_000;
const FAR_MS = 100 * 365 * 24 * HOUR_MS;

describe('a disabled definition', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    let shop: Shop;
    let receiver: Receiver;
    let status: number;
    before(async () => {
      world = await DeliveryWorld.start({ redisUrl: backend.redisUrl });
      shop = await world.shop();
      await world.jobs.startWorkers({}, ['bulk', 'webhook']);
    });
    beforeEach(async () => {
      status = 204;
      receiver = await startReceiver((response) => response.writeHead(status).end());
    });
    afterEach(async () => {
      await world.forgetDefinitions();
      await world.db('delivery').delete();
      await receiver.stop();
    });
    after(() => world.stop());

    const act = (id: string, action: 'enable' | 'disable') =>
      shop.ask('POST', `/api/v2/webhook/${id}/actions/${action}`);
    const read = (id: string) => shop.ask('GET', `/api/v2/webhook/${id}`);
    const event = (number: number, over: Partial<EventRecord> = {}) => ({ payload: `{"number":${number}}`, ...over });
    const numbers = () => receiver.received.map(numberOf);
    const isCollected = async (eventId: string) => {
      const { status: state, attempts, next_attempt_at } = await world.deliveryOf(eventId);
      return state === 'PENDING' && attempts === 0 && (next_attempt_at?.getTime() ?? 0) > Date.now() + FAR_MS;
    };
    const deliveredAll = async (ids: readonly string[]) => {
      for (const id of ids) assert.equal((await world.ended(id)).status, 'DELIVERED');
    };

    it('collects events that it shows as its backlog, and delivers them when it is enabled', async () => {
      const { webhookId: id } = await shop.ask('POST', '/api/v2/webhook', {
        body: webhookBody({ target: receiver.url, collectHours: 5 }),
      });
      await act(id, 'disable');
      const headers = { 'tenant-key': shop.account };
      const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { number: 1 } };
      const emitted = await shop.call('POST', '/api/v2/event', { headers, body });
      assert.equal(emitted.status, 202, JSON.stringify(emitted.body));
      assert.equal(emitted.body.deliveries, 0, 'it does not get it now');
      const ids = [emitted.body.eventRequestId, ...(await world.emit([event(2), event(3)]))];
      for (const one of ids) assert.ok(await isCollected(one));

      const shown = await read(id);
      assert.deepEqual([shown.collectHours, shown.health.backlog, shown.health.nextAttemptAt], [5, 3, null]);
      assert.equal(Date.parse(shown.collectsUntil) - Date.parse(shown.disabledAt), 5 * HOUR_MS);
      assert.equal(await reconcile(world.jobs.services), 0, 'the queue has lost none of them');
      assert.equal(receiver.received.length, 0);

      const enabled = await act(id, 'enable');
      assert.deepEqual([enabled.status, enabled.disabledAt, enabled.collectsUntil], ['ACTIVE', null, null]);
      await deliveredAll(ids);
      assert.deepEqual(numbers().toSorted(), [1, 2, 3]);
    });

    it('collects what it misses after a 410', async () => {
      const { id } = await world.hear(receiver.url);
      status = 410;
      const [gone = ''] = await world.emit([event(1)]);
      await until('it is disabled', async () => (await world.definition(id)).status === 'DISABLED', WITHIN_MS);
      assert.equal((await world.deliveryOf(gone)).status, 'DEAD');
      const [missed = ''] = await world.emit([event(2)]);
      assert.ok(await isCollected(missed));
      status = 204;
      await act(id, 'enable');
      await deliveredAll([missed]);
      assert.deepEqual(numbers(), [1, 2]);
    });

    it('with ordering: key gets what it has collected before the later events of the same key', async () => {
      const { id } = await world.hear(receiver.url, { ordering: 'key' });
      await act(id, 'disable');
      const ids: string[] = [];
      for (const number of [1, 2, 3]) ids.push(...(await world.emit([event(number, { orderNumber: 'SO-1' })])));
      await world.db('webhook_definition').where({ id }).update({ status: 'ACTIVE' });
      // It is emitted before what was collected is released.
      ids.push(...(await world.emit([event(4, { orderNumber: 'SO-1' })])));
      await until('it waits', async () => (await world.deliveryOf(ids[3] ?? '')).waits_behind !== null, WITHIN_MS);
      assert.equal(receiver.received.length, 0);
      assert.equal((await shop.call('POST', `/api/v2/webhook/${id}/actions/resume`)).body.deliveries, 3);
      await deliveredAll(ids);
      assert.deepEqual(numbers(), [1, 2, 3, 4]);
    });

    it('collects events of the catalog, which are not even created where nobody listens', async () => {
      const body = webhookBody({ target: receiver.url, source: 'CATALOG', events: ['JOB_COMPLETED'] });
      const { webhookId: id } = await shop.ask('POST', '/api/v2/webhook', { body });
      await act(id, 'disable');
      await shop.define({ attributes: ['Title'] });
      const collected = async () => world.db('delivery').where({ definition_id: id, status: 'PENDING' });
      assert.equal((await collected()).length, 1);
      await act(id, 'enable');
      await until('it arrives', () => receiver.received.length === 1, WITHIN_MS);
    });

    it('collects nothing without hours, and cancels what it has collected when it gets none', async () => {
      const { id } = await world.hear(receiver.url, { collectHours: 0 });
      await act(id, 'disable');
      assert.equal((await read(id)).collectsUntil, null);
      const [unheard = ''] = await world.emit();
      assert.deepEqual(await world.deliveriesOf(unheard), []);
      const patch = (collectHours: number) =>
        shop.call('PATCH', `/api/v2/webhook/${id}`, { body: { collectHours } }).then(({ body }) => body);
      const { disabledAt, collectsUntil } = await patch(168);
      assert.equal(Date.parse(collectsUntil) - Date.parse(disabledAt), 168 * HOUR_MS);
      const [collected = ''] = await world.emit();
      assert.ok(await isCollected(collected));
      assert.equal((await patch(0)).collectsUntil, null);
      assert.equal((await world.deliveryOf(collected)).status, 'CANCELLED');
      for (const hours of [-1, 169, 1.5, null]) {
        const { status: answer, body } = await shop.call('PATCH', `/api/v2/webhook/${id}`, {
          body: { collectHours: hours },
        });
        assert.equal(answer, 400);
        assert.match(body.message, /collectHours/);
      }
    });

    it('can be changed with all that GET shows of it, and keeps what nobody sets', async () => {
      const { id } = await world.hear(receiver.url);
      await act(id, 'disable');
      const { updatedDate: _, ...shown } = await read(id);
      const patch = (body: unknown) => shop.call('PATCH', `/api/v2/webhook/${id}`, { body });
      const { status: answer, body } = await patch({ ...shown, rateLimit: 7 });
      assert.equal(answer, 200, JSON.stringify(body));
      const { health: _health, ...kept } = shown;
      const { updatedDate: _at, ...changed } = body;
      assert.deepEqual(changed, { ...kept, rateLimit: 7 });
      const refused = await patch({ collectsUntil: new Date().toISOString() });
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, /collectsUntil: cannot be changed: change collectHours instead/);
    });

    it('collects no longer when its time is over, and keeps what it has collected', async () => {
      const { id } = await world.hear(receiver.url);
      await act(id, 'disable');
      const [collected = ''] = await world.emit();
      await world
        .db('webhook_definition')
        .where({ id })
        .update({ collects_until: world.db.raw("now() - interval '1 s'") });
      const [late = ''] = await world.emit();
      assert.deepEqual(await world.deliveriesOf(late), []);
      assert.equal((await read(id)).collectsUntil, null);
      await endCollecting(world.db);
      assert.equal((await world.definition(id)).collects_until, null);
      await act(id, 'disable');
      await act(id, 'enable');
      await deliveredAll([collected]);
    });

    it('delivers what a transaction collects that commits after it was enabled', async () => {
      const { id } = await world.hear(receiver.url);
      await act(id, 'disable');
      const open = await world.db.transaction();
      const origin = { siteId: shop.siteId, accountId: shop.account };
      const late = { source: 'OMS', event: 'ORDER_CREATED', payload: '{"number":1}' };
      const { eventIds } = await recordEvents(open, origin, [late]);
      await act(id, 'enable');
      await open.commit();
      await endCollecting(world.db);
      await reconcile(world.jobs.services);
      await deliveredAll(eventIds);
      const released = world.db('webhook_definition').where({ id });
      await released.clone().update({ releases_until: world.db.raw("now() - interval '1 s'") });
      await endCollecting(world.db);
      assert.equal((await world.definition(id)).releases_until, null);
    });

    it('collects a delivery that was on its way to the queue when it was disabled', async () => {
      const { id } = await world.hear(receiver.url);
      const open = await world.db.transaction();
      const origin = { siteId: shop.siteId, accountId: shop.account };
      const late = { source: 'OMS', event: 'ORDER_CREATED', payload: '{"number":1}' };
      const { eventIds, outboxEntries } = await recordEvents(open, origin, [late]);
      await act(id, 'disable');
      await open.commit();
      const { producer, logger } = world.jobs.services;
      await enqueueEntries(producer, outboxEntries, logger);
      const [late1 = ''] = eventIds;
      await until('it is collected', () => isCollected(late1), WITHIN_MS);
      await act(id, 'enable');
      await deliveredAll(eventIds);
    });

    it('is one of very many subscribers, for which deliveries are created later', async () => {
      const { siteId, account } = shop;
      await insertDefinitions(world.db, {
        siteId,
        account,
        count: 1_000,
        target: 'http://127.0.0.1:9',
        secretsKeys: world.secretsKeys,
      });
      await world.db('webhook_definition').update({ status: 'DISABLED' });
      const { id } = await world.hear(receiver.url);
      await act(id, 'disable');
      await world
        .db('webhook_definition')
        .whereNot({ id })
        .update({ disabled_at: world.db.fn.now(), collects_until: world.db.raw("now() + interval '1 hour'") });
      const [eventId = ''] = await world.emit();
      const made = async () => (await world.db('event').where({ id: eventId }).first()).fanned_out_at !== null;
      await until('it is fanned out', made, WITHIN_MS);
      const rows = await world.deliveriesOf(eventId);
      assert.equal(rows.length, 1_001);
      assert.ok(rows.every(({ next_attempt_at }) => (next_attempt_at?.getTime() ?? 0) > Date.now() + FAR_MS));
      await act(id, 'enable');
      await until('it arrives', () => receiver.received.length === 1, WITHIN_MS);
    });
  });
});

function numberOf({ body }: Received): number {
  return JSON.parse(body).payload.number;
}
