/** What is sent arrives: at the target of whoever hears it, signed, whatever process dies in between – unless it was erased. */
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { sendNotifications } from '../../../src/domain/notifications/send-notifications.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { Merchant } from '../../support/http/merchant.js';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WITHIN_MS = 30_000;
const JANE = { email: 'jane@example.com' };
const JOHN = { name: { first: 'John' }, phone: { number: '4915112345678', type: 'MOBILE' } } as const;

forEachBackend((backend) => {
  describe('a notification', function () {
    this.timeout(60_000);
    let world: World;
    let receiver: Receiver;
    let shop: Merchant;
    let siteId = 0;
    let secret = '';

    before(async () => {
      receiver = await startReceiver();
      world = await startWorld({ redisUrl: backend.redisUrl });
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
  });
});
