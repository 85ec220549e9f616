/** One input, one outcome: whatever the number of workers, and however many of them are killed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { forEachBackend } from '../support/for-each-backend.js';
import { IMPORT_CATALOG, importRows } from '../support/import-rows.js';
import { killDuring } from '../support/kill-workers.js';
import { seededRandom } from '../support/random.js';
import type { Shop } from '../support/shop.js';
import { digestItems, digestJob, type JobDigest, type SiteDigest } from '../support/site-digest.js';
import { type SystemWorld, startSystemWorld } from '../support/system-world.js';
import { untilEnded } from '../support/until-ended.js';

const ROWS = 200_000;
const KILLS = 5;

describe('an import of 200,000 rows', function () {
  this.timeout(120_000);
  const rows = importRows(ROWS);
  let world: SystemWorld;
  let shop: Shop;
  let alone: Result;

  before('import with one worker process', async () => {
    world = await startSystemWorld({ workers: 1 });
    shop = await (await world.newShop()).define(IMPORT_CATALOG);
    alone = await resultOf(await shop.upload('disks.csv', rows.csv));
  });
  after(() => world.stop());

  it('creates, fails and reports exactly the rows that it must', async () => {
    const { status, counts } = alone.job;
    assert.equal(status, 'COMPLETED_PARTIALLY');
    const { total, created, failed } = rows;
    assert.deepEqual(counts, { total, processed: total, created, updated: 0, unchanged: 0, failed });
    assert.equal(alone.site.items, created);
    const errors: { row_no: number; code: string }[] = await world
      .db('job_error')
      .orderBy('row_no')
      .select('row_no', 'code');
    assert.deepEqual(
      errors.map(({ row_no, code }) => [row_no, code]),
      [...rows.errors].sort(([a], [b]) => a - b),
    );
  });

  forEachBackend((backend) => {
    describe('with four worker processes', () => {
      before(() => world.restart({ workers: 4, redisUrl: backend.redisUrl }));
      beforeEach('empty the site', () => world.db('item').delete());

      it('comes out the same', async () => {
        assert.deepEqual(await resultOf(await shop.upload('disks.csv', rows.csv)), alone);
      });

      it(`comes out the same although workers are killed ${KILLS} times, without help`, async () => {
        const seed = Date.now();
        const jobId = await shop.upload('disks.csv', rows.csv);
        const killed = await killDuring(world, jobId, KILLS, seededRandom(seed));
        assert.equal(killed.length, KILLS);
        assert.deepEqual(await resultOf(jobId), alone, `seed ${seed}`);
      });
    });
  });

  interface Result {
    readonly site: SiteDigest;
    readonly job: JobDigest;
    readonly errorFile: string;
  }

  /** Waits for the job's end, and says what there is then. */
  async function resultOf(jobId: string): Promise<Result> {
    await untilEnded(shop, jobId);
    const { errorFile } = await shop.outcome(jobId);
    const { bytes } = await shop.download(errorFile ?? '');
    return {
      site: await digestItems(world.db, shop.siteId),
      job: await digestJob(world.db, jobId),
      errorFile: createHash('sha256').update(bytes).digest('hex'),
    };
  }
});
