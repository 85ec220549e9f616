/** Chaos runs of three minutes with eight seeds on each backend; and a bug in the fence, which they find. */
import assert from 'node:assert/strict';
import { type ChaosOutcome, runChaos } from '../chaos/run-chaos.js';
import { type ChaosBackend, makeSchedule } from '../chaos/schedule.js';
import { LANES } from '../chaos/workload.js';
import { skipWithoutRedis } from '../support/worlds/test-redis.js';

const FOR_MS = 180_000;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** One of these finds the bug: it takes a worker that is stopped or killed in the right moment. */
const SEEDS_WITH_BUG = 5;

describe('a system of which parts are killed, stopped and cut off for minutes', function () {
  this.timeout(3_600_000);

  for (const backend of ['pg', 'redis'] as const) {
    for (const seed of SEEDS) {
      it(`keeps its promises, with the queues on ${backend} and seed ${seed}`, async function () {
        if (backend === 'redis') skipWithoutRedis(this);
        const { violations, story } = await run(seed, backend, FOR_MS);
        assert.deepEqual(violations, [], story.join('\n'));
      });
    }
  }

  it('does not keep them when a step is executed whatever its fencing token is', async () => {
    let broken: readonly string[] = [];
    for (let seed = 1; seed <= SEEDS_WITH_BUG && broken.length === 0; seed++) {
      broken = (await run(seed, 'pg', FOR_MS / 3, 'ignore-fence')).violations;
    }
    assert.notDeepEqual(broken, []);
  });

  function run(seed: number, backend: ChaosBackend, forMs: number, inject?: string): Promise<ChaosOutcome> {
    const faults = makeSchedule(seed, forMs, backend);
    return runChaos({ seed, backend, faults, forMs, lanes: LANES, inject });
  }
});
