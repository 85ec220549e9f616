/** Declares that a revert gives back the site as it was before a random job, and a revert of the revert as it was after it. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acceptRevert } from '../../../src/domain/imports/accept-revert.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { crashJob } from '../../support/faults/crash-job.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { catalogOf, defineAlternates, deletion, type ItemJob, itemJob } from '../../support/models/item-jobs.js';
import { carryOut, emptySite } from '../../support/models/run-item-job.js';
import { siteContents } from '../../support/models/site-digest.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const KINDS = [true, false].flatMap((unique) => [true, false].map((inheritable) => ({ unique, inheritable })));
const NO_WAIT = { headers: { prefer: 'wait=0' } };

interface RevertTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
}

const written = itemJob.map((job): ItemJob => ({ ...job, onError: 'skip', validateOnly: false }));
const trial = fc.record({
  kind: fc.constantFrom(...KINDS),
  before: fc.array(written, { minLength: 1, maxLength: 3 }),
  jobs: fc.array(fc.oneof({ weight: 3, arbitrary: written }, { weight: 1, arbitrary: deletion }), {
    minLength: 1,
    maxLength: 2,
  }),
  /** Where the worker of the revert loses the database; null: nowhere. */
  cut: fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 120 }),
      lose: fc.constantFrom('unsent' as const, 'unanswered' as const),
    }),
    { freq: 3 },
  ),
});

export function describeReverts({ trials, seed, mostMs = 600_000 }: RevertTrials): void {
  forEachBackend((backend) => {
    describe('a revert of random jobs', function () {
      this.timeout(mostMs + 120_000);
      let world: World;
      const shops = new Map<string, Shop>();
      before(async () => {
        // Items that refer to each other are rows of several chunks.
        world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 3 });
        await world.startWorkers({}, BULK_ONLY);
        for (const kind of KINDS) {
          const shop = await (await world.newShop()).define(catalogOf(kind));
          shops.set(JSON.stringify(kind), await defineAlternates(shop));
        }
      });
      after(() => world.stop());

      it(`gives back all that was there before, and its own revert what was there after them (seed ${seed})`, async () => {
        await fc.assert(
          fc.asyncProperty(trial, async ({ kind, before, jobs, cut }) => {
            const shop = shops.get(JSON.stringify(kind)) ?? assert.fail();
            await emptySite(world.db, shop);
            for (const job of before) await carryOut(shop, job);
            const contents = () => siteContents(world.db, shop.siteId);
            const atFirst = await contents();
            const done: string[] = [];
            for (const job of jobs) {
              const id = await carryOut(shop, job);
              if (!job.validateOnly && (await hasChanged(shop, id))) done.push(id);
            }
            if (done.length === 0) return;
            const changed = await contents();
            const undo = await (cut === null ? revert(shop, done) : revertCut(world, shop, done, cut));
            assert.deepEqual(await contents(), atFirst);
            await assertChangesAddUp(world.db, shop.siteId);
            if (undo === null) return;
            await revert(shop, [undo]);
            assert.deepEqual(await contents(), changed);
            await assertChangesAddUp(world.db, shop.siteId);
          }),
          { seed, numRuns: trials, interruptAfterTimeLimit: mostMs },
        );
      });
    });
  });
}

async function hasChanged(shop: Shop, jobId: string): Promise<boolean> {
  const query = 'limit=1&operations=CREATED,UPDATED,DELETED';
  return (await shop.ask('GET', `/jobs/${jobId}/changes?${query}`)).data.length > 0;
}

/** @returns the id of the new job; null: it had nothing to do */
async function revert(shop: Shop, jobIds: readonly string[]): Promise<string | null> {
  const { status, body } = await shop.post('/jobs/actions/revert', { jobIds }, NO_WAIT);
  assert.equal(status, 202, JSON.stringify(body));
  return reverted(shop, body.jobId);
}

/** As `revert`, by a worker that loses the database; another one goes on. */
async function revertCut(
  world: World,
  shop: Shop,
  jobIds: readonly string[],
  cut: Parameters<typeof crashJob>[2],
): Promise<string | null> {
  const id = newId();
  const request = { id, requestId: null, validateOnly: false };
  const steps = await world.db.transaction((trx) => acceptRevert(trx, shop.site, jobIds, request));
  await crashJob(world, steps, cut);
  return reverted(shop, id);
}

async function reverted(shop: Shop, jobId: string): Promise<string | null> {
  const { errors, updated, created, status } = await shop.outcome(jobId);
  assert.deepEqual([status, errors], ['COMPLETED', []]);
  return updated + created > 0 ? jobId : null;
}
