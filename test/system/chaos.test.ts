/** A short chaos run with fixed seeds, as `npm run chaos` makes long ones. See docs/build/reliability.md. */
import assert from 'node:assert/strict';
import { runChaos } from '../chaos/run-chaos.js';
import { type ChaosBackend, makeSchedule } from '../chaos/schedule.js';
import { LANES } from '../chaos/workload.js';
import { skipWithoutRedis } from '../support/worlds/test-redis.js';

const FOR_MS = 15_000;
/** Seeds whose schedules begin with faults of every part. */
const SEEDS: Readonly<Record<ChaosBackend, number>> = { pg: 2, redis: 5 };

describe('a system of which parts are killed, stopped and cut off', function () {
  this.timeout(240_000);

  for (const backend of ['pg', 'redis'] as const) {
    it(`keeps its promises, with the queues on ${backend}`, async function () {
      if (backend === 'redis') skipWithoutRedis(this);
      const seed = SEEDS[backend];
      const faults = makeSchedule(seed, FOR_MS, backend);
      const { violations, story } = await runChaos({ seed, backend, faults, lanes: LANES, forMs: FOR_MS });
      assert.deepEqual(
        violations,
        [],
        `npm run chaos -- --minutes 0.25 --seed ${seed} --backend ${backend}:\n${story.join('\n')}`,
      );
    });
  }
});
