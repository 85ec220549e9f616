/**
 * Runs tests with everything configured: their worlds are on one Postgres, one Redis and one S3 server that exist before
 * them, each in a database, under a prefix and in a place of its own. Servers that TEST_DATABASE_URL, TEST_REDIS_URL and
 * TEST_STORAGE_URL do not name are started for the run. Rows of items are read by the plain reader.
 */
import { join } from 'node:path';
import { REPOSITORY } from './install-and-build.mjs';
import { mochaArguments } from './mocha-arguments.mjs';
import { runSuite, testsOf } from './run-suite.mjs';

/** The suites to whose work it makes a difference where rows, steps and files are, or which reader the rows have. */
const SUITES = [
  /\/integration\/(changes|exports|imports|jobs|notifications|proposals|stages|webhooks)\//,
  /\/integration\/api\/files-/,
];
/** Neighbours, which often take alike, are in different parts. */
const PARTS = 2;

/** @param args what follows `--configured`; default: all suites to which it makes a difference */
export async function runConfigured(args, runMocha) {
  const { startConfiguredServers } = await import(join(REPOSITORY, 'dist/test/support/configured-servers.js'));
  const servers = await startConfiguredServers();
  try {
    Object.assign(process.env, servers.environment);
    if (args.length > 0) return await runMocha(mochaArguments('test', args));
    const tests = testsOf('integration').filter((path) => SUITES.some((suite) => suite.test(path)));
    const parts = Array.from({ length: PARTS }, (_, part) => tests.filter((_path, index) => index % PARTS === part));
    return await runSuite(undefined, parts);
  } finally {
    await servers.stop();
  }
}
