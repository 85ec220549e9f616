/** Declares the trials of order, on each backend. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { countChaos, installChaos, type UnluckyServices, unlucky } from '../../support/faults/chaos.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import {
  acceptTrialJob,
  endOfTrial,
  makeTrial,
  newTrialShop,
  type TrialEnd,
  type TrialJob,
} from '../../support/models/order-trials.js';
import { seededRandom } from '../../support/models/random.js';
import { BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

/** Trials that are under way at the same time, each in a site of its own. */
const AT_ONCE = 25;

export function runOrderTrials(trials: number): void {
  const seed = Date.now() % 1_000_000;
  forEachBackend((backend) => {
    let world: World;
    let chaos: UnluckyServices;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { RECONCILE_MS: '200' } });
      await installChaos(world.db);
      chaos = unlucky(world.services, seededRandom(seed));
    });
    after(async () => {
      await world.stop();
      await chaos.close();
    });

    it(`end as if run one after the other, in ${trials} random trials with retries and kills`, async () => {
      for (let first = 0; first < trials; first += AT_ONCE) {
        const seeds = Array.from({ length: Math.min(AT_ONCE, trials - first) }, (_, index) => seed + first + index);
        const cases = seeds.map((one) => makeTrial(seededRandom(one)));
        const calm = await withWorkers([await world.startWorkers({}, BULK_ONLY)], () =>
          Promise.all(cases.map(oneByOne)),
        );
        const unluckyWorkers = [
          await world.startWorkers(chaos.services, BULK_ONLY),
          await world.startWorkers(chaos.services, BULK_ONLY),
          await world.startWorkers({}, ['maintenance']),
        ];
        const stormy = await withWorkers(unluckyWorkers, () => Promise.all(cases.map(allAtOnce)));
        for (const [index, end] of stormy.entries()) {
          assert.deepEqual(end, calm[index], `seed ${seeds[index]}: ${JSON.stringify(cases[index])}`);
        }
      }
      const strikes = await countChaos(world.db);
      assert.ok(strikes >= trials, `only ${strikes} misfortunes in ${trials} trials`);
    });

    async function oneByOne(jobs: readonly TrialJob[]): Promise<TrialEnd> {
      const shop = await newTrialShop(world);
      const accepted = [];
      for (const job of jobs) {
        const one = await acceptTrialJob(world, shop, job);
        await enqueueEntries(world.services.producer, one.outboxEntries, world.services.logger);
        await shop.outcome(one.jobId);
        accepted.push(one);
      }
      return endOfTrial(shop, accepted);
    }

    /** The queue hears of the last one first. */
    async function allAtOnce(jobs: readonly TrialJob[]): Promise<TrialEnd> {
      const shop = await newTrialShop(world);
      const accepted = [];
      for (const job of jobs) accepted.push(await acceptTrialJob(world, shop, job));
      for (const { outboxEntries } of accepted.toReversed()) {
        await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      }
      return endOfTrial(shop, accepted);
    }
  });
}

async function withWorkers<T>(workers: readonly Workers[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(workers.map((one) => one.stop()));
  }
}
