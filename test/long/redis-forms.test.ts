/** Failovers of Redis again and again, with three Sentinels and with a Cluster that has replicas. */
import { startWorldOn, workThrough } from '../integration/queues/redis-forms.trials.js';
import { startRedisCluster, startSentinelRedis } from '../support/worlds/redis-forms.js';
import { skipWithoutRedis } from '../support/worlds/test-redis.js';

describe('failovers of Redis', function () {
  this.timeout(300_000);

  before(function () {
    skipWithoutRedis(this);
  });

  it('behind three Sentinels, twice', async () => {
    const redis = await startSentinelRedis({ replicas: 2, sentinels: 3 });
    const world = await startWorldOn(redis.url);
    try {
      for (let round = 0; round < 2; round++) await workThrough(world, () => redis.failOver());
    } finally {
      await world.stop();
      await redis.stop();
    }
  });

  it('in a Cluster of three with a replica each', async () => {
    const redis = await startRedisCluster({ replicas: 1 });
    const world = await startWorldOn(redis.url);
    try {
      await workThrough(world, () => redis.failOver(world.services.config.queuePrefix));
    } finally {
      await world.stop();
      await redis.stop();
    }
  });
});
