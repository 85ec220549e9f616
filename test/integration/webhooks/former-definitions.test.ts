import assert from 'node:assert/strict';
import { pruneEvents } from '../../../src/domain/webhooks/prune-events.js';
import { callApi } from '../../support/http/call-api.js';
import { answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { openedLink } from '../../support/http/receiver-link.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface Attempt {
  readonly request?: { readonly until: string } & Readonly<Record<string, unknown>>;
  readonly requestUnknown?: true;
}

describe('an attempt that was made before its definition was changed', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  before(async () => {
    world = await startWorld({ workers: true });
    receiver = await startReceiver(answerWith(200));
  });
  beforeEach(async () => {
    shop = await world.newShop();
  });
  after(async () => {
    await receiver?.stop();
    await world?.stop();
  });

  const path = (webhookId: string, action = '') => `/api/v2/webhook/${webhookId}${action}`;
  const hear = async (over = {}): Promise<string> =>
    (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target: `${receiver.url}/first`, ...over }) }))
      .webhookId;
  const attemptsOf = async (eventRequestId: string, webhookId: string): Promise<readonly Attempt[]> => {
    const body = { filters: { eventRequestId, webhookId } };
    const { webhookEventLogs } = await shop.ask('POST', '/api/v2/webhook/event/query', { body });
    return webhookEventLogs[0]?.logs[0]?.responseInfo ?? [];
  };
  const attempted = (eventRequestId: string, webhookId: string, count: number) =>
    until(`${count} attempts`, async () => (await attemptsOf(eventRequestId, webhookId)).length === count, 20_000);

  async function emit(webhookId: string): Promise<string> {
    const body = { source: 'OMS', event: 'ORDER_CREATED', payload: {} };
    const headers = { 'tenant-key': shop.account };
    const { eventRequestId } = (await shop.call('POST', '/api/v2/event', { body, headers })).body;
    await attempted(eventRequestId, webhookId, 1);
    return eventRequestId;
  }

  async function sendAgain(eventRequestId: string, webhookId: string, count: number): Promise<void> {
    const answer = await shop.call('POST', '/api/v2/webhook/retry', { body: { eventRequestId, webhookId } });
    assert.equal(answer.status, 202, answer.text);
    await attempted(eventRequestId, webhookId, count);
  }

  it('is shown as it was made, with what differs now; what is sent since is as the definition says', async () => {
    const webhookId = await hear({ headers: { 'x-team': 'a-long-first-team' }, targetApiKey: 'the-first-api-key' });
    const event = await emit(webhookId);
    await shop.ask('PATCH', path(webhookId), {
      body: { target: `${receiver.url}/second`, headers: { 'x-team': 'another-long-band', 'x-more': 'short' } },
    });
    await sendAgain(event, webhookId, 2);
    const [first, second] = await attemptsOf(event, webhookId);
    assert.ok(first?.request !== undefined && second !== undefined);
    const { until: changedAt, ...request } = first.request;
    assert.deepEqual(request, {
      target: `${receiver.url}/first`,
      format: 'application/json',
      apiVersion: '',
      targetApiKey: '****-key',
      headers: { 'x-team': '****team' },
      changed: ['target', 'headers'],
    });
    assert.ok(Math.abs(Date.parse(changedAt) - Date.now()) < 60_000);
    assert.deepEqual([second.request, second.requestUnknown], [undefined, undefined]);
    assert.deepEqual(
      receiver.received.slice(-2).map(({ path: called, headers }) => [called, headers['x-team']]),
      [
        ['/first', 'a-long-first-team'],
        ['/second', 'another-long-band'],
      ],
    );
  });

  it('names what each later change was about: a key whose end is shown alike, and a new secret', async () => {
    const webhookId = await hear({ targetApiKey: 'the-first-api-key' });
    const event = await emit(webhookId);
    await shop.ask('PATCH', path(webhookId), { body: { targetApiKey: 'the-other-api-key' } });
    await sendAgain(event, webhookId, 2);
    await shop.ask('POST', path(webhookId, '/actions/rotate-secret'), { body: {} });
    const changed = (await attemptsOf(event, webhookId)).map(({ request }) => request?.changed);
    assert.deepEqual(changed, [['targetApiKey', 'secret'], ['secret']]);
  });

  it('is shown as ever after changes that no request shows, and after those that repeat what is stored', async () => {
    const webhookId = await hear({ headers: { 'x-team': 'a-long-first-team' }, targetApiKey: 'the-first-api-key' });
    const event = await emit(webhookId);
    await shop.ask('PATCH', path(webhookId), {
      body: {
        ...{ events: ['*'], rateLimit: 7, target: `${receiver.url}/first`, targetApiKey: 'the-first-api-key' },
        headers: { 'x-team': 'a-long-first-team' },
      },
    });
    await shop.ask('PATCH', path(webhookId), { body: { targetApiKey: '****-key', headers: { 'x-team': '****team' } } });
    const [attempt] = await attemptsOf(event, webhookId);
    assert.deepEqual([attempt?.request, attempt?.requestUnknown], [undefined, undefined]);
    assert.equal(await world.db('former_definition').where({ definition_id: webhookId }).first(), undefined);
  });

  it('is said to be unknown if an earlier release made it before the change, or the definition is gone', async () => {
    const webhookId = await hear();
    const event = await emit(webhookId);
    const unknown = async () => (await attemptsOf(event, webhookId)).map(({ requestUnknown }) => requestUnknown);
    const deliveries = world.db('delivery').select('id').where({ event_id: event });
    await world.db('delivery_attempt').whereIn('delivery_id', deliveries).update({ definition_version: null });
    assert.deepEqual(await unknown(), [undefined]);
    await shop.ask('PATCH', path(webhookId), { body: { target: `${receiver.url}/second` } });
    assert.deepEqual(await unknown(), [true]);
    await shop.call('DELETE', path(webhookId));
    assert.deepEqual(await unknown(), [true]);
  });

  it('does not show a receiver an address that was another one', async () => {
    const webhookId = await hear({ headers: { 'x-team': 'a-long-first-team' }, targetApiKey: 'the-first-api-key' });
    const event = await emit(webhookId);
    const { headers } = await openedLink(world.api, shop, webhookId);
    await shop.ask('PATCH', path(webhookId), { body: { target: `${receiver.url}/second` } });
    const log = (await callApi(world.api, 'GET', `/api/v2/receiver/events/${event}`, { headers })).body;
    const [{ request }] = log.responseInfo;
    assert.deepEqual([request.target, request.changed], [null, ['target']]);
    assert.deepEqual([request.headers, request.targetApiKey], [{}, null], 'nor a part of what only the other one knew');
  });

  it('is forgotten with its event', async () => {
    const webhookId = await hear();
    await emit(webhookId);
    await shop.ask('PATCH', path(webhookId), { body: { target: `${receiver.url}/second` } });
    const kept = world.db('former_definition').where({ definition_id: webhookId });
    await pruneEvents(world.db, 30);
    assert.equal((await kept.clone()).length, 1);
    await kept.clone().update({ ended_at: world.db.raw("now() - interval '31 days'") });
    await pruneEvents(world.db, 30);
    assert.equal((await kept.clone()).length, 0);
  });
});
