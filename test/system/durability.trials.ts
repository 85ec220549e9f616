/** Declares that one input has one outcome, whatever the number of workers, and however many of them are killed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { killDuring } from '../support/faults/kill-workers.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { IMPORT_CATALOG, importRows } from '../support/models/import-rows.js';
import { seededRandom } from '../support/models/random.js';
import { digestItems, digestJob, type JobDigest, type SiteDigest } from '../support/models/site-digest.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

export interface KillTrials {
  readonly rows: number;
  /** How many worker processes, and how often one of them is killed. */
  readonly systems: readonly { readonly workers: number; readonly kills: number }[];
  /** Default: as in production. */
  readonly chunkRows?: number;
}

interface Result {
  readonly site: SiteDigest;
  readonly job: JobDigest;
  readonly errorFile: string;
}

export function runKillTrials({ rows: count, systems, chunkRows }: KillTrials): void {
  const rows = importRows(count);
  const env: Record<string, string> = chunkRows === undefined ? {} : { WORKER_CHUNK_ROWS: String(chunkRows) };
  let world: SystemWorld;
  let shop: Shop;
  let alone: Result;

  before('import with one worker process', async () => {
    world = await startSystemWorld({ workers: 1, env });
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

  for (const { workers, kills } of systems) {
    forEachBackend((backend) => {
      describe(workers === 1 ? 'with one worker process' : `with ${workers} worker processes`, () => {
        before(() => world.restart({ workers, redisUrl: backend.redisUrl, env }));
        beforeEach('empty the site', () => world.db('item').delete());

        it('comes out the same', async () => {
          assert.deepEqual(await resultOf(await shop.upload('disks.csv', rows.csv)), alone);
        });

        it(`comes out the same although workers are killed ${kills} times, without help`, async () => {
          const seed = Date.now();
          const jobId = await shop.upload('disks.csv', rows.csv);
          const killed = await killDuring(world, jobId, kills, seededRandom(seed));
          assert.equal(killed.length, kills);
          assert.deepEqual(await resultOf(jobId), alone, `seed ${seed}`);
        });
      });
    });
  }

  /** Waits for the job's end, and says what there is then. */
  async function resultOf(jobId: string): Promise<Result> {
    await untilEnded(shop, jobId);
    const { errorFile } = await shop.outcome(jobId);
    const { bytes } = await shop.download(errorFile ?? '');
    return {
      site: await digestItems(world.db, shop.siteId),
      job: await digestJob(world.db, jobId),
      errorFile: createHash('sha256').update(bytes.toString().replaceAll(jobId, 'the job')).digest('hex'),
    };
  }
}
