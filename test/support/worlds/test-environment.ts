/** What the environment says about the tests' world. */

export interface TestEnvironment {
  /** A Postgres to use instead of an embedded one; the role must be allowed to make databases. */
  readonly databaseUrl: string | undefined;
  /** A Redis for the queues of worlds that do not ask for another engine. */
  readonly redisUrl: string | undefined;
  /** A place in an S3 server for the files of worlds that do not ask for a folder, as STORAGE_URL names it. */
  readonly storageUrl: string | undefined;
  /** The reader of items' rows in worlds that do not ask for the other: `fast` or `plain`. */
  readonly importReader: string | undefined;
  /** Without a Redis, fail instead of leaving its half out. */
  readonly requireRedis: boolean;
  /** Without a Chromium, fail instead of leaving out the tests of pages. */
  readonly requireChromium: boolean;
  /** Without Prometheus, fail instead of leaving its tests out. */
  readonly requirePrometheus: boolean;
  /** Without nginx and HAProxy, fail instead of leaving their tests out. */
  readonly requireProxies: boolean;
  /** Without OpenSSH's server, fail instead of leaving its tests out. */
  readonly requireSftp: boolean;
  /** Without an S3 server, fail instead of leaving its part out. */
  readonly requireS3: boolean;
  readonly path: string;
}

export function testEnvironment(): TestEnvironment {
  const { TEST_DATABASE_URL, TEST_REDIS_URL, TEST_STORAGE_URL, TEST_IMPORT_READER, PATH } = process.env;
  const { REQUIRE_REDIS, REQUIRE_CHROMIUM, REQUIRE_PROMETHEUS, REQUIRE_PROXIES, REQUIRE_S3, REQUIRE_SFTP } =
    process.env;
  return {
    databaseUrl: TEST_DATABASE_URL || undefined,
    redisUrl: TEST_REDIS_URL || undefined,
    storageUrl: TEST_STORAGE_URL || undefined,
    importReader: TEST_IMPORT_READER || undefined,
    requireRedis: REQUIRE_REDIS === '1',
    requireChromium: REQUIRE_CHROMIUM === '1',
    requirePrometheus: REQUIRE_PROMETHEUS === '1',
    requireProxies: REQUIRE_PROXIES === '1',
    requireSftp: REQUIRE_SFTP === '1',
    requireS3: REQUIRE_S3 === '1',
    path: PATH ?? '',
  };
}
