/** Declares that a month of the change log is dropped within seconds, and that nobody who uses the other months waits. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';
import { openFeed, presentCursor, readFeed } from '../../../src/domain/changes/feed.js';
import { END_OF_SET, formatCursor } from '../../../src/domain/changes/feed-cursor.js';
import { createPartitions, dropPartitions } from '../../../src/domain/changes/partitions.js';
import { recordChanges } from '../../../src/domain/changes/record-changes.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CHANGES_A_SET = 1_000;
const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
/** What readers and writers do while a month is detached. */
const ROUNDS = 20;
const SECONDS = 10_000;

/** @param changes how many changes of items the month has */
export function describePruning(changes: number): void {
  describe(`a month of ${changes} changes`, function () {
    this.timeout(300_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld();
      shop = await world.newShop();
    });
    after(() => world.stop());

    const change = () =>
      world.db.transaction((trx) =>
        recordChanges(trx, [
          {
            siteId: shop.siteId,
            jobId: null,
            actor: null,
            changes: {
              created: [],
              createdRows: [],
              changed: [{ sku: 'a', operation: 'U', row: null, changed: { x: { b: 1, a: 2 } } }],
            },
          },
        ]),
      );

    it('is dropped within seconds while others read and write, and a cursor of before is refused', async () => {
      const { db } = world;
      const month = new Date(Date.now() - 2 * RETENTION_DAYS * DAY_MS);
      await createPartitions(db, new Date(), month);
      const positions = await fill(db, shop.siteId, month, changes);
      const cursor = await presentCursor(db, shop.siteId);
      const old = formatCursor((await openFeed(db, shop.siteId)).epoch, { position: positions - 1, n: END_OF_SET });
      assert.equal((await readFeed(db, shop.siteId, old, {}, 1)).entries.length, 1);
      const using = await db.transaction();
      await using.raw('SELECT FROM change_set LIMIT 1');
      const dropping = dropPartitions(db, new Date(), RETENTION_DAYS);
      await until('a month is being detached', () => isDetaching(db), 60_000);
      for (let round = 0; round < ROUNDS; round++) {
        await change();
        assert.equal((await readFeed(db, shop.siteId, cursor, {}, 1_000)).entries.length, round + 1);
      }
      await using.commit();
      const began = performance.now();
      const dropped = await dropping;
      const took = performance.now() - began;
      assert.ok(took < SECONDS, `it took ${took} ms`);
      assert.ok(dropped.includes(`item_change_${month.toISOString().slice(0, 7).replace('-', '_')}`), dropped.join());
      await assert.rejects(readFeed(db, shop.siteId, old, {}, 1), { code: 'CURSOR_GONE' });
      assert.equal((await readFeed(db, shop.siteId, cursor, {}, 1_000)).entries.length, ROUNDS);
      assert.deepEqual(await dropPartitions(db, new Date(), RETENTION_DAYS), []);
    });
  });
}

/** @returns how many positions were given */
async function fill(db: Db, siteId: number, at: Date, changes: number): Promise<number> {
  const sets = changes / CHANGES_A_SET;
  await db.raw(
    `INSERT INTO change_set (site_id, at, position, numbered_at)
     SELECT ?, ?::timestamptz, n, now() FROM generate_series(1, ?::integer) AS n`,
    [siteId, at, sets],
  );
  await db.raw(
    `INSERT INTO item_change (set_id, n, site_id, at, operation, sku, changed)
     SELECT id, n, site_id, at, 'U', 'sku-' || n, '{"5f0000000000000000000001": {"b": 1, "a": 2}}'
     FROM change_set CROSS JOIN generate_series(1, ?::integer) AS n WHERE site_id = ?`,
    [CHANGES_A_SET, siteId],
  );
  await db('change_feed').insert({ site_id: siteId, last_position: sets });
  return sets;
}

async function isDetaching(db: Db): Promise<boolean> {
  const { rows } = await db.raw(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE % DETACH %'`,
  );
  return rows.length > 0;
}
