/** What the environment says about the tests' world. */

export interface TestEnvironment {
  /** A Postgres to use instead of an embedded one; the role must be allowed to make databases. */
  readonly databaseUrl: string | undefined;
  /** A Redis to use instead of private ones. */
  readonly redisUrl: string | undefined;
  /** Without a Redis, fail instead of leaving its half out. */
  readonly requireRedis: boolean;
  readonly path: string;
}

export function testEnvironment(): TestEnvironment {
  const { TEST_DATABASE_URL, TEST_REDIS_URL, REQUIRE_REDIS, PATH } = process.env;
  return {
    databaseUrl: TEST_DATABASE_URL || undefined,
    redisUrl: TEST_REDIS_URL || undefined,
    requireRedis: REQUIRE_REDIS === '1',
    path: PATH ?? '',
  };
}
