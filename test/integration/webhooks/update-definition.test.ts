/**
 * The operation "Update webhook definition" as the interface description has it, sentence by sentence.
 * Nothing is emitted, so the queue has no part in it.
 */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { type CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** The texts of the interface document, to the letter. */
const NOT_THERE = { message: 'No webhook definition present for the given webhook Id' };
const DUPLICATE = {
  message: 'Webhook Definition with target, tenantId, protocol, source, apiVersion already exists!',
};
/** "Success response: the updated webhook definition" has these fields. */
const FIELDS = [
  'target',
  'protocol',
  'source',
  'events',
  'requestType',
  'webhookId',
  'tenantId',
  'targetApiKey',
  'apiVersion',
  'format',
  'callbackUrl',
  'createdDate',
  'updatedDate',
] as const;

describe('PATCH {base_url}/api/v2/webhook/{webhookId}', function () {
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

  const create = (over = {}) => shop.call('POST', '/api/v2/webhook', { body: webhookBody(over) });
  const created = async (over = {}) => {
    const { status, body } = await create(over);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const patch = (id: string, body: unknown, options: CallOptions = {}) =>
    shop.call('PATCH', `/api/v2/webhook/${id}`, { ...options, body });
  const read = async (id: string) => {
    const { health: _, ...definition } = await shop.ask('GET', `/api/v2/webhook/${id}`);
    return definition;
  };

  it('answers the updated definition, with every field of the interface document', async () => {
    const { webhookId, createdDate } = await created();
    const { status, body } = await patch(webhookId, {
      target: 'http://127.0.0.1:9/new',
      protocol: 'HTTP',
      source: 'OMS',
      events: '[ORDER_CREATED]',
      tenantId: shop.account,
      targetApiKey: 'key-of-the-target-abcd',
      apiVersion: 'v2',
      format: 'application/json',
      callbackUrl: 'http://127.0.0.1:9/callback',
      createdDate: '2020-01-01T00:00:00.000Z',
      updatedDate: '2020-01-01T00:00:00.000Z',
    });
    assert.equal(status, 200);
    for (const field of FIELDS) assert.ok(field in body, field);
    const { updatedDate, ...rest } = body;
    assert.deepEqual(rest, {
      target: 'http://127.0.0.1:9/new',
      protocol: 'HTTP',
      source: 'OMS',
      events: ['ORDER_CREATED'],
      requestType: 'POST',
      webhookId,
      tenantId: shop.account,
      targetApiKey: '****abcd',
      apiVersion: 'v2',
      format: 'application/json',
      callbackUrl: 'http://127.0.0.1:9/callback',
      createdDate,
      status: 'ACTIVE',
      disabledReason: null,
      disabledAt: null,
      collectHours: 72,
      collectsUntil: null,
      previousSecretUntil: null,
      channel: null,
      rateLimit: null,
      ordering: 'none',
      filter: null,
      headers: {},
    });
    assert.match(updatedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(updatedDate > createdDate);
    assert.deepEqual(await read(webhookId), body);
  });

  it('changes what the body names, and nothing else', async () => {
    const { signingSecret: _, updatedDate: __, ...before } = await created({ apiVersion: 'v1', targetApiKey: 'k' });
    for (const change of [
      {},
      { format: 'application/cloudevents+json' },
      { events: ['A', '*', 'A'] },
      { apiVersion: '' },
    ]) {
      const { updatedDate: ___, ...now } = (await patch(before.webhookId, change)).body;
      Object.assign(before, change, 'events' in change ? { events: ['A', '*'] } : {});
      assert.deepEqual(now, before);
    }
  });

  it('ignores requestType, createdDate and updatedDate, whatever they hold', async () => {
    const { webhookId, createdDate } = await created({ requestType: 'PUT' });
    const { status, body } = await patch(webhookId, { requestType: 17, createdDate: false, updatedDate: {} });
    assert.deepEqual([status, body.requestType, body.createdDate], [200, 'PUT', createdDate]);
  });

  it('accepts its own answer again, and changes nothing', async () => {
    const { webhookId } = await created({ targetApiKey: 'key-of-the-target-abcd' });
    const { updatedDate: _, ...shown } = await read(webhookId);
    const { status, body } = await patch(webhookId, { ...shown, updatedDate: _ });
    assert.equal(status, 200, JSON.stringify(body));
    const { updatedDate: __, ...now } = body;
    assert.deepEqual(now, shown);
  });

  for (const [field, value, advice] of [
    ['webhookId', newId(), /the one in the address/],
    ['status', 'DISABLED', /actions\/disable/],
    ['disabledReason', 'because', /cannot be changed/],
    ['channel', 7, /create another one/],
  ] as const) {
    it(`answers 400 to another ${field}, and says what to do instead`, async () => {
      const { webhookId } = await created();
      const before = await read(webhookId);
      const { status, body } = await patch(webhookId, { apiVersion: 'v9', [field]: value });
      assert.equal(status, 400);
      assert.match(body.message, advice);
      assert.deepEqual(await read(webhookId), before);
    });
  }

  it('answers 404 where no definition exists for the id: unknown, malformed, of another account or stage', async () => {
    const { webhookId } = await created();
    const other = await world.newShop();
    for (const answer of [
      await patch(newId(), {}),
      await patch('x', {}),
      await other.call('PATCH', `/api/v2/webhook/${webhookId}`, { body: {} }),
      await patch(webhookId, {}, { context: { stage: 'test' } }),
    ]) {
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.body, NOT_THERE);
    }
  });

  it('answers 409 where the update would produce a definition identical to an existing one', async () => {
    const one = await created({ apiVersion: 'v1' });
    const two = await created({ target: one.target, apiVersion: 'v2' });
    const answer = await patch(two.webhookId, { apiVersion: 'v1' });
    assert.equal(answer.status, 409);
    assert.deepEqual(answer.body, DUPLICATE);
    assert.equal((await shop.ask('GET', `/api/v2/webhook/${two.webhookId}`)).apiVersion, 'v2');
    assert.equal((await patch(two.webhookId, { apiVersion: 'v1', source: 'PRICE_SERVICE' })).status, 200);
  });

  it('answers 400 "blocked address …" to a target in our own network', async () => {
    const { webhookId } = await created();
    const answer = await patch(webhookId, { target: 'http://169.254.169.254/' });
    assert.equal(answer.status, 400);
    assert.match(answer.body.message, /^target: blocked address 169\.254\.169\.254/);
    assert.equal((await create({ target: 'http://[::ffff:10.0.0.1]/' })).status, 400);
  });

  it('answers 403 to a tenantId that is another account', async () => {
    const { webhookId } = await created();
    const other = await world.newShop();
    const answer = await patch(webhookId, { tenantId: other.account });
    assert.equal(answer.status, 403);
    assert.deepEqual(Object.keys(answer.body), ['message']);
    assert.equal((await create({ tenantId: other.account })).status, 403);
  });

  it('answers 500 with {message: "Internal Server Error"} where the service fails', async () => {
    const { webhookId } = await created();
    await world.db.raw('ALTER TABLE webhook_definition RENAME TO gone');
    try {
      const answer = await patch(webhookId, {});
      assert.deepEqual([answer.status, answer.body], [500, { message: 'Internal Server Error' }]);
    } finally {
      await world.db.raw('ALTER TABLE gone RENAME TO webhook_definition');
    }
  });

  it('needs its headers: 401 without a token, 400 without x-site-context, 415 with another Content-Type', async () => {
    const { webhookId } = await created();
    const path = `/api/v2/webhook/${webhookId}`;
    const { authorization, ...context } = world.api.headers({ token: shop.token, account: shop.account });
    const ask = async (headers: Record<string, string>) => {
      const response = await world.api.fetch(path, { method: 'PATCH', headers, body: '{}' });
      return { status: response.status, headers: response.headers, body: (await response.json()) as object };
    };
    const json = { 'content-type': 'application/json' };
    const anonymous = await ask({ ...context, ...json });
    assert.deepEqual([anonymous.status, anonymous.headers.get('www-authenticate')], [401, 'Bearer']);
    const nowhere = await ask({ authorization: authorization ?? '', ...json });
    assert.equal(nowhere.status, 400);
    const form = await ask({ authorization: authorization ?? '', ...context, 'content-type': 'text/plain' });
    assert.equal(form.status, 415);
    for (const { body } of [anonymous, nowhere, form]) assert.deepEqual(Object.keys(body), ['message']);
  });

  it('"Request body": each field by itself changes that field, and no other', async () => {
    const { signingSecret: _, updatedDate: __, ...before } = await created();
    for (const [change, shown] of [
      [{ target: 'https://127.0.0.1:9/other' }, {}],
      [{ protocol: 'HTTPS' }, {}],
      [{ source: 'CATALOG' }, {}],
      [{ events: '[ORDER_CREATED, ORDER_SHIPPED]' }, { events: ['ORDER_CREATED', 'ORDER_SHIPPED'] }],
      [{ tenantId: shop.account }, {}],
      [{ targetApiKey: 'key-of-the-target-wxyz' }, { targetApiKey: '****wxyz' }],
      [{ apiVersion: 'v9' }, {}],
      [{ format: 'application/cloudevents+json' }, {}],
      [{ callbackUrl: 'http://127.0.0.1:9/told' }, {}],
    ]) {
      const { status, body } = await patch(before.webhookId, change);
      assert.equal(status, 200, JSON.stringify(body));
      Object.assign(before, change, shown);
      const { updatedDate: ___, ...now } = body;
      assert.deepEqual(now, before);
    }
  });

  it('"requestType: The methods POST, PUT, PATCH, GET, DELETE are listed": the answer shows the one it has', async () => {
    for (const requestType of ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']) {
      const { webhookId } = await created({ requestType });
      assert.equal((await patch(webhookId, {})).body.requestType, requestType);
    }
  });

  it('answers 400 {message} naming the field that is wrong, and changes nothing', async () => {
    const { signingSecret: _, ...before } = await created();
    for (const [field, value] of Object.entries({
      target: 'ftp://a.example',
      protocol: 'SOAP',
      source: 'SHOP',
      events: '[]',
      tenantId: 7,
      targetApiKey: 'two\nlines',
      apiVersion: 7,
      format: 'text/xml',
      callbackUrl: 'mailto:a@b.example',
    })) {
      const { status, body } = await patch(before.webhookId, { apiVersion: 'v9', [field]: value });
      assert.deepEqual([status, Object.keys(body)], [400, ['message']], field);
      assert.match(body.message, new RegExp(field));
    }
    for (const body of [[], 'text', null]) assert.equal((await patch(before.webhookId, body)).status, 400);
    assert.deepEqual(await read(before.webhookId), before);
  });

  it('"identical in target, tenantId, protocol, source and apiVersion": whichever of them comes last; nothing else counts', async () => {
    const same = { target: 'https://127.0.0.1:9/same', protocol: 'HTTP', source: 'OMS', apiVersion: 'v1' };
    const first = await created(same);
    const other = { target: 'https://127.0.0.1:9/other', protocol: 'HTTPS', source: 'CATALOG', apiVersion: 'v2' };
    const differing = { events: ['OTHER'], format: 'application/x+json', callbackUrl: 'http://127.0.0.1:9/c' };
    for (const field of ['target', 'protocol', 'source', 'apiVersion'] as const) {
      const twin = await created({ ...same, ...differing, [field]: other[field] });
      const answer = await patch(twin.webhookId, { [field]: same[field] });
      assert.deepEqual([answer.status, answer.body], [409, DUPLICATE], field);
      assert.equal((await read(twin.webhookId))[field], other[field]);
    }
    // The same as it is already.
    assert.equal((await patch(first.webhookId, same)).status, 200);
    shop = await world.newShop();
    const { webhookId } = await created({ ...same, apiVersion: 'v3' });
    assert.equal((await patch(webhookId, { apiVersion: 'v1' })).status, 200, 'another tenantId');
  });

  it('answers 403 {message} to a token without the scope webhooks:write', async () => {
    const { webhookId } = await created();
    const { account, token } = await world.api.newAccount(['webhooks:read', 'events:write', 'notifications:send']);
    const reader = new Shop(world.api, account, token, shop.siteId);
    const { status, body } = await reader.call('PATCH', `/api/v2/webhook/${webhookId}`, { body: {} });
    assert.deepEqual([status, Object.keys(body)], [403, ['message']]);
    assert.match(body.message, /webhooks:write/);
  });
});
