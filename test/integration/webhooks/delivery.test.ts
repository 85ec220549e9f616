import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { VERSION } from '../../../src/platform/version.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { type Answer, answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

describe('a delivery', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    const receivers: Receiver[] = [];
    before(async () => {
      world = await DeliveryWorld.start({ redisUrl: backend.redisUrl });
      await world.jobs.startWorkers({}, ['webhook']);
    });
    afterEach(async () => {
      await world.forgetDefinitions();
      await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
    });
    after(() => world.stop());

    async function receiving(answer?: Answer): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    }

    it('brings the event, signed, to who hears it', async () => {
      const receiver = await receiving(answerWith(200, {}, 'thanks'));
      const { secret } = await world.hear(`${receiver.url}/hook?shop=1`, {
        targetApiKey: 'key-of-the-target',
        headers: { authorization: 'Basic b3du', 'x-team': 'shop' },
        apiVersion: '2',
      });
      const [eventId = ''] = await world.emit([
        { orderNumber: 'O-1', payload: '{"amount":10.10,"big":12345678901234567890}' },
      ]);
      const delivery = await world.ended(eventId);
      assert.deepEqual([delivery.status, delivery.attempts, delivery.status_code], ['DELIVERED', 1, 200]);
      const [got] = receiver.received;
      assert.ok(got !== undefined);
      assert.deepEqual(
        [got.method, got.path, got.headers['content-type'], got.headers['x-api-key'], got.headers['user-agent']],
        ['POST', '/hook?shop=1', 'application/json', 'key-of-the-target', `Longshore/${VERSION}`],
      );
      assert.equal(got.headers['webhook-id'], eventId);
      assert.deepEqual([got.headers.authorization, got.headers['x-team']], ['Basic b3du', 'shop']);
      const event = new Webhook(secret).verify(got.body, got.headers) as Record<string, unknown>;
      const { triggeredAt, ...rest } = event;
      assert.ok(!Number.isNaN(Date.parse(String(triggeredAt))));
      assert.deepEqual(rest, {
        eventRequestId: eventId,
        event: 'ORDER_CREATED',
        source: 'OMS',
        tenantId: (await world.shop()).account,
        channel: null,
        apiVersion: '2',
        orderNumber: 'O-1',
        payload: { amount: 10.1, big: Number('12345678901234567890') },
      });
      assert.ok(got.body.includes('"amount":10.10,"big":12345678901234567890'), 'the numbers keep their digits');
      const [attempt, ...others] = await world.attemptsOf(delivery.id);
      assert.deepEqual(others, []);
      assert.deepEqual([attempt?.outcome, attempt?.status_code, attempt?.response], ['delivered', 200, 'thanks']);
    });

    it('brings a payload byte for byte as it was sent: numbers, white space, escapes, keys that occur twice', async () => {
      const receiver = await receiving();
      const { secret } = await world.hear(receiver.url);
      const shop = await world.shop();
      const payload =
        '{ "id":12345678901234567890,"far":1e400, "price" : 1.10,\n"name":"\\u0041","a":1,"a":2,"__proto__":-0}';
      const { status, body } = await shop.call('POST', '/api/v2/event', {
        body: `{"source":"OMS", "payload" : ${payload} , "event":"ORDER_CREATED"}`,
        headers: { 'tenant-key': shop.account },
      });
      assert.equal(status, 202);
      await world.ended(body.eventRequestId);
      const [got] = receiver.received;
      assert.ok(got !== undefined);
      assert.ok(got.body.endsWith(`,"payload":${payload}}`), got.body);
      new Webhook(secret).verify(got.body, got.headers);
      const shown = await shop.call('POST', '/api/v2/webhook/event/query', { body: { limit: 1 } });
      assert.ok(shown.text.includes(`"payload":${payload},"status"`), shown.text);
    });

    it('names the event and its ids in headers where the method has no body', async () => {
      const receiver = await receiving();
      for (const requestType of ['GET', 'DELETE'] as const) {
        const { id } = await world.hear(receiver.url, { requestType, apiVersion: 'v 2' });
        const [eventId = ''] = await world.emit([{ orderNumber: 'Ø-1', channel: 7 }]);
        await world.ended(eventId);
        const { body = '', headers = {}, method } = receiver.received.at(-1) ?? {};
        assert.deepEqual([method, body], [requestType, '']);
        const named = Object.entries(headers).filter(([name]) => name.startsWith('longshore-'));
        const { 'longshore-triggered-at': at, ...rest } = Object.fromEntries(named);
        assert.ok(!Number.isNaN(Date.parse(at ?? '')));
        assert.deepEqual(rest, {
          'longshore-event': 'ORDER_CREATED',
          'longshore-event-request-id': eventId,
          'longshore-source': 'OMS',
          'longshore-tenant-id': (await world.shop()).account,
          'longshore-channel': '7',
          'longshore-order-number': '%C3%98-1',
          'longshore-api-version': 'v%202',
        });
        await world.db('webhook_definition').where({ id }).delete();
      }
    });

    it('is signed with the old secret too while it is replaced', async () => {
      const receiver = await receiving();
      const { id, secret } = await world.hear(receiver.url);
      const { secret: sealed } = await world.definition(id);
      const other = await world.hear(`${receiver.url}/other`, { events: ['NEVER'] });
      // The sealed text opens for its own definition only, so that the "new" secret is the old one here.
      await world
        .db('webhook_definition')
        .where({ id })
        .update({ previous_secret: sealed, previous_secret_until: new Date(Date.now() + 60_000) });
      const [eventId = ''] = await world.emit();
      await world.ended(eventId);
      const [got] = receiver.received;
      assert.equal(got?.headers['webhook-signature']?.split(' ').length, 2);
      assert.ok(new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {}));
      assert.throws(() => new Webhook(other.secret).verify(got?.body ?? '', got?.headers ?? {}));
    });

    it('with GET and DELETE carries headers only', async () => {
      const receiver = await receiving();
      const { secret } = await world.hear(receiver.url, { requestType: 'DELETE' });
      const [eventId = ''] = await world.emit();
      await world.ended(eventId);
      const [got] = receiver.received;
      assert.deepEqual([got?.method, got?.body, got?.headers['content-type']], ['DELETE', '', undefined]);
      assert.equal(got?.headers['webhook-id'], eventId);
      assert.match(
        new Webhook(secret).sign(eventId, new Date(Number(got?.headers['webhook-timestamp']) * 1000), ''),
        /^v1,/,
      );
    });

    it('that fails is made again, in the lane of those, under the same id', async () => {
      const receiver = await receiving((response, _, count) => response.writeHead(count < 3 ? 500 : 200).end());
      await world.hear(receiver.url);
      const [eventId = ''] = await world.emit();
      const delivery = await world.ended(eventId);
      assert.deepEqual([delivery.status, delivery.attempts, delivery.lane], ['DELIVERED', 3, 'again']);
      assert.deepEqual(
        receiver.received.map(({ headers }) => headers['webhook-id']),
        [eventId, eventId, eventId],
      );
      const attempts = await world.attemptsOf(delivery.id);
      assert.deepEqual(
        attempts.map(({ attempt, outcome, status_code, error }) => [attempt, outcome, status_code, error]),
        [
          [1, 'http-status', 500, 'answered 500'],
          [2, 'http-status', 500, 'answered 500'],
          [3, 'delivered', 200, null],
        ],
      );
    });

    it('is given up when the schedule has ended, and its owner is told where they asked to be', async () => {
      const receiver = await receiving(answerWith(500));
      const owner = await receiving();
      const { id, secret } = await world.hear(receiver.url, { callbackUrl: `${owner.url}/told` });
      const [eventId = ''] = await world.emit();
      const delivery = (await world.deliveriesOf(eventId))[0];
      await until('the owner is told', () => owner.received.length === 1, 30_000);
      const [{ status, attempts } = { status: '', attempts: 0 }] = await world.deliveriesOf(eventId);
      assert.deepEqual([status, attempts], ['DEAD', 3]);
      const [told] = owner.received;
      const { event, payload } = new Webhook(secret).verify(told?.body ?? '', told?.headers ?? {}) as {
        event: string;
        payload: unknown;
      };
      assert.equal(event, 'WEBHOOK_DELIVERY_FAILED');
      assert.deepEqual(payload, {
        webhookId: id,
        target: receiver.url,
        eventRequestId: eventId,
        deliveryId: delivery?.id,
        event: 'ORDER_CREATED',
        attempts: 3,
        statusCode: 500,
        error: 'answered 500',
      });
    });

    it('to an endpoint that says 410 disables it, cancels what waits, and tells of it', async () => {
      const receiver = await receiving(answerWith(410));
      const [owner, listener] = [await receiving(), await receiving()];
      const { id } = await world.hear(receiver.url, { callbackUrl: owner.url });
      await world.hear(listener.url, { events: ['WEBHOOK_DISABLED'] });
      await world
        .db('endpoint_health')
        .where({ definition_id: id })
        .update({ open_until: new Date(Date.now() + 60_000) });
      const [waiting = ''] = await world.emit();
      await until('it is put off', () => world.isPutOff(waiting), 30_000);
      await world.db('endpoint_health').where({ definition_id: id }).update({ open_until: null });
      const [gone = ''] = await world.emit();
      const delivery = await world.ended(gone);
      assert.deepEqual([delivery.status, delivery.status_code], ['DEAD', 410]);
      const definition = await world.definition(id);
      assert.deepEqual([definition.status, definition.disabled_reason], ['DISABLED', 'the target answered 410 Gone']);
      assert.equal((await world.ended(waiting)).status, 'CANCELLED');
      await until('who hears it is told', () => listener.received.length === 1, 30_000);
      await until('the owner is told', () => owner.received.length >= 2, 30_000);
      assert.equal(JSON.parse(listener.received[0]?.body ?? '').payload.webhookId, id);
      const events = owner.received.map(({ body }) => JSON.parse(body).event);
      assert.ok(events.includes('WEBHOOK_DISABLED') && events.includes('WEBHOOK_DELIVERY_FAILED'), String(events));
    });

    it('to an address that is not allowed spends an attempt and reaches nobody', async () => {
      await world.hear('http://169.254.169.254/latest/meta-data');
      const [eventId = ''] = await world.emit();
      const { id, status } = await world.ended(eventId);
      assert.equal(status, 'DEAD');
      const [attempt] = await world.attemptsOf(id);
      assert.deepEqual([attempt?.outcome, attempt?.error], ['blocked', 'blocked address 169.254.169.254 (metadata)']);
    });

    it('waits while the breaker is open, and tries the endpoint out when it may close', async () => {
      let well = false;
      const receiver = await receiving((response) => response.writeHead(well ? 200 : 500).end());
      const { id } = await world.hear(receiver.url);
      const events = await world.emit([{}, {}, {}]);
      await until('the breaker is open', async () => (await world.healthOf(id)).open_until !== null, 30_000);
      well = true;
      for (const eventId of events) await world.ended(eventId);
      await until('the breaker is closed', async () => (await world.healthOf(id)).open_until === null, 30_000);
      assert.equal((await world.healthOf(id)).failure_streak, 0);
    });

    it('to a definition that was disabled or deleted is cancelled', async () => {
      const receiver = await receiving();
      const { id } = await world.hear(receiver.url);
      await world.hear(`${receiver.url}/deleted`);
      const shop = await world.shop();
      await world.db.raw(
        `INSERT INTO event (id, site_id, account_id, source, event, payload) VALUES ('e-disabled', ?, ?, 'OMS', 'X', '{}')`,
        [shop.siteId, shop.account],
      );
      await world.db('webhook_definition').where({ id }).update({ status: 'DISABLED' });
      const before = new Date(Date.now() - 60_000);
      for (const definition_id of [id, 'deleted']) {
        await world.db('delivery').insert({
          ...{ event_id: 'e-disabled', definition_id, site_id: shop.siteId },
          ...{ next_attempt_at: before, dispatched_at: before },
        });
      }
      await world.jobs.startWorkers({}, ['maintenance']);
      await until(
        'both are cancelled',
        async () => (await world.deliveriesOf('e-disabled')).every(({ status }) => status === 'CANCELLED'),
        30_000,
      );
      assert.equal(receiver.received.length, 0);
    });
  });
});
