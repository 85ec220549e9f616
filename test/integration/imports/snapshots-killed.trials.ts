/** Declares that workers which are killed while a file removes what it lacks leave it to others, which remove it once. */
import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const FIRST = `SKU,Category Node,Title
a,A,1
b,A,2
c,A,3
d,A,4
e,B,5
f,B,6
`;
const TRUTH = `SKU,Category Node,Title
a,A,1
b,A,changed
n,A,new
m,A,new
`;
const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;

/** @param step every so many messages to the database one is the last, lost and unanswered in turn */
export function describeSnapshotKills(step: number): void {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());

  const limits = { maxMissingPercent: 100 };
  const JOBS = {
    'deletes it': { missing: 'delete', ...limits },
    'sets a value of it': { missing: { set: { attribute: 'Title', value: 'gone' } }, ...limits },
    'is stopped by the brake': { missing: 'delete', maxMissingPercent: 5 },
  } as const;
  for (const [what, snapshot] of Object.entries(JOBS)) {
    for (const onError of ['skip', 'abort'] as const) {
      it(`leaves it to others, and its job ${what}, with onError ${onError}`, async () => {
        const ready = async () => {
          const shop = await world.newShop();
          await shop.define({ attributes: ['Title'], categories: { A: ['Title'], B: ['Title'] } });
          await shop.importFile('first.csv', FIRST);
          const options = { onError, snapshot: { scope: { category: 'A' }, ...snapshot } } as const;
          return { shop, ...(await world.acceptFile(shop, 'x.csv', TRUTH, 'upsert', options)) };
        };
        const undisturbed = await ready();
        const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, NEVER);
        const expected = await state(undisturbed.shop, undisturbed.jobId);
        const untouched = ['a=1', 'b=2', 'c=3', 'd=4', 'e=5', 'f=6'];
        const stopped = 'maxMissingPercent' in snapshot && snapshot.maxMissingPercent === 5;
        if (stopped && onError === 'abort') assert.deepEqual(expected.items, untouched);
        else assert.equal(expected.items.length, stopped ? 8 : what === 'deletes it' ? 6 : 8);
        for (let at = 1, kills = 0; at <= messages; at += step, kills++) {
          const { shop, jobId, outboxEntries } = await ready();
          const lose = kills % 2 === 0 ? 'unsent' : 'unanswered';
          const { cut } = await runDoomed(world.services, outboxEntries, { at, lose });
          assert.ok(cut, `message ${at} was never sent`);
          await untilDoomedIsGone(world.db);
          const [items, operations] = [await titles(shop), await removals(shop, jobId)];
          // All removals or none of them.
          assert.ok(
            [0, expected.removals.length].includes(operations.length),
            `${operations.length} removals: ${items}`,
          );
          await reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
          assert.deepEqual(await state(shop, jobId), expected, `killed at message ${at} of ${messages}`);
        }
      });
    }
  }

  async function titles(shop: Shop): Promise<string[]> {
    return Object.entries(await shop.values('Title')).map(([sku, title]) => `${sku}=${title}`);
  }

  /** What the change log has of items that no row names. */
  async function removals(shop: Shop, jobId: string): Promise<string[]> {
    const rows = await world
      .db('item_change')
      .join('change_set', 'change_set.id', 'item_change.set_id')
      .where({ 'change_set.job_id': jobId, 'item_change.site_id': shop.siteId })
      .whereNull('item_change.row_no')
      .orderBy('item_change.sku')
      .select('item_change.sku', 'item_change.operation');
    return rows.map(({ sku, operation }) => `${operation} ${sku}`);
  }

  async function state(shop: Shop, jobId: string) {
    const { status, reason, message, created, updated, unchanged, failed } = await shop.outcome(jobId);
    const { removal } = await shop.ask('GET', `/jobs/${jobId}`);
    const left = await world.db('snapshot_sku').where({ job_id: jobId });
    return {
      job: { status, reason, message, created, updated, unchanged, failed, removal },
      items: await titles(shop),
      removals: await removals(shop, jobId),
      left,
    };
  }
}
