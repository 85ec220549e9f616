import assert from 'node:assert/strict';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('POST /api/v2/event', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  beforeEach(async () => {
    shop = await world.newShop();
  });
  after(() => world.stop());

  const emit = (over: Readonly<Record<string, unknown>> = {}, { headers, context }: CallOptions = {}) =>
    shop.call('POST', '/api/v2/event', {
      body: { source: 'OMS', event: 'ORDER_CREATED', payload: { orderNumber: '17' }, ...over },
      headers: { 'tenant-key': shop.account, ...headers },
      ...(context === undefined ? {} : { context }),
    });
  const hear = async (over = {}, options: CallOptions = {}) =>
    shop.ask('POST', '/api/v2/webhook', { ...options, body: webhookBody(over) });
  const eventsKept = () => world.db('event').where({ site_id: shop.siteId }).orderBy('id');

  it('answers 202 with the id and how many hear it, and keeps the event for each of them', async () => {
    await hear();
    await hear({ events: ['*'] });
    const { status, body } = await emit({ orderNumber: '17', channel: 3 });
    assert.equal(status, 202);
    assert.match(body.eventRequestId, /^[0-9a-f]{24}$/);
    assert.deepEqual(body, { eventRequestId: body.eventRequestId, deliveries: 2 });
    const [event] = await eventsKept();
    assert.deepEqual(
      [event.id, event.source, event.event, event.channel, event.order_number, event.payload, event.account_id],
      [body.eventRequestId, 'OMS', 'ORDER_CREATED', 3, '17', '{"orderNumber":"17"}', shop.account],
    );
    assert.equal((await world.db('delivery').where({ event_id: event.id })).length, 2);
  });

  it('takes an event that nobody hears, and any JSON value as its payload', async () => {
    for (const payload of [null, 0, '', [], { a: { b: [1.5] } }]) {
      const { status, body } = await emit({ payload });
      assert.deepEqual([status, body.deliveries], [202, 0]);
    }
    assert.deepEqual((await eventsKept()).map(({ payload }) => payload).sort(), [
      '""',
      '0',
      '[]',
      'null',
      '{"a":{"b":[1.5]}}',
    ]);
  });

  it('means ORDER_CREATED where it says ORDER_CREATE', async () => {
    await hear({ events: ['ORDER_CREATED'] });
    assert.equal((await emit({ event: 'ORDER_CREATE' })).body.deliveries, 1);
    assert.equal((await eventsKept())[0].event, 'ORDER_CREATED');
  });

  it('is for the stage and channel of x-site-context where one is sent; the body overrides the channel', async () => {
    await hear({}, { context: { channel: 7 } });
    assert.equal((await emit({}, { context: { channel: 7 } })).body.deliveries, 1);
    assert.equal((await emit({}, { context: { channel: 8 } })).body.deliveries, 0);
    assert.equal((await emit({ channel: 7 }, { context: { channel: 8 } })).body.deliveries, 1);
    assert.equal((await emit({ channel: 7 }, { context: { stage: 'test' } })).body.deliveries, 0);
  });

  it('answers the same to the same Idempotency-Key, and emits once', async () => {
    await hear();
    const headers = { 'idempotency-key': 'one' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => emit({}, { headers })));
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    assert.equal((await eventsKept()).length, 1);
    assert.equal((await emit({ event: 'OTHER' }, { headers })).status, 422);
  });

  describe('several at once', () => {
    const batch = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
      shop.call('POST', '/api/v2/event/batch', { body, headers: { 'tenant-key': shop.account, ...headers } });
    const one = (n: number, over = {}) => ({ source: 'OMS', event: 'ORDER_CREATED', payload: { n }, ...over });

    it('are emitted in order, each with its payload byte for byte, and once for an Idempotency-Key', async () => {
      await hear();
      const payloads = Array.from({ length: 45 }, (_, n) => `{ "n":${n}.10 }`);
      const body = `[${payloads.map((text) => `{"payload":${text},"source":"OMS","event":"ORDER_CREATED"}`).join(',')}]`;
      const key = { 'idempotency-key': 'batch' };
      const [first, again] = [await batch(body, key), await batch(body, key)];
      assert.deepEqual([first.status, first.body.deliveries], [202, 45]);
      assert.deepEqual(again.body, first.body);
      const kept = new Map((await eventsKept()).map(({ id, payload }) => [id, payload]));
      assert.deepEqual(
        first.body.eventRequestIds.map((id: string) => kept.get(id)),
        payloads,
      );
      assert.equal(kept.size, 45);
    });

    it('are emitted all or not at all: the answer names the one that is wrong', async () => {
      for (const [status, body, message] of [
        [400, [one(1), one(2, { event: 'PING' })], /^1\.event: PING is reserved/],
        [400, [one(1), { source: 'OMS', event: 'A' }], /1\.payload: is required/],
        [413, [one(1), one(2, { payload: 'x'.repeat(262_144) })], /^1\.payload: is larger/],
        [400, [], /./],
        [400, Array.from({ length: 101 }, (_, n) => one(n)), /./],
        [400, one(1), /./],
      ] as const) {
        const answer = await batch(body);
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        assert.match(answer.body.message, message);
      }
      assert.deepEqual(await eventsKept(), []);
    });
  });

  it('refuses names of events that Longshore emits itself, and keeps nothing', async () => {
    for (const [over, message] of [
      [{ source: 'CATALOG', event: 'ITEM_CREATED' }, /^source: CATALOG is reserved/],
      [{ source: 'CATALOG', event: 'ANYTHING' }, /^source: CATALOG is reserved/],
      [{ event: 'PING' }, /^event: PING is reserved/],
      [{ event: 'WEBHOOK_DISABLED' }, /^event: WEBHOOK_DISABLED is reserved/],
      [{ source: 'SHOP_SERVICE', event: 'WEBHOOK_DELIVERY_FAILED' }, /^event: WEBHOOK_DELIVERY_FAILED is reserved/],
    ] as const) {
      const { status, body } = await emit(over);
      assert.equal(status, 400, JSON.stringify(over));
      assert.match(body.message, message);
    }
    assert.deepEqual(await eventsKept(), []);
    assert.equal((await emit({ source: 'SHOP_SERVICE', event: 'ITEM_CREATED' })).status, 202);
  });

  it('answers 400, 413, 403 with {message}, and keeps nothing', async () => {
    const other = await world.newShop();
    for (const [expected, answer] of [
      [400, await emit({ source: 'elsewhere' })],
      [400, await emit({ event: 'order created' })],
      [400, await emit({ event: '*' })],
      [400, await emit({ payload: undefined })],
      [400, await emit({ channel: 'web' })],
      [400, await emit({}, { headers: { 'tenant-key': '' } })],
      [413, await emit({ payload: 'x'.repeat(256 * 1024) })],
      [403, await emit({}, { headers: { 'tenant-key': other.account } })],
    ] as const) {
      assert.equal(answer.status, expected, JSON.stringify(answer.body));
      assert.deepEqual(Object.keys(answer.body), ['message']);
    }
    assert.equal((await emit({ payload: 'x'.repeat(256 * 1024 - 2) })).status, 202);
    assert.equal((await eventsKept()).length, 1);
  });
});
