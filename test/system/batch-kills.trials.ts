/**
 * Declares that small jobs of many sites, which workers execute in batches, come out exactly as if each had been
 * executed by itself, however many workers are killed meanwhile.
 */
import assert from 'node:assert/strict';
import { killOne } from '../support/faults/kill-workers.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Outcome, Shop, WriteMode } from '../support/http/shop.js';
import { seededRandom } from '../support/models/random.js';
import { until } from '../support/until.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

export interface BatchKillTrials {
  readonly shops: number;
  readonly jobsOfEach: number;
  readonly kills: number;
  readonly withinMs: number;
}

type Counts = Pick<Outcome, 'status' | 'created' | 'updated' | 'unchanged' | 'failed'>;

interface Planned {
  readonly mode: WriteMode;
  readonly rows: readonly object[];
  readonly expected: Counts;
}

const WORKERS = 2;

export function runBatchKillTrials({ shops: shopCount, jobsOfEach, kills, withinMs }: BatchKillTrials): void {
  forEachBackend((backend) => {
    let world: SystemWorld;
    let shops: Shop[];
    before(async () => {
      world = await startSystemWorld({ workers: WORKERS, redisUrl: backend.redisUrl });
      const shop = async () =>
        (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      shops = await Promise.all(Array.from({ length: shopCount }, shop));
    });
    after(() => world.stop());

    it(`of ${shopCount} accounts come out as if each was alone, although workers are killed ${kills} times`, async () => {
      const seed = Date.now();
      const random = seededRandom(seed);
      const total = shopCount * jobsOfEach;
      const expected = new Map<string, Counts>();
      const sending = Promise.all(
        shops.map(async (shop) => {
          for (let nth = 0; nth < jobsOfEach; nth++) {
            const { mode, rows, expected: counts } = planned(nth);
            const answer = await shop.call('POST', `/api-product/v1/product/bulk/${mode}`, { body: rows });
            assert.equal(answer.status, 202, JSON.stringify(answer.body));
            expected.set(answer.body.jobId, counts);
          }
        }),
      );
      for (let kill = 1; kill <= kills; kill++) {
        const share = (kill - random()) / (kills + 1);
        await until('the next worker is killed', async () => (await endedJobs()) >= share * total, withinMs);
        await killOne(world, random);
      }
      await sending;
      await until('all jobs have ended', async () => (await endedJobs()) === total, withinMs);
      const ends: (Counts & { id: string })[] = await world
        .db('job')
        .whereIn('id', [...expected.keys()])
        .select({
          ...{ id: 'id', status: 'status', created: 'created_count', updated: 'updated_count' },
          ...{ unchanged: 'unchanged_count', failed: 'error_count' },
        });
      assert.equal(ends.length, total);
      for (const { id, ...counts } of ends) assert.deepEqual(counts, expected.get(id), `job ${id}, seed ${seed}`);
      for (const shop of shops) {
        assert.equal((await shop.item('shared-0'))?.attributes.Title, titleAfter(jobsOfEach));
      }
    });

    async function endedJobs(): Promise<number> {
      const ended = await world.db('job').where({ kind: 'item' }).whereNotNull('completed_at').count().first();
      return Number(ended?.count);
    }
  });
}

const ROWS = 5;

/** A third are inserts of new items, a third change the same items one after another, a third have a row that fails. */
function planned(nth: number): Planned {
  const none = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const rows = (sku: string, title: string) =>
    Array.from({ length: ROWS }, (_, row) => ({
      sku: `${sku}-${row}`,
      nodeName: 'Disk',
      attributes: { Title: title },
    }));
  if (nth % 3 === 0) {
    return {
      mode: 'insert',
      rows: rows(`new-${nth}`, 'new'),
      expected: { ...none, status: 'COMPLETED', created: ROWS },
    };
  }
  if (nth % 3 === 1) {
    const counts = nth === 1 ? { created: ROWS } : { updated: ROWS };
    return {
      mode: 'upsert',
      rows: rows('shared', `as job ${nth}`),
      expected: { ...none, ...counts, status: 'COMPLETED' },
    };
  }
  const failing = { sku: `bad-${nth}`, nodeName: 'No such category' };
  const counts = { created: ROWS, failed: 1 };
  const expected = { ...none, ...counts, status: 'COMPLETED_PARTIALLY' };
  return { mode: 'upsert', rows: [...rows(`other-${nth}`, 'other'), failing], expected };
}

function titleAfter(jobs: number): string {
  let last = jobs - 1;
  while (last % 3 !== 1) last -= 1;
  return `as job ${last}`;
}
