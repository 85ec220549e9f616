/** Declares that a job whose rows exchange their values is ended by others exactly when its worker is killed. */
import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const CATALOG = {
  attributes: [{ name: 'U', type: 'TEXT', validation: { unique: true } }],
  categories: { Disk: ['U'] },
};

/** @param step every so many messages to the database one is the last */
export function runSetKillTrials(step: number): void {
  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      shop = await world.newShop();
      await world.startWorkers({}, BULK_ONLY);
      await shop.define(CATALOG);
    });
    after(() => world.stop());

    const VALUES = { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' };
    const ROTATED = { f: '1', d: '5', b: '3', a: '2', e: '6', c: '4' };
    const rows = ['SKU,U', ...Object.entries(ROTATED).map((pair) => pair.join(','))].join('\n');

    for (const onError of ['skip', 'abort'] as const) {
      it(`is ended by others exactly, ${onError === 'skip' ? 'chunk by chunk' : 'all or nothing'}`, async () => {
        await shop.bulk('upsert', elementsOf(VALUES, 'Disk'));
        const accept = () => world.acceptFile(shop, 'items.csv', rows, 'upsert', { onError });
        const kill = async (at: number, lose: 'unsent' | 'unanswered') => {
          const { jobId, outboxEntries } = await accept();
          const { cut, messages } = await runDoomed(world.services, outboxEntries, { at, lose });
          await untilDoomedIsGone(world.db);
          const now = await shop.values('U');
          // Never some of the values, whatever was committed.
          assert.ok(same(now, VALUES) || same(now, ROTATED), JSON.stringify(now));
          await reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
          const { status, updated, errors } = await shop.outcome(jobId);
          assert.deepEqual([status, updated, errors], ['COMPLETED', 6, []], `killed at message ${at}`);
          assert.deepEqual(await shop.values('U'), ROTATED);
          const reserved = await world
            .db('item_unique_value')
            .where({ site_id: shop.siteId })
            .orderBy('sku')
            .pluck('sku');
          assert.deepEqual(reserved, Object.keys(VALUES));
          await shop.bulk('upsert', elementsOf(Object.fromEntries(Object.keys(VALUES).map((sku) => [sku, `t${sku}`]))));
          await shop.bulk('upsert', elementsOf(VALUES));
          return { cut, messages };
        };
        const { cut, messages } = await kill(Number.MAX_SAFE_INTEGER, 'unsent');
        assert.ok(!cut && messages > 20);
        for (let at = 5, nth = 0; at < messages; at += step, nth++)
          await kill(at, nth % 2 === 0 ? 'unsent' : 'unanswered');
      });
    }
  });
}

function same(values: object, others: object): boolean {
  return Object.entries(others).every(([sku, value]) => (values as Record<string, unknown>)[sku] === value);
}

function elementsOf(rows: Readonly<Record<string, string>>, nodeName?: string): object[] {
  return Object.entries(rows).map(([sku, U]) => ({ sku, nodeName, attributes: { U } }));
}
