/** Chaos runs of three minutes with eight seeds on each backend, and some with the files in S3; and a bug in the fence, which they find. */
import assert from 'node:assert/strict';
import { type ChaosOutcome, type ChaosRun, runChaos } from '../chaos/run-chaos.js';
import { makeSchedule } from '../chaos/schedule.js';
import { LANES } from '../chaos/workload.js';
import { skipWithoutRedis } from '../support/worlds/test-redis.js';
import { skipWithoutS3 } from '../support/worlds/test-s3.js';

const FOR_MS = 180_000;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const SEEDS_IN_S3 = [1, 2, 3];
/** One of these finds the bug: it takes a worker that is stopped or killed in the right moment. */
const SEEDS_WITH_BUG = 5;

describe('a system of which parts are killed, stopped and cut off for minutes', function () {
  this.timeout(3_600_000);

  for (const backend of ['pg', 'redis'] as const) {
    for (const [store, seeds] of [
      ['folder', SEEDS],
      ['s3', SEEDS_IN_S3],
    ] as const) {
      for (const seed of seeds) {
        it(`keeps its promises, with the queues on ${backend}, the files in ${store} and seed ${seed}`, async function () {
          if (backend === 'redis') skipWithoutRedis(this);
          if (store === 's3') skipWithoutS3(this);
          const { violations, story } = await run({ seed, backend, store, forMs: FOR_MS });
          assert.deepEqual(violations, [], story.join('\n'));
        });
      }
    }
  }

  it('does not keep them when a step is executed whatever its fencing token is', async () => {
    let broken: readonly string[] = [];
    for (let seed = 1; seed <= SEEDS_WITH_BUG && broken.length === 0; seed++) {
      broken = (await run({ seed, backend: 'pg', forMs: FOR_MS / 3, inject: 'ignore-fence' })).violations;
    }
    assert.notDeepEqual(broken, []);
  });

  function run(options: Omit<ChaosRun, 'faults' | 'lanes'>): Promise<ChaosOutcome> {
    const { seed, forMs, backend, store } = options;
    return runChaos({ ...options, faults: makeSchedule(seed, forMs, backend, store), lanes: LANES });
  }
});
