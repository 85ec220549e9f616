/** The servers of a run of tests in which everything is configured: Postgres, Redis and S3, which are there before it. */
import { testEnvironment } from './worlds/test-environment.js';
import { startTestRedis } from './worlds/test-redis.js';
import { failWithoutS3, s3IsAvailable, stopTestS3, testS3 } from './worlds/test-s3.js';
import { startThrowawayPostgres } from './worlds/throwaway-postgres.js';

/** So small that the larger files of tests have several parts. */
const PART_KIB = 256;

interface ConfiguredServers {
  /** The variables that name the servers to tests. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts the servers that the environment does not name. Called by scripts/run-configured.mjs. */
export async function startConfiguredServers(): Promise<ConfiguredServers> {
  const { databaseUrl, redisUrl, storageUrl, importReader } = testEnvironment();
  const environment: Record<string, string> = {};
  // The other run has the fast one.
  if (importReader === undefined) environment.TEST_IMPORT_READER = 'plain';
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
  };
  try {
    if (databaseUrl === undefined) {
      const postgres = await startThrowawayPostgres({ durable: false });
      stops.push(() => postgres.stop());
      environment.TEST_DATABASE_URL = postgres.databaseUrl('postgres');
    }
    if (redisUrl === undefined) {
      const redis = await startTestRedis();
      stops.push(() => redis.stop());
      environment.TEST_REDIS_URL = redis.url;
    }
    if (storageUrl === undefined) {
      if (!s3IsAvailable()) failWithoutS3();
      const s3 = await testS3();
      stops.push(stopTestS3);
      Object.assign(environment, s3.credentials, { TEST_STORAGE_URL: `${s3.newPlace()}&partKiB=${PART_KIB}` });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { environment, stop };
}
