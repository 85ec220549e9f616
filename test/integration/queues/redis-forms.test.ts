/** Redis with TLS, behind a Sentinel and as a Cluster, each as real servers on loopback. test/long takes longer over it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { createLogger } from '../../../src/platform/logger.js';
import { openQueueConnection } from '../../../src/platform/queue-connection.js';
import { openRedis } from '../../../src/platform/redis.js';
import { openProxy } from '../../support/faults/proxy.js';
import { until } from '../../support/until.js';
import { askRedis, startRedisCluster, startSentinelRedis, startTlsRedis } from '../../support/worlds/redis-forms.js';
import { skipWithoutRedis } from '../../support/worlds/test-redis.js';
import type { World } from '../../support/worlds/world.js';
import { startWorldOn, workThrough } from './redis-forms.trials.js';

const KNOWN_MS = 10_000;
const NOTHING = async () => undefined;

describe('queues on Redis', function () {
  this.timeout(120_000);

  const cleanups: (() => Promise<void>)[] = [];
  before(function () {
    skipWithoutRedis(this);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    const made = await starting;
    cleanups.push(() => made.stop());
    return made;
  }
  const worldOn = (url: string, environment: Record<string, string> = {}): Promise<World> =>
    started(startWorldOn(url, environment));

  it('with TLS and an authority of their own', async () => {
    const redis = await started(startTlsRedis());
    const world = await worldOn(redis.url, { REDIS_CA_FILE: redis.caFile });
    await workThrough(world, NOTHING);
    // Without the authority, the certificate is refused; unless it need not be checked.
    const { config, logger } = world.services;
    const pinged = async (rejectUnauthorized: boolean) => {
      const redisTls = { ca: undefined, rejectUnauthorized };
      const options = { ...config, redisTls, role: 'producer', poolMax: 1, onConnect: NOTHING, logger } as const;
      const connection = openQueueConnection(options);
      try {
        await until(
          'it is connected',
          async () =>
            connection.ping().then(
              () => true,
              () => false,
            ),
          3_000,
        );
        return true;
      } catch {
        return false;
      } finally {
        await connection.close();
      }
    };
    assert.deepEqual([await pinged(true), await pinged(false)], [false, true]);
  });

  it('behind a Sentinel, through the loss of the primary server', async () => {
    const redis = await started(startSentinelRedis());
    const world = await worldOn(redis.url);
    await workThrough(world, () => redis.failOver());
  });

  it('behind a Sentinel that announces another primary server while a connection is being opened', async () => {
    const redis = await started(startSentinelRedis());
    const held: (() => void)[] = [];
    let holds = false;
    const proxy = await openProxy(redis.url.replace('+sentinel', ''), {
      accepts: () => true,
      relay: (client, server) => {
        const join = () => {
          client.pipe(server);
          server.pipe(client);
        };
        if (holds) held.push(join);
        else join();
      },
    });
    cleanups.push(() => proxy.close());
    const { port } = new URL(proxy.url);
    const listener = new Redis(Number(port), '127.0.0.1');
    cleanups.push(async () => listener.disconnect());
    const announced = once(listener, 'message');
    await listener.subscribe('+switch-master');
    const shared = openRedis(redis.url.replace(/:\d+\//, `:${port}/`), { failsFast: true });
    cleanups.push(async () => shared.disconnect());
    shared.on('error', () => undefined);
    const isThere = () =>
      shared.ping().then(
        () => true,
        () => false,
      );
    await until('it is connected', isThere, KNOWN_MS);
    holds = true;
    await redis.failOver();
    await announced;
    await until('it asks the Sentinel again', () => held.length > 0, KNOWN_MS);
    holds = false;
    for (const join of held.splice(0)) join();
    await until('it is connected to the other server', isThere, KNOWN_MS);
  });

  it('as a Cluster of three, all keys in one slot, through the loss of the server that has it', async () => {
    const redis = await started(startRedisCluster());
    const world = await worldOn(redis.url);
    await workThrough(world, NOTHING);
    const { queuePrefix } = world.services.config;
    const keysOf = (port: number) => askRedis(port, (client) => client.keys('*'));
    const keys = await Promise.all(redis.primaries.map(keysOf));
    assert.equal(keys.filter((found) => found.length > 0).length, 1);
    assert.ok(keys.flat().every((key) => key.startsWith(queuePrefix)));
    await workThrough(world, () => redis.failOver(queuePrefix));
  });

  it('that may evict keys are reported once when a process starts', async () => {
    const redis = await started(startTlsRedis());
    let log = '';
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    });
    const tls = { ca: undefined, rejectUnauthorized: false };
    const client = new Redis(redis.url, { tls });
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    client.disconnect();
    const { url: redisUrl } = redis;
    const common = { redisUrl, redisTls: tls, databaseUrl: '', queuePrefix: '{x}', poolMax: 1, onConnect: NOTHING };
    const logger = createLogger('test', 'warn', sink);
    const open = (['producer', 'worker'] as const).map((role) => openQueueConnection({ ...common, role, logger }));
    try {
      await until('it is logged', () => log.includes('set its maxmemory-policy to noeviction'), KNOWN_MS);
      await open[1]?.ping();
      assert.equal(log.match(/"policy":"allkeys-lru"/g)?.length, 1);
    } finally {
      for (const connection of open) await connection.close();
    }
  });
});
