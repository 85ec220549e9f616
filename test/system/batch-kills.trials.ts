/**
 * Declares that small jobs of many sites, which workers execute in batches, come out exactly as if each had been
 * executed by itself, however many workers are killed meanwhile.
 */
import assert from 'node:assert/strict';
import { killOne } from '../support/faults/kill-workers.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Outcome, Shop, WriteMode } from '../support/http/shop.js';
import { assertChangesAddUp } from '../support/models/change-sum.js';
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
      const newShop = async () => {
        const shop = await (await world.newShop()).define({
          attributes: ['Title', { name: 'Brand', type: 'TEXT', validation: { inheritable: true } }],
          // The status of variants depends on their parents.
          categories: { Disk: ['Title', 'Brand!'] },
        });
        assert.equal((await shop.bulk('insert', [...rowsOf('shared', { Title: 'first' }), ...variants()])).status, 200);
        return shop;
      };
      shops = await Promise.all(Array.from({ length: shopCount }, newShop));
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
        await assertChangesAddUp(world.db, shop.siteId);
      }
    });

    /** How many jobs have ended, besides those that made the first items. */
    async function endedJobs(): Promise<number> {
      const ended = await world.db('job').where({ kind: 'item' }).whereNotNull('completed_at').count().first();
      return Number(ended?.count) - shops.length;
    }
  });
}

const ROWS = 5;

function rowsOf(sku: string, attributes: Readonly<Record<string, string | null>>): object[] {
  return Array.from({ length: ROWS }, (_, row) => ({ sku: `${sku}-${row}`, nodeName: 'Disk', attributes }));
}

/** A variant of each of the shared items. */
function variants(): object[] {
  return Array.from({ length: ROWS }, (_, row) => ({
    ...{ sku: `variant-${row}`, nodeName: 'Disk', parentSku: `shared-${row}` },
    attributes: { Title: 'variant' },
  }));
}

/**
 * A third are inserts of new items, a third change the same items one after another and with them the status of their
 * variants, a third have a row that fails.
 */
function planned(nth: number): Planned {
  const none = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  if (nth % 3 === 0) {
    return {
      mode: 'insert',
      rows: rowsOf(`new-${nth}`, { Title: 'new' }),
      expected: { ...none, status: 'COMPLETED', created: ROWS },
    };
  }
  if (nth % 3 === 1) {
    return {
      mode: 'upsert',
      rows: rowsOf('shared', { Title: `as job ${nth}`, Brand: nth % 2 === 0 ? null : 'B' }),
      expected: { ...none, updated: ROWS, status: 'COMPLETED' },
    };
  }
  const failing = { sku: `bad-${nth}`, nodeName: 'No such category' };
  const counts = { created: ROWS, failed: 1 };
  const expected = { ...none, ...counts, status: 'COMPLETED_PARTIALLY' };
  return { mode: 'upsert', rows: [...rowsOf(`other-${nth}`, { Title: 'other' }), failing], expected };
}

function titleAfter(jobs: number): string {
  let last = jobs - 1;
  while (last % 3 !== 1) last -= 1;
  return `as job ${last}`;
}
