/** Worker processes on the database, queue and files of a world. */
import { pathToFileURL } from 'node:url';
import { type RunningProgram, runProgram } from './run-program.js';
import type { World } from './world.js';

/** Starts a worker process and waits until it is ready. To be killed in `afterEach`. */
export async function startWorkerProcess(
  { services: { config } }: World,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const program = runProgram('src/workers/main.js', [], {
    DATABASE_URL: config.databaseUrl,
    STORAGE_URL: pathToFileURL(config.storage.directory).href,
    SECRETS_KEY: config.secretsKeys.join(','),
    ...(config.redisUrl === undefined ? {} : { REDIS_URL: config.redisUrl }),
    ...environment,
  });
  await program.said(/"msg":"ready"/);
  return program;
}
