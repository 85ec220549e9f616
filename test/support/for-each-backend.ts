/** Runs a suite once on each engine that the queues can have. */
import { testEnvironment } from './worlds/test-environment.js';
import { failWithoutRedis, redisIsAvailable, startTestRedis, type TestRedis } from './worlds/test-redis.js';

export interface Backend {
  readonly name: 'postgres' | 'redis';
  /** Undefined on Postgres. To be read in hooks and tests, not while suites are declared. */
  readonly redisUrl: string | undefined;
  /** The suite's own Redis, for tests of outages. @throws on Postgres */
  requireRedis(): TestRedis;
}

/**
 * Declares the suite `on postgres` and `on redis`; without a Redis the second is one pending test that says so. Where
 * TEST_REDIS_URL says that queues are on Redis, the first is left out.
 */
export function forEachBackend(declareSuite: (backend: Backend) => void): void {
  if (testEnvironment().redisUrl === undefined) declareOnPostgres(declareSuite);
  describe('on redis', () => {
    if (redisIsAvailable()) declareOnRedis(declareSuite);
    else if (testEnvironment().requireRedis) it('needs a redis-server', failWithoutRedis);
    else it('is left out: no redis-server was found (install one, or set TEST_REDIS_URL)');
  });
}

/**
 * Declares the suite on one engine, `on postgres` where it is not configured otherwise: for what the engine decides little
 * of and what takes long. A test under test/long runs it on each.
 */
export function onOneBackend(declareSuite: (backend: Backend) => void): void {
  if (isOnEach) forEachBackend(declareSuite);
  else if (testEnvironment().redisUrl === undefined) declareOnPostgres(declareSuite);
  else describe('on redis', () => declareOnRedis(declareSuite));
}

let isOnEach = false;

/** Loads suites that `npm test` runs on one engine, and has them declared on each. */
export async function onEachBackend(load: () => Promise<unknown>): Promise<void> {
  isOnEach = true;
  try {
    await load();
  } finally {
    isOnEach = false;
  }
}

function declareOnPostgres(declareSuite: (backend: Backend) => void): void {
  describe('on postgres', () => {
    declareSuite({
      name: 'postgres',
      redisUrl: undefined,
      requireRedis: () => {
        throw new Error('the queues of this suite run on Postgres');
      },
    });
  });
}

function declareOnRedis(declareSuite: (backend: Backend) => void): void {
  let redis: TestRedis | undefined;
  const requireRedis = () => {
    if (redis === undefined) throw new Error('Redis runs only while the tests of its suite do');
    return redis;
  };
  before('start Redis', async () => {
    redis = await startTestRedis();
  });
  declareSuite({
    name: 'redis',
    get redisUrl() {
      return requireRedis().url;
    },
    requireRedis,
  });
  // Declared last, run last: the suite's own hooks may still need Redis to end in order.
  after('stop Redis', async () => {
    await redis?.stop();
    redis = undefined;
  });
}
