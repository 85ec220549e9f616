/** The API on port 0 over a database of its own, with an account and its tokens, for tests over real HTTP. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../../db/connection.js';
import { createApp } from '../../../src/api/app.js';
import type { Route } from '../../../src/api/define-route.js';
import { openServices } from '../../../src/api/open-services.js';
import { startServer } from '../../../src/api/server.js';
import type { ApiServices } from '../../../src/api/services.js';
import { loadConfig } from '../../../src/config/config.js';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { createLogger } from '../../../src/platform/logger.js';
import { isDescribed } from '../http/described-statuses.js';
import { createTestDatabase } from './test-database.js';
import { testEnvironment } from './test-environment.js';
import { testS3 } from './test-s3.js';

export interface TestApi {
  readonly url: string;
  readonly db: Db;
  readonly services: ApiServices;
  readonly account: string;
  readonly token: string;
  readonly operatorToken: string;
  /** What a process of its own needs to run on the same servers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes another account with a token of every scope (or of those given). */
  newAccount(scopes?: readonly string[]): Promise<{ account: string; token: string }>;
  /** Asks the API; `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Authorization and x-site-context of this account, or of another. */
  headers(options?: { token?: string; account?: string; stage?: string }): Record<string, string>;
  /** Fails if a route has answered a status that the description of the API does not name. */
  stop(): Promise<void>;
}

export interface TestApiOptions {
  /** Default: the registry. */
  readonly routes?: readonly Route[] | undefined;
  /** Null: the queues are on Postgres. Default: where TEST_REDIS_URL says, else on Postgres. */
  readonly redisUrl?: string | null | undefined;
  /**
   * `in a folder`: for a test that is about one. `through the API`: clients reach no other store. Default: in the S3 server
   * of TEST_STORAGE_URL, which clients reach, else in a folder.
   */
  readonly files?: 'in a folder' | 'through the API' | undefined;
  /** Variables as loadConfig reads them. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-api-'));
  const environment = await environmentOf(database.url, folder, options);
  const config = loadConfig({ LOG_LEVEL: 'silent', ...environment, ...options.environment });
  const stopping = new AbortController();
  let url = '';
  const logger = createLogger('test-api', config.logLevel);
  const owned = openServices(config, logger, { publicUrl: () => url, stopping: stopping.signal });
  const { services } = owned;
  const undescribed = new Set<string>();
  const answer = createApp(services, options.routes).callback();
  const listener: typeof answer = (request, response) => {
    const { method = '', url: address = '' } = request;
    response.once('finish', () => {
      const isToy = options.routes !== undefined;
      if (isToy || isDescribed(method, address, response.statusCode)) return;
      undescribed.add(`${method} ${address.replace(/\?.*/, '')} answered ${response.statusCode}`);
    });
    return answer(request, response);
  };
  const server = await startServer(listener, {
    host: '127.0.0.1',
    port: 0,
    addresses: services.addresses,
  });
  url = server.url;

  const newAccount = async (scopes?: readonly string[]) => {
    const { id } = await createAccount(services.db, { name: 'test' });
    return { account: id, token: (await createToken(services.db, { accountId: id, name: 'test', scopes })).token };
  };
  const { account, token } = await newAccount();
  const operatorToken = (await createToken(services.db, { accountId: null, name: 'test operator' })).token;

  return {
    url,
    db: services.db,
    services,
    account,
    token,
    operatorToken,
    environment,
    newAccount,
    fetch: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    headers: (over = {}) => ({
      authorization: `Bearer ${over.token ?? token}`,
      'x-site-context': JSON.stringify({
        account: over.account ?? account,
        ...(over.stage === undefined ? {} : { stage: over.stage }),
      }),
    }),
    stop: async () => {
      stopping.abort();
      await server.stop(0);
      await owned.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
      assert.deepEqual([...undescribed], [], 'every status is described: see `refusals` of routes');
    },
  };
}

/** Variables of which the processes of a system need the same. */
const OF_SERVERS = new Set(['STORAGE_URL', 'SECRETS_KEY', 'QUEUE_PREFIX']);

let lastQueue = 0;

async function environmentOf(
  databaseUrl: string,
  folder: string,
  { redisUrl = testEnvironment().redisUrl, files, environment: given = {} }: TestApiOptions,
): Promise<Record<string, string>> {
  lastQueue += 1;
  const prefix = `{longshore-test-${process.pid}-${lastQueue}}`;
  const environment: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
    ...(redisUrl && redisUrl === testEnvironment().redisUrl ? { QUEUE_PREFIX: prefix } : {}),
    ...Object.fromEntries(Object.entries(given).filter(([name]) => OF_SERVERS.has(name))),
  };
  const isInS3 =
    environment.STORAGE_URL?.startsWith('s3:') ??
    (files !== 'in a folder' && testEnvironment().storageUrl !== undefined);
  if (!isInS3) return environment;
  const { newPlace, credentials } = await testS3();
  const place = files === 'through the API' ? `${newPlace()}&direct=false` : newPlace();
  return { STORAGE_URL: place, ...environment, ...credentials };
}
