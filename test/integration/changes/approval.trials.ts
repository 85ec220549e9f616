/** Declares that a preview says what happens, and that nothing is written but what was approved. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createToken } from '../../../src/domain/access/tokens.js';
import type { forEachBackend } from '../../support/for-each-backend.js';
import { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { catalogOf, defineAlternates, deletion, type ItemJob, itemJob } from '../../support/models/item-jobs.js';
import { carryOut, emptySite, sendJob } from '../../support/models/run-item-job.js';
import { assertConsistent } from '../../support/models/site-consistency.js';
import { siteContents } from '../../support/models/site-digest.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const KINDS = [true, false].flatMap((unique) => [true, false].map((inheritable) => ({ unique, inheritable })));

interface ApprovalTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
  /** On which of the queues' engines. */
  readonly onEngines: typeof forEachBackend;
}

const written = itemJob.map((job): ItemJob => ({ ...job, onError: 'skip', validateOnly: false }));
const proposed = fc.oneof(
  { weight: 4, arbitrary: itemJob.map((job): ItemJob => ({ ...job, validateOnly: false })) },
  { weight: 2, arbitrary: deletion.map((job) => ({ ...job, validateOnly: false })) },
);
/** Of what the rows of a job say all. */
const whole = fc.record({
  scope: fc.constantFrom('stage', { category: 'Kits' }, { attribute: 'Fabric', value: 'wool' }),
  missing: fc.constantFrom('delete', 'delete', { set: { attribute: 'Fabric', value: 'gone' } }, { clear: ['Price'] }),
  maxMissingPercent: fc.constantFrom(0, 100),
});
const trial = fc.record({
  kind: fc.constantFrom(...KINDS),
  before: fc.array(written, { minLength: 1, maxLength: 3 }),
  job: proposed,
  /** Null: the rows are only what they are. Otherwise the removals alone may wait, when the rows were applied. */
  snapshot: fc.option(fc.record({ whole, isAlone: fc.boolean() }), { freq: 2 }),
  /** Whether the jobs before are taken back, in place of the job. */
  isRevert: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
  /** What happens between the preview and the approval. */
  meanwhile: fc.array(written, { maxLength: 2 }),
});

export function describeApprovals({ trials, seed, mostMs = 600_000, onEngines }: ApprovalTrials): void {
  onEngines((backend) => {
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
          fc.asyncProperty(trial, async ({ kind, before, job, snapshot, isRevert, meanwhile }) => {
            const shop = shops.get(JSON.stringify(kind)) ?? assert.fail();
            await emptySite(world.db, shop);
            const done: string[] = [];
            for (const one of before) done.push(await carryOut(shop, one));
            const atFirst = await siteContents(world.db, shop.siteId);
            const isWhole = snapshot !== null && !('skus' in job) && job.mode !== 'update';
            const isAlone = isWhole && snapshot.isAlone && job.onError === 'skip' && !isRevert;
            const wanted = isWhole ? { ...snapshot.whole, ...(isAlone ? { onBrake: 'approve' } : {}) } : null;
            const id = isRevert ? await proposeRevert(shop, done) : await sendJob(shop, job, !isAlone, wanted);
            // Nothing was done that could be taken back.
            if (id === null) return;
            if (!isAlone) tried++;
            const { status } = await shop.ask('GET', `/jobs/${id}`, { headers: { prefer: 'wait=20' } });
            if (!isAlone)
              assert.deepEqual(await siteContents(world.db, shop.siteId), atFirst, 'a preview writes nothing');
            // It would change nothing, is not applied because a row failed, or the brake did not hold.
            if (status !== 'AWAITING_APPROVAL') return isAlone || assert.deepEqual(await changesOf(shop, id), []);
            if (!isAlone) approved++;
            const preview = await changesOf(shop, id);
            for (const one of meanwhile) await carryOut(shop, one);
            const then = await siteContents(world.db, shop.siteId);
            const other = await createToken(world.db, { accountId: shop.account, name: 'other' });
            const approver = new Shop(world.api, shop.account, other.token, shop.siteId);
            const answer = await approver.post(`/jobs/${id}/actions/approve`, {});
            assert.equal(answer.status, 202, answer.text);
            const { errors } = await shop.outcome(id);
            // What the rows had done before is no part of what was approved.
            const made = (await changesOf(shop, id)).filter((change) => !isAlone || change.includes('"row":null'));
            await assertChangesAddUp(world.db, shop.siteId);
            await assertConsistent(world.db, shop.siteId);
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

/** @returns the id of the job; null: there is nothing to take back */
async function proposeRevert(shop: Shop, done: readonly string[]): Promise<string | null> {
  const jobIds = done.slice(-2);
  const { status, body } = await shop.post('/jobs/actions/revert', { jobIds, requireApproval: true });
  if (status === 409) return null;
  assert.equal(status, 202, JSON.stringify(body));
  return body.jobId;
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
