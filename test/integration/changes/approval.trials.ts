/** Declares that a preview says what happens, and that nothing is written but what was approved. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createToken } from '../../../src/domain/access/tokens.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { catalogOf, defineAlternates, deletion, type ItemJob, itemJob } from '../../support/models/item-jobs.js';
import { carryOut, emptySite, sendJob } from '../../support/models/run-item-job.js';
import { siteContents } from '../../support/models/site-digest.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const KINDS = [true, false].flatMap((unique) => [true, false].map((inheritable) => ({ unique, inheritable })));

interface ApprovalTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
}

const written = itemJob.map((job): ItemJob => ({ ...job, onError: 'skip', validateOnly: false }));
const proposed = fc.oneof(
  { weight: 4, arbitrary: itemJob.map((job): ItemJob => ({ ...job, validateOnly: false })) },
  { weight: 1, arbitrary: deletion.map((job) => ({ ...job, validateOnly: false })) },
);
const trial = fc.record({
  kind: fc.constantFrom(...KINDS),
  before: fc.array(written, { minLength: 1, maxLength: 3 }),
  job: proposed,
  /** What happens between the preview and the approval. */
  meanwhile: fc.array(written, { maxLength: 2 }),
});

export function describeApprovals({ trials, seed, mostMs = 600_000 }: ApprovalTrials): void {
  forEachBackend((backend) => {
    describe('an approval of random jobs', function () {
      this.timeout(mostMs + 120_000);
      let world: World;
      const shops = new Map<string, Shop>();
      before(async () => {
        world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 3, workers: true });
        for (const kind of KINDS) {
          const shop = await (await world.newShop()).define(catalogOf(kind));
          shops.set(JSON.stringify(kind), await defineAlternates(shop));
        }
      });
      after(() => world.stop());

      it(`writes what the preview has shown, and nothing else (seed ${seed})`, async () => {
        let tried = 0;
        let approved = 0;
        await fc.assert(
          fc.asyncProperty(trial, async ({ kind, before, job, meanwhile }) => {
            const shop = shops.get(JSON.stringify(kind)) ?? assert.fail();
            tried++;
            await emptySite(world.db, shop);
            for (const one of before) await carryOut(shop, one);
            const atFirst = await siteContents(world.db, shop.siteId);
            const id = await sendJob(shop, job, true);
            const { status } = await shop.ask('GET', `/jobs/${id}`, { headers: { prefer: 'wait=20' } });
            assert.deepEqual(await siteContents(world.db, shop.siteId), atFirst, 'a preview writes nothing');
            // It would change nothing, or is not applied because a row failed.
            if (status !== 'AWAITING_APPROVAL') return assert.deepEqual(await changesOf(shop, id), []);
            approved++;
            const preview = await changesOf(shop, id);
            for (const one of meanwhile) await carryOut(shop, one);
            const then = await siteContents(world.db, shop.siteId);
            const other = await createToken(world.db, { accountId: shop.account, name: 'other' });
            const approver = new Shop(world.api, shop.account, other.token, shop.siteId);
            const answer = await approver.post(`/jobs/${id}/actions/approve`, {});
            assert.equal(answer.status, 202, answer.text);
            const { errors } = await shop.outcome(id);
            const made = await changesOf(shop, id);
            await assertChangesAddUp(world.db, shop.siteId);
            if (made.length === 0) assert.deepEqual(await siteContents(world.db, shop.siteId), then);
            const shown = new Set(preview);
            // A status that follows from other rows belongs to none.
            const unseen = made.filter((change) => !shown.has(change) && !change.includes('"STATUS"'));
            assert.deepEqual(unseen, [], 'nothing is written that nobody has seen');
            if (meanwhile.length > 0) return;
            assert.deepEqual(made, preview, 'on a quiet stage, what was shown happens');
            assert.ok(errors.every(({ code }) => code !== 'CHANGED_SINCE_PREVIEW'));
          }),
          { seed, numRuns: trials, interruptAfterTimeLimit: mostMs },
        );
        // After its time, a run ends with fewer trials than were wanted.
        assert.ok(approved > tried / 4, `${approved} of ${tried} jobs had something to approve`);
      });
    });
  });
}

/** What a job has changed or would change, without when; sorted, because chunks may be cut otherwise. */
async function changesOf(shop: Shop, id: string): Promise<string[]> {
  const { data } = await shop.ask('GET', `/jobs/${id}/changes?limit=1000`);
  return data
    .map(({ sku, operation, row, attributes, fields }: Record<string, unknown>) =>
      JSON.stringify({ sku, operation, row, attributes, fields }),
    )
    .sort();
}
