/** Declares that a file which is all or nothing stays so although workers are killed in the middle of it, and ends by itself. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { killDuring } from '../support/faults/kill-workers.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { IMPORT_CATALOG } from '../support/models/import-rows.js';
import { seededRandom } from '../support/models/random.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

export interface WholeKillTrials {
  readonly rows: number;
  readonly chunkRows: number;
  /** How often a worker is killed, in each job. */
  readonly kills: number;
}

const WATCH_EVERY_MS = 20;

export function runWholeKillTrials({ rows, chunkRows, kills }: WholeKillTrials): void {
  let world: SystemWorld;
  let shop: Shop;
  const env = { WORKER_CHUNK_ROWS: String(chunkRows) };

  before(async () => {
    world = await startSystemWorld({ workers: 2, env });
    shop = await (await world.newShop()).define(IMPORT_CATALOG);
  });
  after(() => world.stop());

  forEachBackend((backend) => {
    before(() => world.restart({ workers: 2, redisUrl: backend.redisUrl, env }));
    beforeEach('empty the site', () => world.db('item').delete());

    it(`has all of its rows in or none, although workers are killed ${kills} times`, async () => {
      const seed = Date.now() % 1_000_000;
      const jobId = await shop.upload('good.csv', csv(rows, []), { onError: 'abort' });
      const seen = watch(jobId);
      await killDuring(world, jobId, kills, seededRandom(seed));
      const { status, progressTracker } = await untilEnded(shop, jobId);
      assert.deepEqual([status, progressTracker.createdCount], ['COMPLETED', rows], `seed ${seed}`);
      const counts = await seen;
      counts.delete(0);
      assert.deepEqual([...counts], [rows], `seed ${seed}`);
    });

    it(`has none of its rows in when one is bad, although workers are killed ${kills} times`, async () => {
      const seed = Date.now() % 1_000_000;
      const bad = [Math.floor(rows / 3), rows - 1];
      const jobId = await shop.upload('bad.csv', csv(rows, bad), { onError: 'abort' });
      const seen = watch(jobId);
      await killDuring(world, jobId, kills, seededRandom(seed));
      await untilEnded(shop, jobId);
      const { status, reason, created, failed, errors } = await shop.outcome(jobId);
      assert.deepEqual([status, reason, created, failed], ['REJECTED', 'ROWS_FAILED', 0, 2], `seed ${seed}`);
      assert.deepEqual(
        errors.map(({ row }) => row),
        bad.map((index) => index + 2),
      );
      assert.deepEqual([...(await seen)], [0], `seed ${seed}`);
    });
  });

  /** How many items anybody saw while the job ran, and after it. */
  async function watch(jobId: string): Promise<Set<number>> {
    const counts = new Set<number>();
    for (;;) {
      const job = await world.db('job').where({ id: jobId }).first('completed_at');
      const { count } = await world.db('item').first(world.db.raw('count(*)::integer AS count'));
      counts.add(count);
      if (job.completed_at !== null) return counts;
      await delay(WATCH_EVERY_MS);
    }
  }
}

/** @param bad indexes of rows whose price is none */
function csv(rows: number, bad: readonly number[]): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const price = bad.includes(index) ? 'cheap' : `${index % 500}.25`;
    return `SKU-${String(index).padStart(8, '0')},Storage->Disk,Disk ${index},${price},${index % 90},red\n`;
  });
  return `SKU,Category Node,Title,Price,Stock,Colour\n${lines.join('')}`;
}
