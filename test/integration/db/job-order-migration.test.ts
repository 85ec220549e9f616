/** A system that is upgraded with jobs waiting: the order of each site is kept. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import type { Db } from '../../../db/connection.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MIGRATION = '20261122090000_job-order.js';
const MIGRATIONS = {
  directory: fileURLToPath(new URL('../../../db/migrations', import.meta.url)),
  loadExtensions: ['.js'],
  tableName: 'schema_migration',
};

describe('the migration to an order in a table of its own', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
  });
  after(() => world.stop());

  it('keeps who runs, who is held and who waits, forwards and back', async () => {
    await down(world.db);
    const at = new Date('2026-11-21T12:00:00Z');
    const running = await addJob({ started_at: at, dispatched_at: at, shared: false, dispatch: 3 });
    const held = await addJob({ dispatched_at: null, shared: false, dispatch: 2 });
    const queued = await addJob({ dispatched_at: at, shared: true, dispatch: 1 });
    await addJob({ completed_at: at, step: null, dispatched_at: at });
    const before = await oldRows();
    await world.db.migrate.latest(MIGRATIONS);
    assert.deepEqual(
      await world.db('job_order').orderBy('position').select('job_id', 'state', 'concurrent', 'dispatch'),
      [
        { job_id: running, state: 'r', concurrent: false, dispatch: 3 },
        { job_id: held, state: 'h', concurrent: false, dispatch: 2 },
        { job_id: queued, state: 'q', concurrent: true, dispatch: 1 },
      ],
    );
    await world.db('job_order').where({ job_id: running }).update({ state: 'e' });
    assert.deepEqual(await releaseDue(world.db, [shop.siteId]), [
      { queue: 'plan', payload: { jobId: held, dispatch: 3 } },
    ]);
    await world.db('job_order').where({ job_id: running }).update({ state: 'r' });
    await world.db('job_order').where({ job_id: held }).update({ state: 'h', dispatch: 2 });
    await down(world.db);
    assert.deepEqual(await oldRows(), before);
    await world.db.migrate.latest(MIGRATIONS);
  });

  /** Back to the schema before the migration; those after it go first. */
  async function down(db: Db): Promise<void> {
    for (;;) {
      const [, [last]]: [number, string[]] = await db.migrate.down(MIGRATIONS);
      if (String(last).endsWith(MIGRATION)) return;
    }
  }

  async function addJob(columns: Record<string, unknown>): Promise<string> {
    const id = newId();
    await world.db('job').insert({
      ...{ id, site_id: shop.siteId, account_id: shop.account, type: 'ITEM_BULK', kind: 'item', status: 'SCHEDULED' },
      ...{ options: '{}', shared: false, step: 'plan', line_no: world.db.raw("nextval('job_line_no_seq')") },
      ...columns,
    });
    return id;
  }

  const oldRows = () =>
    world.db('job').orderBy('line_no').select('id', 'line_no', 'shared', 'dispatch', 'dispatched_at', 'step');
});
