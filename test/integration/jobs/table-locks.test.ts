/** Locks of whole tables, as ALTER TABLE and VACUUM FULL take them, in the middle of jobs: all are given, and all work ends. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { runTableLockTrials } from './table-locks.trials.js';

const ROWS = 20;
/** What waits for a lock that nobody gives waits for ever. */
const WITHIN_MS = 10_000;

describe('a table lock that is asked for in the middle of an import', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  before(async () => {
    world = await startWorld({ workers: true });
    await installFaults(world.db);
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    assert.equal((await shop.importFile('first.csv', csv('first'))).created, ROWS);
  });
  after(() => world.stop());
  afterEach(async () => {
    await gate?.open();
    gate = undefined;
  });

  for (const table of ['item', 'job_chunk', 'job_error', 'job', 'category', 'attribute']) {
    it(`of ${table} is given, and the import that is all or nothing ends`, async () => {
      gate = await shutGate(world.services.config.databaseUrl);
      const id = await shop.upload('again.csv', csv(`for ${table}`), { onError: 'abort' });
      await gate.reached();
      const locker = new pg.Client({ connectionString: world.services.config.databaseUrl });
      await locker.connect();
      try {
        const { rows } = await locker.query('SELECT pg_backend_pid() AS pid');
        await locker.query('BEGIN');
        let isGiven = false;
        const given = locker.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`).then(() => {
          isGiven = true;
        });
        await until('the lock waits, or is given', async () => isGiven || (await waits(rows[0].pid)), WITHIN_MS);
        await gate.open();
        await until(`the lock of ${table} is given`, () => isGiven, WITHIN_MS);
        await given;
        await locker.query('COMMIT');
      } finally {
        await locker.end();
      }
      const { status, updated } = await shop.outcome(id);
      assert.deepEqual([status, updated], ['COMPLETED', ROWS]);
    });
  }

  async function waits(pid: number): Promise<boolean> {
    const found = await world.db.raw('SELECT FROM pg_locks WHERE pid = ? AND NOT granted', [pid]);
    return found.rowCount > 0;
  }
});

describe('table locks at random times', function () {
  this.timeout(180_000);
  runTableLockTrials({ waiting: 6, holding: 6 });
});

/** The fifth item waits at the gate. */
function csv(title: string): string {
  const skus = Array.from({ length: ROWS }, (_, nth) => (nth === 4 ? `${FAULT.wait}${nth}` : `sku-${nth}`));
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,${title}\n`).join('')}`;
}
