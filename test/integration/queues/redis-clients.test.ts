/** Connections to Redis that end: BullMQ closes a worker only when the one on which it waits for jobs says that it has ended. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { openRedis } from '../../../src/platform/redis.js';
import { skipWithoutRedis, startTestRedis, type TestRedis } from '../../support/worlds/test-redis.js';

const FOREVER = 0;

describe('the connection of a worker to Redis', () => {
  let redis: TestRedis;
  before(async function () {
    skipWithoutRedis(this);
    redis = await startTestRedis();
  });
  after(() => redis?.stop());

  it('ends when it is told to between two attempts to open it, and what it waited for fails', async () => {
    const shared = openRedis(redis.url, { failsFast: false }) as Redis;
    shared.on('error', () => undefined);
    const blocking = shared.duplicate();
    blocking.on('error', () => undefined);
    try {
      await once(blocking, 'ready');
      const waiting = assert.rejects(blocking.blpop('nothing', FOREVER));
      blocking.disconnect(true);
      await once(blocking, 'reconnecting');
      const ended = once(blocking, 'end');
      blocking.disconnect();
      await Promise.all([ended, waiting]);
      assert.equal(blocking.status, 'end');
    } finally {
      blocking.disconnect();
      shared.disconnect();
    }
  });
});
