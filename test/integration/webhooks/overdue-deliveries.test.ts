/** The reconciler finds lost deliveries, however many deliveries of one endpoint wait. */
import assert from 'node:assert/strict';
import { createApp } from '../../../src/api/app.js';
import { openServices } from '../../../src/api/open-services.js';
import { startServer } from '../../../src/api/server.js';
import { OverdueDeliveries } from '../../../src/domain/webhooks/overdue-deliveries.js';
import { enqueueEntries, type OutboxEntry } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** More than are reached by the passes of a minute, if they are checked a hundred at a time. */
const BACKLOG = 4_000;
/** A pass reads so many of the only endpoint: half of its sample, as callbacks without a definition have the other half. */
const SHARE = 50;
const LATER_MS = 3_600_000;
/** No process listens there. */
const UNREACHABLE_QUEUE = 'redis://127.0.0.1:9';

describe('overdue deliveries', function () {
  this.timeout(120_000);
  forEachBackend((backend) => {
    let world: World;
    beforeEach(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    afterEach(() => world.stop());

    it('of an endpoint whose breaker is open do not hide a lost delivery of another tenant', async () => {
      await enqueue(await backlogOf(await world.newShop(), BACKLOG));
      const [lost] = await backlogOf(await world.newShop(), 1);
      await reconcile(world.services);
      assert.deepEqual(await dispatchesOf([lost]), [3]);
    });

    it('do not hide the deliveries of a tenant whose API process could not enqueue', async () => {
      await enqueue(await backlogOf(await world.newShop(), BACKLOG));
      const shop = await world.newShop();
      await definitionOf(shop);
      await acceptWithoutQueue(shop, 3);
      await world.db('delivery').where({ site_id: shop.siteId }).update(overdueSince(1));
      await reconcile(world.services);
      const found = await world.db('delivery').where({ site_id: shop.siteId }).select('dispatch');
      assert.deepEqual(
        found.map(({ dispatch }) => dispatch),
        [2, 2, 2],
      );
    });

    it('are all found in as many passes as their endpoint needs, although most are still on the queue', async () => {
      const entries = await backlogOf(await world.newShop(), 7 * SHARE);
      const lost = entries.filter((_, index) => index % 70 === 69);
      await enqueue(entries.filter((entry) => !lost.includes(entry)));
      const position = new OverdueDeliveries();
      for (let pass = 0; pass < 7; pass++) await reconcile(world.services, position);
      assert.deepEqual(new Set(await dispatchesOf(lost)), new Set([3]));
    });

    it('of many endpoints are all found in one pass when the queue has lost everything, and callbacks of no definition too', async () => {
      const shop = await world.newShop();
      const { db } = world;
      const definitions = await insertDefinitions(db, { siteId: shop.siteId, account: shop.account, count: 250 });
      await db.raw(
        `INSERT INTO delivery (event_id, definition_id, callback_url, site_id, dispatch, next_attempt_at, dispatched_at)
         SELECT 'e', id, CASE WHEN id IS NULL THEN 'http://127.0.0.1:9/' END, :siteId, 2, now() - interval '1 hour',
                now() - interval '1 hour'
         FROM unnest(array_append(:definitions::text[], NULL)) AS given (id)`,
        { siteId: shop.siteId, definitions },
      );
      assert.equal(await reconcile(world.services), 251);
    });

    it('are not those that wait for their endpoint: a snooze says when they are due', async () => {
      const entries = await backlogOf(await world.newShop(), 20);
      const workers = await world.startWorkers({}, ['webhook']);
      await enqueue(entries, 0);
      const due = () => world.db('delivery').whereRaw("next_attempt_at > now() + interval '30 minutes'");
      await until('all are snoozed', async () => (await due()).length === entries.length, 30_000);
      await workers.stop();
      assert.deepEqual(new Set(await dispatchesOf(entries)), new Set([2]));
      assert.deepEqual(await new OverdueDeliveries().nextEndpoints(world.db, 0), [null]);
    });

    /** Deliveries that are overdue, all since the same moment, to an endpoint whose breaker is open. */
    async function backlogOf(shop: Shop, count: number): Promise<OutboxEntry[]> {
      const { db } = world;
      const definitionId = await definitionOf(shop);
      await db.raw("INSERT INTO endpoint_health (definition_id, open_until) VALUES (?, now() + interval '1 hour')", [
        definitionId,
      ]);
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `WITH made AS (
           INSERT INTO event (id, site_id, account_id, source, event, payload, fanned_out_at)
           SELECT lpad(to_hex(:siteId::integer), 8, '0') || lpad(to_hex(n), 16, '0'), :siteId, :account, 'OMS',
                  'ORDER_CREATED', '{}', now()
           FROM generate_series(1, :count::integer) AS n RETURNING id)
         INSERT INTO delivery (event_id, definition_id, site_id, dispatch, next_attempt_at, dispatched_at)
         SELECT id, :definitionId, :siteId, 2, now() - interval '1 hour', now() - interval '1 hour' FROM made
         RETURNING id`,
        { siteId: shop.siteId, account: shop.account, definitionId, count },
      );
      return rows.map(({ id }) => ({ queue: 'deliver', payload: { deliveryId: id, dispatch: 2 } }));
    }

    async function definitionOf({ siteId, account }: Shop): Promise<string> {
      const { secretsKeys } = world.services.config;
      const [id = ''] = await insertDefinitions(world.db, { siteId, account, count: 1, secretsKeys });
      return id;
    }

    async function enqueue(entries: readonly OutboxEntry[], delayMs = LATER_MS): Promise<void> {
      const { producer, logger } = world.services;
      for (let from = 0; from < entries.length; from += 500) {
        await enqueueEntries(producer, entries.slice(from, from + 500), logger, delayMs);
      }
    }

    /** Emits events through an API process that cannot reach the queue. */
    async function acceptWithoutQueue(shop: Shop, count: number): Promise<void> {
      const { config, logger } = world.services;
      const { publicUrl, stopping } = world.api.services;
      const apart = openServices({ ...config, redisUrl: UNREACHABLE_QUEUE }, logger, { publicUrl, stopping });
      const server = await startServer(createApp(apart.services).callback(), { host: '127.0.0.1', port: 0 });
      for (let nth = 0; nth < count; nth++) {
        const response = await fetch(`${server.url}/api/v2/event`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${shop.token}`,
            'tenant-key': shop.account,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ source: 'OMS', event: 'ORDER_CREATED', payload: {} }),
        });
        assert.equal(response.status, 202, await response.text());
      }
      await server.stop(0);
      await apart.close();
    }

    function overdueSince(minutes: number) {
      const since = world.db.raw("now() - ? * interval '1 minute'", [minutes]);
      return { next_attempt_at: since, dispatched_at: since };
    }

    async function dispatchesOf(entries: readonly (OutboxEntry | undefined)[]): Promise<number[]> {
      const ids = entries.map((entry) => (entry?.queue === 'deliver' ? entry.payload.deliveryId : ''));
      const rows = await world.db('delivery').whereIn('id', ids).select('dispatch');
      return rows.map(({ dispatch }) => dispatch);
    }
  });
});
