/** Connections to Redis that end: BullMQ closes a worker only when the one on which it waits for jobs says that it has ended. */
import assert from 'node:assert/strict';
import type { Redis } from 'ioredis';
import { openRedis } from '../../../src/platform/redis.js';
import { NOBODY_LISTENS } from '../../support/worlds/reserved-port.js';
import { skipWithoutRedis, startTestRedis } from '../../support/worlds/test-redis.js';

const FOREVER = 0;
const OPENED_OFTEN = 2;

/** Errors of attempts are no end of it. */
const once = (client: Redis, event: 'ready' | 'reconnecting' | 'end') =>
  new Promise<void>((resolve) => client.once(event, () => resolve()));

describe('the connection of a worker to Redis', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** As BullMQ has it: a copy of the one that all share. */
  function open(url: string): Redis {
    const shared = openRedis(url, { failsFast: false }) as Redis;
    const blocking = shared.duplicate();
    for (const client of [shared, blocking]) {
      client.on('error', () => undefined);
      cleanups.push(() => client.disconnect());
    }
    return blocking;
  }

  for (const [what, url] of [
    ['a server', `redis://127.0.0.1:${NOBODY_LISTENS}`],
    ['a Cluster', `redis+cluster://127.0.0.1:${NOBODY_LISTENS}`],
  ] as const) {
    it(`ends when it is told to between two attempts to open it, to ${what}`, async () => {
      const blocking = open(url);
      await once(blocking, 'reconnecting');
      const ended = once(blocking, 'end');
      blocking.disconnect();
      await ended;
      assert.equal(blocking.status, 'end');
    });
  }

  it('fails what it waited for, and can be opened again and lost again afterwards', async function () {
    skipWithoutRedis(this);
    const redis = await startTestRedis();
    cleanups.push(() => redis.stop());
    const blocking = open(redis.url);
    await once(blocking, 'ready');
    for (let n = 0; n < OPENED_OFTEN; n++) {
      const waiting = assert.rejects(blocking.blpop('nothing', FOREVER));
      blocking.disconnect(true);
      await once(blocking, 'reconnecting');
      const ended = once(blocking, 'end');
      blocking.disconnect();
      await Promise.all([ended, waiting]);
      await blocking.connect();
    }
    blocking.disconnect(true);
    await once(blocking, 'ready');
  });
});
