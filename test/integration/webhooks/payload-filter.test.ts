/** Definitions with a filter get only events whose payload passes it: no delivery is created for the others. */
import assert from 'node:assert/strict';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import { type Receiver, startReceiver } from '../../support/http/receiver.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';

const WITHIN_MS = 60_000;

describe('the filter of a definition', function () {
  this.timeout(90_000);
  let world: DeliveryWorld;
  let receiver: Receiver;
  let shop: Shop;
  before(async () => {
    const environment = { WEBHOOK_TIMEOUT_SECONDS: '60' };
    world = await DeliveryWorld.start({ environment });
    await world.jobs.startWorkers({}, ['webhook', 'bulk']);
    shop = await world.shop();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await world.forgetDefinitions();
    receiver.received.length = 0;
  });
  after(async () => {
    await world.stop();
    await receiver.stop();
  });

  /** Sends texts, because numbers must not lose their digits on the way. */
  const request = (method: string, path: string, body?: string) =>
    shop.call(method, path, { body, headers: { 'tenant-key': shop.account } });
  const post = (path: string, body: string) => request('POST', path, body);
  const define = async (filter: string, over: Record<string, unknown> = {}) => {
    const target = `${receiver.url}/${crypto.randomUUID()}`;
    const body = JSON.stringify(webhookBody({ target, ...over })).replace(/\}$/, `,"filter":${filter}}`);
    return post('/api/v2/webhook', body);
  };
  const emit = async (payload: string) =>
    (await post('/api/v2/event', `{"source":"OMS","event":"ORDER_CREATED","payload":${payload}}`)).body;

  const CASES: readonly (readonly [filter: string, passing: readonly string[], others: readonly string[]])[] = [
    ['{"path":"/status","equals":"PAID"}', ['{"status":"PAID"}'], ['{"status":"OPEN"}', '{}', '[]', '"PAID"', 'null']],
    ['{"path":"/n","equals":1.1}', ['{"n":1.10}', '{"n":11e-1}'], ['{"n":"1.1"}', '{"n":1.1000000000000000001}']],
    [
      '{"path":"/n","equals":12345678901234567890}',
      ['{"n":12345678901234567890}'],
      ['{"n":12345678901234567891}', '{"n":12345678901234567000}'],
    ],
    [
      '{"path":"/n","in":[1e400,null,true]}',
      ['{"n":1e400}', '{"n":null}', '{"n":true}'],
      ['{"n":1e401}', '{"n":"true"}'],
    ],
    [
      '{"path":"/a/0/b~1c","exists":true}',
      ['{"a":[{"b/c":null}]}', '{"a":{"0":{"b/c":1}}}'],
      ['{"a":[{"b":{"c":1}}]}'],
    ],
    ['{"path":"/deleted","exists":false}', ['{}', '{"a":1}'], ['{"deleted":null}']],
    [
      '{"all":[{"path":"/a","equals":1},{"any":[{"path":"/b","equals":2},{"path":"/c","exists":true}]}]}',
      ['{"a":1,"b":2}', '{"a":1,"c":0}'],
      ['{"a":1}', '{"b":2,"c":3}', '{"a":2,"b":2}'],
    ],
    [
      '{"path":"/changed","contains":"Price"}',
      ['{"changed":["Colour","Price"]}', '{"changed":["Price"]}'],
      [
        '{"changed":[]}',
        '{"changed":["price"]}',
        '{"changed":[["Price"]]}',
        '{"changed":"Price"}',
        '{"changed":{"0":"Price"}}',
      ],
    ],
    // What Postgres cannot compare passes, so that no event is lost.
    ['{"path":"/a","equals":1}', ['{"a":2,"n":1e200000}'], []],
  ];

  it('lets pass what its conditions say, and nothing else; the last of equal members counts', async () => {
    for (const [filter, passing, others] of CASES) {
      const made = await define(filter);
      assert.equal(made.status, 200, made.text);
      assert.ok(made.text.includes(`"filter":${filter}`), 'it is shown as it was sent');
      for (const payload of passing) assert.equal((await emit(payload)).deliveries, 1, `${filter} ${payload}`);
      for (const payload of others) assert.equal((await emit(payload)).deliveries, 0, `${filter} ${payload}`);
      await world.forgetDefinitions();
    }
    await define('{"path":"/a","equals":1}');
    assert.equal((await emit('{"a":2,"a":1}')).deliveries, 1);
  });

  it('creates no delivery for an event that does not pass, and delivers the others', async () => {
    const { webhookId } = (await define('{"path":"/status","in":["PAID","SHIPPED"]}')).body;
    const all = (await define('null')).body.webhookId;
    const paid = await emit('{"status":"PAID"}');
    const open = await emit('{"status":"OPEN"}');
    assert.deepEqual([paid.deliveries, open.deliveries], [2, 1]);
    await until('three are delivered', () => receiver.received.length === 3, WITHIN_MS);
    const rows = await world
      .db('delivery')
      .whereIn('definition_id', [webhookId, all])
      .select('event_id', 'definition_id');
    const of = (id: string) => rows.filter((row) => row.definition_id === id).map((row) => row.event_id);
    assert.deepEqual(of(webhookId), [paid.eventRequestId]);
    assert.equal(of(all).length, 2);
    const stored = await world
      .db('event')
      .whereIn('id', [paid.eventRequestId, open.eventRequestId])
      .orderBy('deliveries');
    assert.deepEqual(
      stored.map(({ deliveries }) => deliveries),
      [1, 2],
    );
  });

  it('is changed and removed by PATCH, which accepts the filter of an answer', async () => {
    const filter = '{ "path": "/n", "equals": 1.10 }';
    const { webhookId } = (await define(filter)).body;
    const patch = (body: string) => request('PATCH', `/api/v2/webhook/${webhookId}`, body);
    const { text } = await request('GET', `/api/v2/webhook/${webhookId}`);
    assert.ok(text.includes(`"filter":${filter}`), text);
    assert.equal((await patch(`{"filter":${filter}}`)).status, 200);
    assert.equal((await emit('{"n":2}')).deliveries, 0);
    assert.equal((await patch('{"apiVersion":""}')).status, 200);
    assert.equal((await emit('{"n":2}')).deliveries, 0);
    assert.equal((await patch('{"filter":null}')).body.filter, null);
    assert.equal((await emit('{"n":2}')).deliveries, 1);
  });

  it('decides what a replay of ignored events delivers; a retry of one event to it delivers all the same', async () => {
    const since = new Date().toISOString();
    const { webhookId } = (await define('{"path":"/n","equals":1}')).body;
    const other = (await emit('{"n":2}')).eventRequestId;
    await shop.ask('PATCH', `/api/v2/webhook/${webhookId}`, { body: { collectHours: 0 } });
    await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/disable`);
    await emit('{"n":1}');
    await emit('{"n":2}');
    await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/enable`);
    const range = { webhookId, since, outcomes: ['IGNORED'], dryRun: true };
    assert.equal((await shop.call('POST', '/api/v2/webhook/retry', { body: range })).body.deliveries, 1);
    const one = { eventRequestId: other, webhookId };
    assert.equal((await shop.call('POST', '/api/v2/webhook/retry', { body: one })).body.deliveries, 1);
  });

  it('is evaluated for an event with very many subscribers too, when its deliveries are created', async () => {
    const { siteId, account } = shop;
    const { secretsKeys } = world;
    await insertDefinitions(world.db, { siteId, account, count: 1_010, target: receiver.url, secretsKeys });
    await WebhookDefinition.query(world.db).patch({ filter: '{"path":"/n","equals":1}' }).where('target', 'like', '%7');
    const count = (await world.db('webhook_definition').whereNull('filter')).length;
    assert.ok(count < 1_010);
    const { eventRequestId } = await emit('{"n":2}');
    const stored = () => world.db('event').where({ id: eventRequestId }).first();
    await until('it is fanned out', async () => (await stored()).fanned_out_at !== null, WITHIN_MS);
    assert.equal((await stored()).deliveries, count);
    const delivered = () => world.db('delivery').where({ event_id: eventRequestId, status: 'DELIVERED' });
    await until('all are delivered', async () => (await delivered()).length === count, WITHIN_MS);
    assert.equal((await world.deliveriesOf(eventRequestId)).length, count);
  });

  const REFUSED: readonly (readonly [filter: string, message: RegExp])[] = [
    ['"PAID"', /filter: expected \{"path"/],
    ['{}', /filter: expected \{"path"/],
    ['{"path":"/a"}', /filter: expected \{"path"/],
    ['{"path":"/a","matches":"x"}', /filter: expected \{"path"/],
    ['{"path":"/a","equals":1,"exists":true}', /filter: expected \{"path"/],
    ['{"path":"status","equals":1}', /filter\.path: expected a JSON pointer/],
    ['{"path":"/a//b","equals":1}', /filter\.path: contains an empty step|filter\.path: has an empty step/],
    ['{"path":"/a~2","equals":1}', /filter\.path: contains ~ alone/],
    ['{"path":"/a/-1","equals":1}', /filter\.path: positions in a list count from 0/],
    [`{"path":"${'/a'.repeat(11)}","equals":1}`, /filter\.path: has more than 10 steps/],
    ['{"path":"/a","equals":[1]}', /filter\.equals: expected a text/],
    ['{"path":"/a","in":[]}', /filter\.in: expected a list/],
    ['{"path":"/a","contains":[1]}', /filter\.contains: expected a text, a number/],
    ['{"path":"/a","exists":1}', /filter\.exists: expected true or false/],
    ['{"all":[]}', /filter\.all: expected a list/],
    [
      '{"all":[{"any":[{"all":[{"path":"/a","equals":1}]}]}]}',
      /filter\.all\.0\.any\.0: all is nested more than 2 deep/,
    ],
    ['{"path":"/a","equals":1e2000}', /filter: contains a number whose exponent/],
    [`{"any":[${Array(21).fill('{"path":"/a","equals":1}').join()}]}`, /filter: has 21 conditions; at most 20/],
    [`{"path":"/a","equals":"${'x'.repeat(8_000)}"}`, /filter: is longer than 8000 characters/],
  ];

  it('is refused with what is wrong and where', async () => {
    for (const [filter, message] of REFUSED) {
      const { status, body, text } = await define(filter);
      assert.equal(status, 400, `${filter}: ${text}`);
      assert.match(body.message, message);
    }
  });
});
