/** The links of receivers: what they show and what they never show, how they open, and how they end. */
import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { logInWith, openSession } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import { answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { makeLink, openedLink, openLink } from '../../support/http/receiver-link.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const EVIL = 'https://evil.example';
const RECEIVER = '/api/v2/receiver';
const SECRET = 'of-another-endpoint';

describe('the link of a receiver', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let receiver: Receiver;
  let callbacks: Receiver;
  let webhookId: string;
  let otherId: string;

  before(async () => {
    world = await startWorld({ workers: true, environment: { WEBHOOK_SCHEDULE_SECONDS: '0,600' } });
    shop = await world.newShop();
    receiver = await startReceiver(answerWith(500, {}, 'not today'));
    callbacks = await startReceiver();
    const define = async (body: Readonly<Record<string, unknown>>) =>
      (await shop.ask('POST', '/api/v2/webhook', { body: webhookBody(body) })).webhookId as string;
    webhookId = await define({
      ...{ target: `${receiver.url}/partner`, apiVersion: 'v7', callbackUrl: `${callbacks.url}/${SECRET}` },
      ...{ targetApiKey: 'partner-key-1234', filter: { path: '/for', equals: 'partner' } },
    });
    otherId = await define({ events: ['ORDER_SHIPPED'], apiVersion: SECRET });
  });
  after(async () => {
    await receiver?.stop();
    await callbacks?.stop();
    await world?.stop();
  });

  const call = (method: string, path: string, headers: Readonly<Record<string, string | undefined>>, body?: unknown) =>
    callApi(world.api, method, path, { headers, ...(body === undefined ? {} : { body }) });
  const emit = async (event: string, payload: unknown): Promise<string> => {
    const body = { source: 'OMS', event, payload };
    const emitted = await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } });
    assert.equal(emitted.status, 202, emitted.text);
    return emitted.body.eventRequestId;
  };
  const links = (id = webhookId) => `/api/v2/webhook/${id}/receiver-links`;
  const attempted = (id: string, headers: Readonly<Record<string, string>>) =>
    until(
      'an attempt is recorded',
      async () => {
        const { status, body } = await call('GET', `${RECEIVER}/events/${id}`, headers);
        return status === 200 && body.responseInfo.length > 0;
      },
      20_000,
    );

  it('opens once, and shows the endpoint, its health and until when, and nothing else of the definition', async () => {
    const made = await shop.ask('POST', links(), { body: { name: 'Kim of the partner', replay: true, hours: 48 } });
    const { id, link, ...rest } = made;
    assert.match(link, /\/console\/~receiver#code=lsl_[\w-]{43}$/);
    const { createdAt, expiresAt, ...shown } = rest;
    assert.deepEqual(shown, { name: 'Kim of the partner', replay: true, openedAt: null, lastUsedAt: null });
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.parse(createdAt) - 48 * 3_600_000) < 10_000);
    const code = link.replace(/.*#code=/, '');
    const opened = await openLink(world.api, code);
    assert.equal(opened.status, 200, opened.text);
    const cookie = opened.headers.get('set-cookie') ?? '';
    const form = /^longshore_receiver_\d+=lsr_[\w-]{43}; Path=\/; Max-Age=(\d+); HttpOnly; SameSite=Strict$/.exec(
      cookie,
    );
    assert.ok(form !== null && Math.abs(Number(form[1]) - 48 * 3_600) < 60, cookie);
    const { health, ...endpoint } = opened.body;
    assert.equal(health.breaker, 'CLOSED');
    assert.deepEqual(endpoint, {
      ...{ target: `${receiver.url}/partner`, requestType: 'POST', format: 'application/json', apiVersion: 'v7' },
      ...{ source: 'OMS', events: ['ORDER_CREATED'], targetApiKey: '****1234', headers: {}, status: 'ACTIVE' },
      ...{ disabledReason: null, collectsUntil: null, sender: 'test', name: 'Kim of the partner', mayReplay: true },
      expiresAt,
    });
    assert.ok(!opened.text.includes(SECRET));
    const again = await openLink(world.api, code);
    assert.equal(again.status, 401);
    assert.match(again.body.message, /was used, has expired or does not exist/);
    const [listed] = (await shop.ask('GET', links())).data;
    assert.deepEqual([listed.id, listed.name, typeof listed.openedAt], [id, 'Kim of the partner', 'string']);
    const stored = JSON.stringify([
      await world.db('access_token'),
      await world.db('login_code'),
      await world.db('session'),
    ]);
    assert.ok(!stored.includes(code) && !stored.includes(cookie.slice(19, 60)), 'secrets are stored as digests');
    const entries = await world.db('audit_entry').where({ action: 'RECEIVER_LINK_CREATED' });
    assert.deepEqual(
      entries.map(({ target, account_id }) => [target, account_id]),
      [[`webhook/${webhookId}/receiver/${id}`, shop.account]],
    );
  });

  it('of two that open it at the same time, one is refused', async () => {
    const { code } = await makeLink(shop, webhookId);
    const answers = await Promise.all([openLink(world.api, code), openLink(world.api, code)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  it('shows the events that were sent to this endpoint, with attempts and the next one, and no others', async () => {
    const { headers } = await openedLink(world.api, shop, webhookId);
    const mine = await emit('ORDER_CREATED', { for: 'partner', n: 1 });
    const filtered = await emit('ORDER_CREATED', { for: SECRET });
    const others = await emit('ORDER_SHIPPED', { for: SECRET });
    await attempted(mine, headers);
    const { body } = await call('GET', `${RECEIVER}/events/${mine}`, headers);
    assert.deepEqual(body.payload, { for: 'partner', n: 1 });
    assert.equal(body.status, 'PENDING');
    assert.ok(Date.parse(body.nextAttemptAt) > Date.now());
    const [attempt] = body.responseInfo;
    assert.deepEqual([attempt.statusCode, attempt.response], [500, 'not today']);
    const listed = await call('GET', `${RECEIVER}/events`, headers);
    assert.deepEqual(
      listed.body.data.map(({ eventRequestId }: { eventRequestId: string }) => eventRequestId),
      [mine],
    );
    assert.equal(listed.body.count, 1);
    assert.ok(!listed.text.includes(SECRET));
    assert.equal((await call('GET', `${RECEIVER}/events?status=DELIVERED`, headers)).body.count, 0);
    for (const id of [filtered, others, 'x', '0123456789abcdef01234567'])
      assert.equal((await call('GET', `${RECEIVER}/events/${id}`, headers)).status, 404, id);
  });

  it('does not show the callbacks of the owner, which have the same definition', async () => {
    const { headers } = await openedLink(world.api, shop, webhookId);
    const event = await emit('ORDER_SHIPPED', { for: SECRET });
    await world.db('delivery').insert({
      ...{ event_id: event, definition_id: webhookId, callback_url: `${callbacks.url}/${SECRET}` },
      site_id: shop.siteId,
    });
    assert.equal((await call('GET', `${RECEIVER}/events/${event}`, headers)).status, 404);
    assert.ok(!(await call('GET', `${RECEIVER}/events`, headers)).text.includes(SECRET));
  });

  it('has events sent again that were sent to this endpoint, if the link says so, and no others', async () => {
    const reading = await openedLink(world.api, shop, webhookId);
    const replaying = await openedLink(world.api, shop, webhookId, { replay: true });
    const mine = await emit('ORDER_CREATED', { for: 'partner', n: 2 });
    await attempted(mine, reading.headers);
    const replay = (id: string, headers: Readonly<Record<string, string>>) =>
      call('POST', `${RECEIVER}/events/${id}/actions/replay`, headers);
    assert.equal((await replay(mine, reading.headers)).status, 403);
    const others = await emit('ORDER_SHIPPED', { for: SECRET });
    const filtered = await emit('ORDER_CREATED', { for: SECRET });
    for (const id of [others, filtered]) assert.equal((await replay(id, replaying.headers)).status, 404);
    assert.equal(await countOf(`event_id IN ('${others}', '${filtered}') AND definition_id = '${webhookId}'`), 0);
    const before = receiver.received.length;
    const { status, body, text } = await replay(mine, replaying.headers);
    assert.equal(status, 202, text);
    assert.deepEqual(body, { eventRequestId: mine, deliveries: 1 });
    await until('it arrives again', () => receiver.received.length > before, 20_000);
    const entries = await world.db('audit_entry').where({ action: 'EVENTS_REPLAYED', result: 'DONE' });
    assert.deepEqual(
      entries.map(({ actor_kind, actor_id, target }) => [actor_kind, actor_id, target]),
      [['token', replaying.id, `event/${mine}`]],
    );
  });

  it('of pages of other origins, neither opens nor is used', async () => {
    const { headers, cookie } = await openedLink(world.api, shop, webhookId, { replay: true });
    const { code } = await makeLink(shop, webhookId);
    for (const foreign of [{ origin: EVIL }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      for (const answer of [
        await openLink(world.api, code, foreign),
        await call('GET', RECEIVER, { ...headers, ...foreign }),
      ])
        assert.deepEqual([answer.status, answer.body.code], [403, 'FOREIGN_ORIGIN'], JSON.stringify(foreign));
    }
    const id = await emit('ORDER_CREATED', { for: 'partner', n: 3 });
    const unsaid = await call('POST', `${RECEIVER}/events/${id}/actions/replay`, { cookie });
    assert.deepEqual([unsaid.status, unsaid.body.code], [403, 'FOREIGN_ORIGIN']);
    assert.equal((await openLink(world.api, code)).status, 200, 'the refused attempts have not used it up');
  });

  it('is no login: neither its code, nor its cookie under another name, nor the other way round', async () => {
    const { code } = await makeLink(shop, webhookId);
    assert.equal((await logInWith(world.api, { code })).status, 401);
    assert.equal((await logInWith(world.api, { token: code })).status, 401);
    const { cookie } = await openedLink(world.api, shop, webhookId);
    const [name = '', secret = ''] = cookie.split('=');
    for (const headers of [
      { cookie: `${name.replace('receiver', 'session')}=${secret}` },
      { cookie },
      { authorization: `Bearer ${secret}` },
    ])
      assert.equal((await call('GET', '/api/v2/session', headers)).status, 401);
    const person = await openSession(world.api, { token: shop.token });
    const asReceiver = person.cookie.replace('longshore_session', 'longshore_receiver');
    for (const headers of [{ cookie: person.cookie }, { cookie: asReceiver }])
      assert.equal((await call('GET', RECEIVER, headers)).status, 401);
    assert.equal((await call('GET', RECEIVER, { authorization: `Bearer ${shop.token}` })).status, 403);
    // Both are in one browser, and neither ends the other.
    const both = { ...person.headers, cookie: `${person.cookie}; ${cookie}` };
    assert.equal((await call('GET', RECEIVER, both)).status, 200);
    assert.equal((await call('GET', '/api/v2/session', both)).status, 200);
    // Were it found as a session of the console, it would still be none of the account.
    const found = await createAuthenticator(world.db).authenticate(secret, undefined, 'session');
    assert.equal(found?.kind, 'receiver');
  });

  it('that was revoked in the middle shows nothing more, at once in this process', async () => {
    const { id, headers } = await openedLink(world.api, shop, webhookId);
    assert.equal((await call('GET', RECEIVER, headers)).status, 200);
    const asked = Array.from({ length: 20 }, () => call('GET', RECEIVER, headers));
    const elsewhere = `/api/v2/webhook/${otherId}/receiver-links/${id}`;
    assert.equal((await shop.call('DELETE', elsewhere)).status, 404, 'of another definition');
    assert.equal((await shop.call('DELETE', `${links()}/${id}`)).status, 204);
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => call('GET', RECEIVER, headers))))
      assert.equal(status, 401);
    await Promise.all(asked);
    assert.equal((await shop.call('DELETE', `${links()}/${id}`)).status, 404);
    const { data } = await shop.ask('GET', links());
    assert.ok(!data.some((one: { id: string }) => one.id === id));
    const unopened = await makeLink(shop, webhookId);
    await shop.call('DELETE', `${links()}/${unopened.id}`);
    assert.equal((await openLink(world.api, unopened.code)).status, 401);
  });

  it('that has expired neither opens nor shows anything', async () => {
    const unopened = await makeLink(shop, webhookId);
    const { id, headers } = await openedLink(world.api, shop, webhookId);
    await world
      .db('access_token')
      .whereIn('id', [id, unopened.id])
      .update({ expires_at: new Date(Date.now() - 1) });
    assert.equal((await openLink(world.api, unopened.code)).status, 401);
    await until('it is looked up again', async () => (await call('GET', RECEIVER, headers)).status === 401, 10_000);
  });

  it('ends with its webhook', async () => {
    const { webhookId: doomed } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    const { headers } = await openedLink(world.api, shop, doomed, { replay: true });
    const unopened = await makeLink(shop, doomed);
    assert.equal((await shop.call('DELETE', `/api/v2/webhook/${doomed}`)).status, 200);
    assert.equal((await openLink(world.api, unopened.code)).status, 401);
    assert.ok([401, 404].includes((await call('GET', RECEIVER, headers)).status));
    assert.ok([401, 404].includes((await call('GET', `${RECEIVER}/events`, headers)).status));
    await until('its session has ended', async () => (await call('GET', RECEIVER, headers)).status === 401, 10_000);
    assert.equal((await shop.call('GET', links(doomed))).status, 404);
    assert.equal((await shop.call('POST', links(doomed), { body: { name: 'x' } })).status, 404);
  });

  it('is left, and then its cookie is refused', async () => {
    const { headers } = await openedLink(world.api, shop, webhookId);
    const left = await call('DELETE', RECEIVER, headers);
    assert.equal(left.status, 204);
    assert.match(left.headers.get('set-cookie') ?? '', /^longshore_receiver_\d+=; Path=\/; Max-Age=0;/);
    assert.equal((await call('GET', RECEIVER, headers)).status, 401);
  });

  it('is made only by those who may see what it shows, for at most 30 days', async () => {
    const make = async (scopes: readonly string[], body: unknown = { name: 'x' }) => {
      const { token } = await createToken(world.db, { accountId: shop.account, name: 'maker', scopes });
      return (await shop.call('POST', links(), { body, headers: { authorization: `Bearer ${token}` } })).status;
    };
    assert.equal(await make(['webhooks:write']), 403);
    assert.equal(await make(['webhooks:read']), 403);
    assert.equal(await make(['webhooks:read', 'webhooks:write']), 200);
    for (const body of [
      {},
      { name: '' },
      { name: 'x', hours: 0 },
      { name: 'x', hours: 721 },
      { name: 'x', replay: null },
    ])
      assert.equal(await make(['webhooks:read', 'webhooks:write'], body), 400, JSON.stringify(body));
    const other = await world.newShop();
    assert.equal((await other.call('POST', links(), { body: { name: 'x' } })).status, 404);
    assert.equal((await other.call('GET', links())).status, 404);
  });

  it('is made at most 100 times for one webhook', async () => {
    const { webhookId: popular } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    await Promise.all(Array.from({ length: 100 }, () => makeLink(shop, popular)));
    const refused = await shop.call('POST', links(popular), { body: { name: 'x' } });
    assert.equal(refused.status, 422);
    assert.match(refused.body.message, /at most 100 links/);
  });

  async function countOf(where: string): Promise<number> {
    const [{ count = 0 } = {}] = await world.db('delivery').whereRaw(where).count('* AS count');
    return Number(count);
  }
});
