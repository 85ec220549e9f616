/** A short chaos run with fixed seeds, as `npm run chaos` makes long ones. See docs/build/reliability.md. */
import assert from 'node:assert/strict';
import { runChaos } from '../chaos/run-chaos.js';
import { type ChaosBackend, makeSchedule } from '../chaos/schedule.js';
import { LANES } from '../chaos/workload.js';
import { skipWithoutRedis } from '../support/worlds/test-redis.js';
import { s3IsAvailable } from '../support/worlds/test-s3.js';

const FOR_MS = 18_000;
/** Seeds whose schedules have faults of every part, and stop and fill up each server. */
const SEEDS: Readonly<Record<ChaosBackend, number>> = { pg: 259_255, redis: 509 };

describe('a system of which parts are killed, stopped and cut off', function () {
  this.timeout(360_000);

  for (const backend of ['pg', 'redis'] as const) {
    it(`keeps its promises, with the queues on ${backend}`, async function () {
      if (backend === 'redis') skipWithoutRedis(this);
      const seed = SEEDS[backend];
      // One of the runs has its files in S3, where there is a server.
      const store = backend === 'redis' && s3IsAvailable() ? 's3' : 'folder';
      const faults = makeSchedule(seed, FOR_MS, backend, store);
      const { violations, story } = await runChaos({ seed, backend, store, faults, lanes: LANES, forMs: FOR_MS });
      assert.deepEqual(
        violations,
        [],
        `npm run chaos -- --minutes 0.3 --seed ${seed} --backend ${backend} --store ${store}:\n${story.join('\n')}`,
      );
    });
  }
});
