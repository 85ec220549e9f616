/** Declares that a revert gives back a whole stage, definitions and items, as its exports had it before random jobs. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acceptRevert } from '../../../src/domain/imports/accept-revert.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { crashJob } from '../../support/faults/crash-job.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { catalogFiles, untilQuiet } from '../../support/models/catalog-files.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { fillStage, retypingJobs } from '../../support/models/definition-jobs.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { assertConsistent } from '../../support/models/site-consistency.js';
import { siteContents } from '../../support/models/site-digest.js';
import { carryOutOnStage, stageJob } from '../../support/models/stage-jobs.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const NO_WAIT = { headers: { prefer: 'wait=0' } };

interface RevertTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
}

const trial = fc.record({
  isFilled: fc.integer({ min: 0, max: 3 }).map((chance) => chance > 0),
  before: fc.array(stageJob, { maxLength: 3 }),
  jobs: fc.oneof(
    { weight: 4, arbitrary: fc.array(stageJob, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: retypingJobs },
  ),
  /** Whether all of the jobs are taken back at once, or the last one only. */
  isAll: fc.boolean(),
  isPreviewed: fc.boolean(),
  /** Where the worker of the revert loses the database; null: nowhere. */
  cut: fc.option(
    fc.record({
      at: fc.integer({ min: 1, max: 150 }),
      lose: fc.constantFrom('unsent' as const, 'unanswered' as const),
    }),
    { freq: 2 },
  ),
});

export function describeDefinitionReverts({ trials, seed, mostMs = 600_000 }: RevertTrials): void {
  forEachBackend((backend) => {
    describe('a revert of random jobs of definitions and items', function () {
      this.timeout(mostMs + 120_000);
      let world: World;
      before(async () => {
        world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 3 });
        await world.startWorkers();
      });
      after(() => world.stop());

      it(`gives back the exports of the stage, and its own revert those after the jobs (seed ${seed})`, async () => {
        await fc.assert(
          fc.asyncProperty(trial, async ({ isFilled, before, jobs, isAll, isPreviewed, cut }) => {
            const shop = await world.newShop();
            if (isFilled) await fillStage(shop);
            for (const job of before) await carryOutOnStage(world, shop, job);
            const done: string[] = [];
            let expected = await stage(shop);
            for (const [nth, job] of jobs.entries()) {
              if (!isAll && nth > 0 && nth === jobs.length - 1) expected = await stage(shop);
              const id = await carryOutOnStage(world, shop, job);
              if (id !== null && (await hasChanged(shop, id))) done.push(id);
              else if (!isAll && nth === jobs.length - 1) return;
            }
            const ids = isAll ? done : done.slice(-1);
            if (ids.length === 0) return;
            const changed = await stage(shop);
            const preview = isPreviewed ? await previewed(shop, ids) : undefined;
            if (isPreviewed) assert.deepEqual(await stage(shop), changed, 'a dry run changes nothing');
            const undo = await (cut === null ? revert(shop, ids) : revertCut(world, shop, ids, cut));
            assert.deepEqual(await stage(shop), expected);
            if (preview !== undefined) assert.deepEqual(await changesOf(shop, undo), preview);
            await addsUp(shop);
            if (!(await hasChanged(shop, undo))) return;
            await revert(shop, [undo]);
            assert.deepEqual(await stage(shop), changed);
            await addsUp(shop);
          }),
          { seed, numRuns: trials, interruptAfterTimeLimit: mostMs, endOnFailure: process.env.SHRINK === undefined },
        );
      });

      async function stage(shop: Shop) {
        await untilQuiet(shop);
        await assertConsistent(world.db, shop.siteId);
        return { ...(await catalogFiles(shop)), ...(await siteContents(world.db, shop.siteId)) };
      }

      /** Whether it has written something but statuses that follow from others, and has not only shown it. */
      async function hasChanged(shop: Shop, jobId: string): Promise<boolean> {
        const query = 'limit=1&operations=CREATED,UPDATED,DELETED';
        if ((await shop.ask('GET', `/jobs/${jobId}/changes?${query}`)).data.length === 0) return false;
        return (await world.db('change_set').where({ job_id: jobId, preview: false }).first('id')) !== undefined;
      }

      async function addsUp(shop: Shop): Promise<void> {
        await assertDefinitionsAddUp(world.db, shop.siteId);
        await assertChangesAddUp(world.db, shop.siteId);
      }
    });
  });
}

/** What a job has changed, or would, but for names: those of a deleted attribute are not known any more. */
async function changesOf(shop: Shop, jobId: string): Promise<string[]> {
  const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=1000&operations=CREATED,UPDATED,DELETED`);
  const texts: string[] = data.map(({ kind, operation, sku, definition }: Answer['body']) =>
    JSON.stringify([kind, operation, sku, definition?.id]),
  );
  return texts.sort();
}

async function previewed(shop: Shop, jobIds: readonly string[]): Promise<string[]> {
  return changesOf(shop, await revert(shop, jobIds, true));
}

async function revert(shop: Shop, jobIds: readonly string[], validateOnly = false): Promise<string> {
  const { status, body } = await shop.post('/jobs/actions/revert', { jobIds, validateOnly }, NO_WAIT);
  assert.equal(status, 202, JSON.stringify(body));
  return ended(shop, body.jobId);
}

/** As `revert`, by a worker that loses the database; another one goes on. */
async function revertCut(
  world: World,
  shop: Shop,
  jobIds: readonly string[],
  cut: Parameters<typeof crashJob>[2],
): Promise<string> {
  const id = newId();
  const request = { id, requestId: null, validateOnly: false };
  const steps = await world.db.transaction((trx) => acceptRevert(trx, shop.site, jobIds, request));
  await crashJob(world, steps, cut);
  return ended(shop, id);
}

async function ended(shop: Shop, jobId: string): Promise<string> {
  const { errors, status } = await shop.outcome(jobId);
  assert.deepEqual([status, errors], ['COMPLETED', []]);
  return jobId;
}
