/** What is sent arrives: at the target of whoever hears it, signed, whatever process dies in between – unless it was erased. */
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { eraseDocument } from '../../../src/domain/documents/erase-document.js';
import { sendNotifications } from '../../../src/domain/notifications/send-notifications.js';
import { recordAttempts } from '../../../src/domain/webhooks/delivery/record/record-attempts.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { Merchant } from '../../support/http/merchant.js';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WITHIN_MS = 30_000;
const JANE = { email: 'jane@example.com' };
const JOHN = { name: { first: 'John' }, phone: { number: '4915112345678', type: 'MOBILE' } } as const;

describe('a notification', function () {
  this.timeout(60_000);
  let world: World;
  let receiver: Receiver;
  let shop: Merchant;
  let siteId = 0;
  let secret = '';

  before(async () => {
    receiver = await startReceiver();
    world = await startWorld();
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    const { account, token, siteId: site } = await world.newShop();
    shop = new Merchant(world.api, account, token);
    siteId = site;
    await shop.register({ id: 'SO-1', contactInfo: [JANE] });
    const body = webhookBody({
      target: `${receiver.url}/hook`,
      events: '[ORDER_SHIPPED]',
      format: 'application/x.v1+json',
    });
    const made = await shop.call('POST', '/api/v2/webhook', { body, headers: { 'x-site-context': shop.context() } });
    assert.equal(made.status, 200, made.text);
    secret = made.body.signingSecret;
  });
  after(async () => {
    await world?.stop();
    await receiver?.stop();
  });

  const shipped = { id: 'SO-1', documentType: 'ORDER', notificationType: 'ORDER_SHIPPED' } as const;
  const override = { ...shipped, overrideContactInfo: [JOHN] };

  /** Runs what delivers until something arrives. */
  async function received(lookAfter: () => Promise<unknown> = async () => undefined): Promise<Received> {
    const workers = await world.startWorkers({}, ['webhook']);
    try {
      const arrived = async () => {
        if (receiver.received.length === 0) await lookAfter();
        return receiver.received.length > 0;
      };
      await until('it arrives', arrived, WITHIN_MS);
    } finally {
      await workers.stop();
    }
    return receiver.received[0] ?? assert.fail();
  }

  it('arrives: "The target is called with a body whose content type is the definition\'s format field"', async () => {
    assert.equal((await shop.send(override)).status, 200);
    const { method, path, headers, body } = await received();
    assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook', 'application/x.v1+json']);
    const { eventRequestId, triggeredAt, ...content } = new Webhook(secret).verify(body, headers) as {
      eventRequestId: string;
      triggeredAt: string;
    };
    assert.equal(eventRequestId, headers['webhook-id']);
    assert.ok(!Number.isNaN(Date.parse(triggeredAt)));
    assert.deepEqual(content, {
      event: 'ORDER_SHIPPED',
      source: 'OMS',
      tenantId: shop.account,
      channel: null,
      apiVersion: '',
      orderNumber: 'SO-1',
      payload: { ...shipped, contactInfo: [JOHN] },
    });
  });

  it('arrives although the process that took it died between its commit and the queue', async () => {
    const site = { accountId: shop.account, siteId, stage: 'production', channel: null, date: null };
    await world.db.transaction((trx) => sendNotifications(trx, site, [override]));
    const { body } = await received(() => reconcile(world.services));
    assert.deepEqual(JSON.parse(body).payload, { ...shipped, contactInfo: [JOHN] });
  });

  it('arrives without contacts when its document was erased before', async () => {
    assert.equal((await shop.send(override)).status, 200);
    const { body: erased } = await shop.call('DELETE', '/api/v2/document/ORDER/SO-1');
    assert.deepEqual(erased.erased, { notifications: 1, events: 2 });
    const { body, headers } = await received();
    new Webhook(secret).verify(body, { ...headers });
    assert.deepEqual(JSON.parse(body).payload, { ...shipped, contactInfo: [] });
  });

  describe('whose attempt is under way when its document is deleted', () => {
    /** Echoes of what was sent, which the receiver holds back. */
    let echoes: (() => void)[];
    let slow: Receiver;
    beforeEach(async () => {
      echoes = [];
      slow = await startReceiver((response, { body }) => echoes.push(() => response.end(body)));
      const body = webhookBody({ target: `${slow.url}/slow`, events: '[ORDER_SHIPPED]' });
      await shop.call('POST', '/api/v2/webhook', { body, headers: { 'x-site-context': shop.context() } });
      await world.startWorkers({}, ['webhook']);
    });
    afterEach(() => slow.stop());

    const erase = () => shop.call('DELETE', '/api/v2/document/ORDER/SO-1');
    const underWay = (attempts: number) => until('they are under way', () => echoes.length === attempts, WITHIN_MS);

    /** Lets the receiver answer. @returns the answers that are stored then */
    async function answersAfterEcho(): Promise<(string | null)[]> {
      for (const echo of echoes) echo();
      const ofShop = () => world.db('delivery').where({ site_id: siteId });
      await until(
        'all are recorded',
        async () => (await ofShop().where({ status: 'PENDING' })).length === 0,
        WITHIN_MS,
      );
      const stored = await world
        .db('delivery_attempt')
        .whereIn('delivery_id', ofShop().select('id'))
        .whereNot({ response: '' })
        .select('response');
      return stored.map(({ response }) => response);
    }

    it('leaves no answer behind that repeats the contacts, neither in the database nor for its owner', async () => {
      assert.equal((await shop.send(override)).status, 200);
      await underWay(1);
      await erase();
      assert.deepEqual(await answersAfterEcho(), []);
      const headers = { 'x-site-context': shop.context() };
      const log = await shop.call('POST', '/api/v2/webhook/event/query', { body: {}, headers });
      assert.equal(log.status, 200, log.text);
      assert.match(log.text, /ORDER_SHIPPED/);
      assert.doesNotMatch(log.text, /4915112345678/);
    });

    it('keeps the answers about other documents', async () => {
      await shop.register({ id: 'SO-2', contactInfo: [JANE] });
      for (const id of ['SO-1', 'SO-2']) assert.equal((await shop.send({ ...override, id })).status, 200);
      await underWay(2);
      await erase();
      const [answer, ...others] = await answersAfterEcho();
      assert.deepEqual([JSON.parse(answer ?? '').payload.id, others], ['SO-2', []]);
    });

    it('is recorded after an erasure that has begun, and then without its answer', async () => {
      assert.equal((await shop.send(override)).status, 200);
      await underWay(1);
      const site = { accountId: shop.account, siteId, stage: 'production', channel: null, date: null };
      let answers: Promise<unknown> = Promise.resolve();
      await world.db.transaction(async (trx) => {
        await eraseDocument(trx, site, { documentType: 'ORDER', id: 'SO-1' });
        answers = answersAfterEcho();
        await until('the recording waits', async () => (await waiting()) > 0, WITHIN_MS);
      });
      assert.deepEqual(await answers, []);
    });

    it('is recorded before an erasure that waits for it, which removes its answer', async () => {
      assert.equal((await shop.send(override)).status, 200);
      await underWay(1);
      const pending = () => world.db('delivery').where({ site_id: siteId, status: 'PENDING' });
      await until('only the slow one is pending', async () => (await pending()).length === 1, WITHIN_MS);
      const { id, event_id } = await pending().first();
      const answer = { outcome: 'delivered', statusCode: 200, error: null, durationMs: 1 } as const;
      const response = JSON.stringify(JOHN);
      const made = {
        attempt: 1,
        ...answer,
        response,
        triggeredAt: new Date(),
        erasableEventId: event_id,
        definitionVersion: 1,
      };
      let erasing: Promise<unknown> = Promise.resolve();
      await world.db.transaction(async (trx) => {
        await recordAttempts(trx, [{ id, dispatch: 1, status: 'DELIVERED', delayMs: null, made }]);
        erasing = erase();
        await until('the erasure waits', async () => (await waiting()) > 0, WITHIN_MS);
      });
      await erasing;
      assert.deepEqual(await answersAfterEcho(), []);
    });

    /** How many statements wait for a lock. */
    async function waiting(): Promise<number> {
      const { rows } = await world.db.raw(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    }
  });
});
