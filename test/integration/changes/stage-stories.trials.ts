/** Declares that the tables of a stage fit together and its change log adds up, whatever jobs come to it at once. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rescueLost } from '../../support/faults/crash-job.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { untilQuiet } from '../../support/models/catalog-files.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { fillStage } from '../../support/models/definition-jobs.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { assertConsistent } from '../../support/models/site-consistency.js';
import { decideOnStage, sendToStage, stageJob } from '../../support/models/stage-jobs.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

interface StoryTrials {
  /** Trials on each backend. */
  readonly trials: number;
  readonly seed: number;
  /** No trial is begun after this time. */
  readonly mostMs?: number;
}

/** A request that is no job, about one of the categories that are there, by index. */
const request = fc.record({
  of: fc.constant('request' as const),
  what: fc.constantFrom('rename', 'move', 'delete', 'fill', 'assign', 'map', 'cancel'),
  nth: fc.nat(7),
  to: fc.nat(7),
  skus: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 }),
  attribute: fc.constantFrom('Colour', 'Title', 'Weight', 'Gtin'),
  isMandatory: fc.boolean(),
});
type Request = typeof request extends fc.Arbitrary<infer One> ? One : never;

/** Jobs and requests that are sent without waiting for the jobs before; then all of them end, and the next ones come. */
const story = fc.array(
  fc.array(fc.oneof({ weight: 3, arbitrary: stageJob }, { weight: 2, arbitrary: request }), {
    minLength: 2,
    maxLength: 7,
  }),
  { minLength: 1, maxLength: 3 },
);

export function describeStageStories({ trials, seed, mostMs = 600_000 }: StoryTrials): void {
  forEachBackend((backend) => {
    describe('jobs of definitions and items that come to a stage at once', function () {
      this.timeout(mostMs + 120_000);
      let world: World;
      before(async () => {
        world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 3 });
        await world.startWorkers();
      });
      after(() => world.stop());

      it(`leave tables that fit together, and a change log that adds up (seed ${seed})`, async () => {
        await fc.assert(
          fc.asyncProperty(story, async (rounds) => {
            const shop = await world.newShop();
            await fillStage(shop);
            for (const jobs of rounds) {
              const ids: string[] = [];
              for (const job of jobs) {
                if (job.of === 'request') await send(shop, job, ids);
                else ids.push(...[await sendToStage(shop, job)].flatMap((id) => id ?? []));
              }
              for (const [nth, id] of ids.entries()) await endedOnStage(shop, id, nth % 2 === 0);
              await untilQuiet(shop);
              await assertConsistent(world.db, shop.siteId);
              await assertDefinitionsAddUp(world.db, shop.siteId);
              await assertChangesAddUp(world.db, shop.siteId);
            }
          }),
          { seed, numRuns: trials, interruptAfterTimeLimit: mostMs, endOnFailure: process.env.SHRINK === undefined },
        );
      });

      /** One that waits for an approval gets it, or is rejected. */
      async function endedOnStage(shop: Shop, id: string, isApproved: boolean): Promise<void> {
        await decideOnStage(world, shop, id, isApproved);
        await rescueLost(world);
        const { status } = await shop.outcome(id);
        assert.notEqual(status, 'FAILED');
      }
    });
  });
}

/** What is not possible is refused. */
async function send(shop: Shop, { what, nth, to, ...one }: Request, ids: readonly string[]): Promise<void> {
  const { data } = await shop.ask('GET', `${CATEGORY}?limit=100`);
  const nodes: number[] = data.map(({ nodeId }: { nodeId: number }) => nodeId).sort((a: number, b: number) => a - b);
  const [nodeId, parentNodeId] = [nodes[nth % nodes.length], nodes[to % nodes.length]];
  const items = one.skus.map((sku) => ({ sku }));
  const itemAttributes = [{ name: one.attribute, mandatory: one.isMandatory }];
  const mappings = [{ mapping: one.isMandatory ? 'title' : 'image', name: one.attribute }];
  const sent = {
    rename: () => shop.call('PUT', CATEGORY, { body: { nodeId, name: `Name ${to}` } }),
    move: () => shop.call('PUT', CATEGORY, { body: { nodeId, parentNodeId } }),
    delete: () => shop.call('DELETE', `${CATEGORY}?nodeId=${nodeId}`),
    fill: () => shop.post(`${CATEGORY}/item`, { nodeId, items }),
    assign: () => shop.post(`${CATEGORY}/item-attribute`, { nodeId, itemAttributes }),
    map: () => shop.post('/api-product/v1/product/attribute/mapping', { mappings }),
    cancel: () => shop.call('POST', `/jobs/${ids.at(-1) ?? 'none'}/actions/cancel`),
  };
  const { status, text } = await sent[what as keyof typeof sent]();
  assert.ok(status < 500, text);
}
