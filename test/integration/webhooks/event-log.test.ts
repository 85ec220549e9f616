import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const AT = '2026-02-03T04:05:06.789Z';

describe('POST /api/v2/webhook/event/query', function () {
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

  const hear = async (over = {}): Promise<string> =>
    (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody(over) })).webhookId;
  const emit = async (over = {}): Promise<string> => {
    const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { order: 17 }, ...over };
    return (await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } })).body
      .eventRequestId;
  };
  const query = (body: unknown = {}, options: CallOptions = {}) =>
    shop.ask('POST', '/api/v2/webhook/event/query', { ...options, body });
  const idsOf = async (body: unknown, options: CallOptions = {}): Promise<string[]> =>
    (await query(body, options)).webhookEventLogs.map((log: { eventRequestId: string }) => log.eventRequestId);

  /** Notes an attempt as whoever makes it does. */
  async function attempted(eventId: string, webhookId: string, status: string, codes: readonly (number | null)[]) {
    const [delivery] = await world
      .db('delivery')
      .where({ event_id: eventId, definition_id: webhookId })
      .update({ status, attempts: codes.length })
      .returning('id');
    const attempts = codes.map((status_code, index) => ({
      delivery_id: delivery.id,
      attempt: index + 1,
      outcome: status_code === 200 ? 'delivered' : status_code === null ? 'time-out' : 'http-status',
      status_code,
      error: status_code === null ? 'no answer within 15 s' : null,
      duration_ms: 12,
      response: status_code === null ? null : 'thanks',
      triggered_at: new Date(Date.parse(AT) + index * 1000),
      definition_version: 1,
    }));
    if (attempts.length > 0) await world.db('delivery_attempt').insert(attempts);
  }

  it('tells of each event its deliveries, and of each of them its attempts', async () => {
    const [one, other] = [await hear(), await hear()];
    const eventRequestId = await emit({ orderNumber: 'A-17', channel: 3 });
    await attempted(eventRequestId, one, 'DELIVERED', [null, 500, 200]);
    const answer = await query();
    const [log] = answer.webhookEventLogs;
    assert.deepEqual([answer.count, answer.limit, answer.offset], [1, 10, 0]);
    const { firstEventTriggeredAt, lastEventTriggeredAt, logs, ...rest } = log;
    assert.deepEqual(rest, {
      eventRequestId,
      tenantId: shop.account,
      channel: 3,
      source: 'OMS',
      event: 'ORDER_CREATED',
      orderNumber: 'A-17',
      payload: { order: 17 },
      status: 'PENDING',
      retryCount: 2,
    });
    assert.ok(lastEventTriggeredAt >= firstEventTriggeredAt);
    const byId = new Map(logs.map((entry: { webhookId: string }) => [entry.webhookId, entry]));
    const answered = { durationMs: 12, errorMessage: null, response: 'thanks' };
    assert.deepEqual(byId.get(one), {
      webhookId: one,
      status: 'DELIVERED',
      responseInfo: [
        { statusCode: null, triggeredAt: AT, durationMs: 12, errorMessage: 'no answer within 15 s', response: null },
        { statusCode: 500, triggeredAt: '2026-02-03T04:05:07.789Z', ...answered },
        { statusCode: 200, triggeredAt: '2026-02-03T04:05:08.789Z', ...answered },
      ],
    });
    assert.deepEqual(byId.get(other), { webhookId: other, status: 'PENDING', responseInfo: [] });
  });

  it('says what came of an event as a whole', async () => {
    const [one, other] = [await hear(), await hear()];
    const statusAfter = async (...statuses: [string, string]) => {
      const id = await emit();
      await attempted(id, one, statuses[0], []);
      await attempted(id, other, statuses[1], []);
      return (await query({ filters: { eventRequestId: id } })).webhookEventLogs[0].status;
    };
    assert.equal(await statusAfter('DELIVERED', 'DELIVERED'), 'DELIVERED');
    assert.equal(await statusAfter('DELIVERED', 'DEAD'), 'FAILED');
    assert.equal(await statusAfter('CANCELLED', 'DELIVERED'), 'CANCELLED');
    assert.equal(await statusAfter('PENDING', 'DEAD'), 'PENDING');
    const unheard = await emit({ event: 'UNHEARD' });
    assert.equal((await query({ filters: { eventRequestId: unheard } })).webhookEventLogs[0].status, 'IGNORED');
  });

  it('finds them by each filter, and by several', async () => {
    const one = await hear();
    const shipped = await hear({ events: ['ORDER_SHIPPED'] });
    const created = await emit({ orderNumber: 'A-1', channel: 7 });
    const ship = await emit({ event: 'ORDER_SHIPPED' });
    const price = await emit({ source: 'PRICE_SERVICE', event: 'PRICED' });
    await attempted(created, one, 'DEAD', [500]);
    for (const [filters, found] of [
      [{}, [price, ship, created]],
      [{ eventRequestId: ship }, [ship]],
      [{ event: 'ORDER_CREATE' }, [created]],
      [{ source: 'PRICE_SERVICE' }, [price]],
      [{ channel: 7 }, [created]],
      [{ orderNumber: 'A-1' }, [created]],
      [{ webhookId: shipped }, [ship]],
      [{ status: 'FAILED' }, [created]],
      [{ status: 'FAILED', webhookId: shipped }, []],
      [{ status: 'PENDING' }, [ship]],
      [{ tenantId: shop.account, until: '2020-01-01T00:00:00Z' }, []],
      [{ since: '2020-01-01T00:00:00Z', source: 'OMS' }, [ship, created]],
    ] as const) {
      assert.deepEqual(await idsOf({ filters }), found, JSON.stringify(filters));
    }
    assert.deepEqual(await idsOf({}, { context: { channel: 8 } }), [price, ship]);
    assert.deepEqual(await idsOf({}, { context: { stage: 'test' } }), []);
  });

  it('sorts them, and answers in parts', async () => {
    const ids = [await emit({ event: 'B' }), await emit({ event: 'A' }), await emit({ event: 'C' })] as const;
    assert.deepEqual(await idsOf({ sortDirection: 'ASC' }), ids);
    assert.deepEqual(await idsOf({ sortBy: 'event', sortDirection: 'asc' }), [ids[1], ids[0], ids[2]]);
    assert.deepEqual(await idsOf({ sortBy: 'event', sortDirection: 'DESC', offset: 1, limit: 1 }), [ids[0]]);
    assert.equal((await query({ limit: 1 })).count, 3);
  });

  it('leaves payloads out where a page of them would be too large', async () => {
    const payload = 'x'.repeat(250_000);
    const count = 18;
    for (let n = 0; n < count; n++) await emit({ payload });
    const { webhookEventLogs } = await query({ limit: 100 });
    const told = webhookEventLogs.filter((log: { payload: string | null }) => log.payload === payload);
    assert.equal(told.length, 16);
    assert.deepEqual([webhookEventLogs.length, webhookEventLogs[17].payloadOmitted], [count, true]);
  });

  it('answers 400 and 403 with {message}', async () => {
    for (const [body, status] of [
      [{ filters: { colour: 'red' } }, 400],
      [{ filters: { status: 'DEAD' } }, 400],
      [{ filters: { since: 'yesterday' } }, 400],
      [{ limit: 101 }, 400],
      [{ sortBy: 'payload' }, 400],
      [{ filters: { tenantId: newId() } }, 403],
    ] as const) {
      const answer = await shop.call('POST', '/api/v2/webhook/event/query', { body });
      assert.equal(answer.status, status, JSON.stringify(body));
      assert.deepEqual(Object.keys(answer.body), ['message']);
    }
  });
});
