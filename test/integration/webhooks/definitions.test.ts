/** Webhook definitions over HTTP, with the texts of the interface document. Nothing here is emitted, so the queue has no part in it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { resealColumns } from '../../../src/domain/access/reseal-secrets.js';
import { sealSecret } from '../../../src/domain/access/sealed-secret.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { SECRETS_OF_DEFINITIONS } from '../../../src/domain/webhooks/definition-secrets.js';
import { openSecrets } from '../../../src/domain/webhooks/definitions/open-secrets.js';
import { openSigningSecrets } from '../../../src/domain/webhooks/definitions/signing-secrets.js';
import { openTargetApiKey } from '../../../src/domain/webhooks/definitions/target-secrets.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** The text of the interface document, to the letter. */
const NOT_THERE = { message: 'No webhook definition present for the given webhook Id' };

describe('webhook definitions', function () {
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

  const create = (over = {}, options: CallOptions = {}) =>
    shop.call('POST', '/api/v2/webhook', { ...options, body: webhookBody(over) });
  const created = async (over = {}, options: CallOptions = {}) => {
    const { status, body } = await create(over, options);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const patch = (id: string, body: unknown, options: CallOptions = {}) =>
    shop.call('PATCH', `/api/v2/webhook/${id}`, { ...options, body });
  const rowOf = (id: string) => world.db('webhook_definition').where({ id }).first();
  const secretsKeys = ['a-key-for-tests-only-of-enough-characters'];

  describe('POST, GET and DELETE', () => {
    it('create with defaults, and show the signing secret this once', async () => {
      const { signingSecret, ...rest } = await created({ target: 'http://127.0.0.1:9', callbackUrl: null });
      assert.match(signingSecret, /^whsec_[A-Za-z0-9+/]{32}$/);
      assert.deepEqual(
        [rest.requestType, rest.apiVersion, rest.format, rest.targetApiKey, rest.callbackUrl, rest.status],
        ['POST', '', 'application/json', null, null, 'ACTIVE'],
      );
      const read = await shop.ask('GET', `/api/v2/webhook/${rest.webhookId}`);
      const { health, ...definition } = read;
      assert.deepEqual(definition, rest);
      assert.deepEqual(health, {
        breaker: 'CLOSED',
        nextAttemptAt: null,
        failureRate: null,
        failuresInARow: 0,
        failingSince: null,
        backlog: 0,
        backlogIsLowerBound: false,
        lastError: null,
        lastErrorAt: null,
      });
      assert.deepEqual(await shop.ask('GET', '/api/v2/webhook'), [read]);
    });

    it('answer 400 {message} naming the field that is wrong', async () => {
      const wrong: [string, object | string | number | undefined][] = [
        ['target', undefined],
        ['target', 'ftp://a.example'],
        ['target', 'receiver.example'],
        ['target', `https://a.example/${'x'.repeat(2_000)}`],
        ['protocol', undefined],
        ['protocol', 'SOAP'],
        ['source', undefined],
        ['source', 'oms'],
        ['source', 'SHOP'],
        ['events', undefined],
        ['events', []],
        ['events', '[]'],
        ['events', 'ORDER_CREATED'],
        ['events', ['order created']],
        ['events', '[ORDER CREATED]'],
        ['events', 7],
        ['requestType', 'TRACE'],
        ['apiVersion', 7],
        ['format', 'text/xml'],
        ['format', 'application/json\r\nx-evil: 1'],
        ['callbackUrl', 'mailto:a@b.example'],
        ['targetApiKey', 'two\nlines'],
        ['targetApiKey', '****abcd'],
        ['rateLimit', 0],
        ['target', 'http://10.0.0.1/'],
        ['target', 'http://user:password@127.0.0.1/'],
        ['callbackUrl', 'http://169.254.169.254/latest/meta-data'],
        ['tenantId', 7],
      ];
      for (const [field, value] of wrong) {
        const { status, body } = await create({ [field]: value });
        assert.equal(status, 400, `${field}: ${String(value)}`);
        assert.deepEqual(Object.keys(body), ['message']);
        assert.match(body.message, new RegExp(field));
      }
      assert.deepEqual(await shop.ask('GET', '/api/v2/webhook'), []);
    });

    it('take events as a list and as bracketed text, and answer a list', async () => {
      for (const events of [
        ['ORDER_CREATED', 'ORDER_SHIPPED'],
        '[ORDER_CREATED, ORDER_SHIPPED]',
        '["ORDER_CREATED","ORDER_SHIPPED"]',
        " [ 'ORDER_CREATED' ,ORDER_SHIPPED] ",
      ]) {
        assert.deepEqual((await created({ events })).events, ['ORDER_CREATED', 'ORDER_SHIPPED']);
      }
    });

    it('list those that hear an event, of a version, in parts, and under a channel', async () => {
      const order = await created({ events: ['ORDER_CREATE'], apiVersion: 'v1' });
      const all = await created({ events: ['*'] }, { context: { channel: 7 } });
      const ship = await created({ events: ['ORDER_SHIPPED'] });
      const ids = async (query: string, options: CallOptions = {}) =>
        (await shop.ask('GET', `/api/v2/webhook${query}`, options)).map(
          ({ webhookId }: { webhookId: string }) => webhookId,
        );
      assert.deepEqual(await ids(''), [order.webhookId, all.webhookId, ship.webhookId]);
      assert.deepEqual(await ids('?eventType=ORDER_CREATED'), [order.webhookId, all.webhookId]);
      assert.deepEqual(await ids('?apiVersion=v1'), [order.webhookId]);
      assert.deepEqual(await ids('?apiVersion='), [all.webhookId, ship.webhookId]);
      assert.deepEqual(await ids('?offset=1&limit=1'), [all.webhookId]);
      assert.deepEqual(await ids('', { context: { channel: 7 } }), [order.webhookId, all.webhookId, ship.webhookId]);
      assert.deepEqual(await ids('', { context: { channel: 8 } }), [order.webhookId, ship.webhookId]);
      assert.deepEqual(await ids('', { context: { stage: 'test' } }), []);
      assert.equal((await shop.call('GET', '/api/v2/webhook?limit=101')).status, 400);
    });

    it('name the events that are known', async () => {
      const types = await shop.ask('GET', '/api/v2/webhook/event-types');
      const names = types.map(({ source, event }: { source: string; event: string }) => `${source} ${event}`);
      for (const name of ['OMS ORDER_CREATED', 'CATALOG JOB_COMPLETED', 'CATALOG ITEM_DELETED'])
        assert.ok(names.includes(name), name);
    });

    it('delete, and answer what was deleted', async () => {
      const { signingSecret: _, ...definition } = await created();
      const answer = await shop.call('DELETE', `/api/v2/webhook/${definition.webhookId}`);
      assert.deepEqual([answer.status, answer.body], [200, definition]);
      for (const method of ['GET', 'DELETE']) {
        const again = await shop.call(method, `/api/v2/webhook/${definition.webhookId}`);
        assert.deepEqual([again.status, again.body], [404, NOT_THERE]);
      }
      assert.equal((await create({ target: definition.target })).status, 200);
    });
  });

  describe('the API key of the target', () => {
    it('is kept sealed and shown masked', async () => {
      const { webhookId, targetApiKey } = await created({ targetApiKey: 'secret-of-the-target-wxyz' });
      assert.equal(targetApiKey, '****wxyz');
      const row = await rowOf(webhookId);
      assert.doesNotMatch(JSON.stringify(row), /secret-of-the-target/);
      assert.equal(openTargetApiKey(secretsKeys, row), 'secret-of-the-target-wxyz');
      assert.equal(
        (await created({ targetApiKey: 'short-one' })).targetApiKey,
        '****',
        'nothing of a short key is shown',
      );
    });

    it('stays where the mask is sent, is replaced by another, and goes with null or ""', async () => {
      const { webhookId } = await created({ targetApiKey: 'secret-of-the-target-wxyz' });
      const keyNow = async () => openTargetApiKey(secretsKeys, await rowOf(webhookId));
      assert.equal((await patch(webhookId, { targetApiKey: '****wxyz' })).body.targetApiKey, '****wxyz');
      assert.equal(await keyNow(), 'secret-of-the-target-wxyz');
      const foreign = await patch(webhookId, { targetApiKey: '****abcd' });
      assert.equal(foreign.status, 400, 'a mask of another key would make the mask the key');
      assert.equal(
        (await patch(webhookId, { targetApiKey: 'another-of-the-target-1234' })).body.targetApiKey,
        '****1234',
      );
      assert.equal(await keyNow(), 'another-of-the-target-1234');
      assert.equal((await patch(webhookId, { targetApiKey: null })).body.targetApiKey, null);
      assert.equal(await keyNow(), null);
      await patch(webhookId, { targetApiKey: 'another-of-the-target-1234' });
      assert.equal((await patch(webhookId, { targetApiKey: '' })).body.targetApiKey, null);
    });
  });

  describe('headers of the target', () => {
    it('are kept sealed, shown masked, kept by their masks, and replaced by a PATCH', async () => {
      const headers = { Authorization: 'Bearer of-the-target-wxyz', 'x-team': 'shop' };
      const { webhookId, headers: shown } = await created({ headers });
      assert.deepEqual(shown, { authorization: '****wxyz', 'x-team': '****' });
      const row = await rowOf(webhookId);
      assert.doesNotMatch(JSON.stringify(row), /of-the-target|"shop"/);
      const { body } = await patch(webhookId, { headers: { ...shown, 'x-team': 'warehouse-1234' } });
      assert.deepEqual(body.headers, { authorization: '****wxyz', 'x-team': '****1234' });
      assert.equal((await patch(webhookId, { headers: { authorization: '****abcd' } })).status, 400);
      assert.equal((await patch(webhookId, { headers: { 'x-other': '****wxyz' } })).status, 400);
      assert.deepEqual((await patch(webhookId, { headers: null })).body.headers, {});
    });

    it('are sealed again under a new key, and so are the secrets that were replaced', async () => {
      const { webhookId, signingSecret: first } = await created({ headers: { 'x-team': 'shop' } });
      const rotate = () => shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/rotate-secret`);
      const [second, third] = [(await rotate()).signingSecret, (await rotate()).signingSecret];
      const newKey = 'the-key-that-follows-it-of-enough-characters';
      await resealColumns(world.db, [newKey, ...secretsKeys], SECRETS_OF_DEFINITIONS);
      const opened = openSecrets([newKey], await rowOf(webhookId), new Date());
      assert.deepEqual(opened, { signing: [third, second, first], targetApiKey: null, headers: { 'x-team': 'shop' } });
    });

    it('are none of the connection, the body, the signature or the event', async () => {
      for (const name of [
        'Host',
        'Connection',
        'transfer-encoding',
        'content-length',
        'Content-Type',
        'te',
        'upgrade',
      ]) {
        const { status, body } = await create({ headers: { [name]: 'x' } });
        assert.equal(status, 400, name);
        assert.match(body.message, /headers/);
      }
      for (const name of ['webhook-signature', 'webhook-id', 'x-api-key', 'longshore-event', 'a b', '', 'user-agent']) {
        assert.equal((await create({ headers: { [name]: 'x' } })).status, 400, name);
      }
      assert.equal((await create({ headers: { 'x-a': 'line\r\nx-b: c' } })).status, 400);
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'x']));
      assert.equal((await create({ headers: many })).status, 400);
    });
  });

  describe('secrets that no key opens any more', () => {
    const PLACES = { secret: 'secret', headers: 'headers', target_api_key: 'target_api_key' } as const;

    /** A definition from before SECRETS_KEY was lost: what it has is as shown, and cannot be read. */
    async function lost(over = {}): Promise<{ webhookId: string; headers: Record<string, string> }> {
      const definition = await created({
        headers: { authorization: 'Bearer of-the-target-wxyz', 'x-team': 'shop' },
        targetApiKey: 'secret-of-the-target-wxyz',
        ...over,
      });
      const { webhookId: id } = definition;
      const sealed = Object.entries(PLACES).map(([column, place]) => {
        const text = column === 'headers' ? '{"authorization":"Bearer of-the-target-wxyz","x-team":"shop"}' : 'gone';
        return [
          column,
          sealSecret(['the-key-that-is-gone-of-enough-characters'], `webhook_definition ${id} ${place}`, text),
        ];
      });
      await world.db('webhook_definition').where({ id }).update(Object.fromEntries(sealed));
      return definition;
    }

    it('are replaced, or given up', async () => {
      const { webhookId } = await lost();
      const headers = { authorization: 'Bearer of-the-new-one-5678' };
      const replaced = await patch(webhookId, { headers, targetApiKey: 'the-new-one-of-it-1234' });
      assert.equal(replaced.status, 200, replaced.text);
      assert.deepEqual(replaced.body.headers, { authorization: '****5678' });
      const signingSecret = `whsec_${randomBytes(24).toString('base64')}`;
      const path = `/api/v2/webhook/${webhookId}/actions/rotate-secret`;
      const rotated = await shop.call('POST', path, { body: { signingSecret } });
      assert.equal(rotated.status, 200, rotated.text);
      assert.equal(rotated.body.previousSecretUntil, null, 'what cannot be read does not sign');
      assert.deepEqual(openSecrets(secretsKeys, await rowOf(webhookId), new Date()), {
        ...{ signing: [signingSecret], targetApiKey: 'the-new-one-of-it-1234', headers },
      });
      const kept: { changed: string[] }[] = await world.db('former_definition').where({ definition_id: webhookId });
      assert.deepEqual(
        kept.map(({ changed }) => changed),
        [['headers', 'targetApiKey'], ['secret']],
      );
      const other = await lost();
      const without = await patch(other.webhookId, { headers: null });
      assert.deepEqual([without.status, without.body.headers], [200, {}]);
    });

    it('stay while the rest is corrected, also by who sends back all that was read', async () => {
      const { webhookId } = await lost();
      const before = await rowOf(webhookId);
      const answer = await patch(webhookId, await shop.ask('GET', `/api/v2/webhook/${webhookId}`));
      assert.equal(answer.status, 200, answer.text);
      const target = 'https://corrected.example/hook';
      assert.equal((await patch(webhookId, { target, events: ['*'] })).body.target, target);
      const { headers, target_api_key } = await rowOf(webhookId);
      assert.deepEqual([headers, target_api_key], [before.headers, before.target_api_key]);
    });

    it('are named where a mask stands for a value that cannot be read', async () => {
      const { webhookId, headers } = await lost();
      const { status, body } = await patch(webhookId, { headers: { ...headers, 'x-team': 'warehouse-1234' } });
      assert.equal(status, 400);
      assert.match(
        body.message,
        /^headers\.authorization: the stored value cannot be read any more, .*send a complete value/,
      );
    });
  });

  describe('actions', () => {
    it('rotate-secret shows a new secret; the old one signs too for 24 hours, and no longer', async () => {
      const { webhookId, signingSecret: first } = await created();
      assert.deepEqual(openSigningSecrets(secretsKeys, await rowOf(webhookId), new Date()), [first]);
      const path = `/api/v2/webhook/${webhookId}`;
      assert.equal((await shop.ask('GET', path)).previousSecretUntil, null);
      const rotated = await shop.ask('POST', `${path}/actions/rotate-secret`);
      const { signingSecret: second, previousSecretUntil: until } = rotated;
      const hours = (Date.parse(until) - Date.parse(rotated.updatedDate)) / 3_600_000;
      assert.equal(hours, 24);
      assert.equal((await shop.ask('GET', path)).previousSecretUntil, until);
      const row = await rowOf(webhookId);
      assert.doesNotMatch(JSON.stringify(row), /whsec/);
      const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
      assert.deepEqual(openSigningSecrets(secretsKeys, row, inHours(23.9)), [second, first]);
      assert.deepEqual(openSigningSecrets(secretsKeys, row, inHours(24.1)), [second]);
      const { signingSecret: third } = await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/rotate-secret`);
      assert.deepEqual(openSigningSecrets(secretsKeys, await rowOf(webhookId), new Date()), [third, second, first]);
      assert.deepEqual(openSigningSecrets(secretsKeys, await rowOf(webhookId), inHours(24.1)), [third]);
      await world
        .db('webhook_definition')
        .where({ id: webhookId })
        .update({ previous_secret_until: inHours(-1) });
      assert.equal((await shop.ask('GET', path)).previousSecretUntil, null);
    });

    it('rotate-secret keeps at most ten secrets, and says when the oldest ends', async () => {
      const { webhookId } = await created();
      const rotate = () => shop.call('POST', `/api/v2/webhook/${webhookId}/actions/rotate-secret`);
      for (let number = 2; number <= 10; number++) assert.equal((await rotate()).status, 200);
      assert.equal(openSigningSecrets(secretsKeys, await rowOf(webhookId), new Date()).length, 10);
      const { status, body } = await rotate();
      assert.equal(status, 409);
      assert.match(body.message, /^10 secrets sign already; the oldest of them ends at \d{4}-/);
      const earlier = new Date(Date.now() - 1_000);
      await world.db('webhook_definition').where({ id: webhookId }).update({ previous_secret_until: earlier });
      assert.equal((await rotate()).status, 200);
    });

    it('accept a secret of the client, when it is created and rotated', async () => {
      const [first, second] = [24, 64].map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`);
      const { webhookId, signingSecret } = await created({ signingSecret: first });
      assert.equal(signingSecret, first);
      const rotate = (given: unknown) =>
        shop.call('POST', `/api/v2/webhook/${webhookId}/actions/rotate-secret`, { body: { signingSecret: given } });
      assert.equal((await rotate(second)).body.signingSecret, second);
      assert.deepEqual(openSigningSecrets(secretsKeys, await rowOf(webhookId), new Date()), [second, first]);
      assert.equal((await rotate(first)).status, 409);
      const wrong = ['secret', 'whsec_short', ...[23, 65].map((n) => `whsec_${randomBytes(n).toString('base64')}`)];
      for (const given of [...wrong, 7]) assert.equal((await rotate(given)).status, 400, String(given));
    });

    it('answer 404 for a definition that is not there', async () => {
      for (const action of ['rotate-secret', 'enable', 'disable']) {
        const answer = await shop.call('POST', `/api/v2/webhook/${newId()}/actions/${action}`);
        assert.deepEqual([answer.status, answer.body], [404, NOT_THERE]);
      }
    });
  });
});
