/** A clock of the machine that is set back and forth: what was revoked stays so, and limits hold for as long as they say. */
import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { createQuotaKeeper } from '../../../src/domain/access/quota-keeper.js';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

/** How long a revoked token may still be accepted: docs/run/limits.md. */
const TOKEN_CACHE_MS = 5_000;

const HOUR_MS = 3_600_000;
const { now: timeOfDay } = Date;

describe('a clock that is set back and forth', function () {
  this.timeout(30_000);
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  afterEach(() => {
    Date.now = timeOfDay;
  });

  const set = (byMs: number) => {
    Date.now = () => timeOfDay() + byMs;
  };

  for (const [name, byMs] of [
    ['back', -HOUR_MS],
    ['forth', HOUR_MS],
  ] as const) {
    it(`${name} does not prolong the life of a revoked token`, async () => {
      const tokens = createAuthenticator(api.db);
      const { id, token } = await createToken(api.db, { accountId: api.account, name: 'revoked' });
      assert.equal((await tokens.authenticate(token))?.tokenId, id);
      await revokeToken(api.db, id);
      set(byMs);
      const began = performance.now();
      await until('it is refused', async () => (await tokens.authenticate(token)) === null, 2 * TOKEN_CACHE_MS);
      assert.ok(performance.now() - began < TOKEN_CACHE_MS + 1_000);
    });

    it(`${name} does not lengthen what an account must wait for its requests`, async () => {
      const { account } = await api.newAccount();
      const quotas = createQuotaKeeper(api.db);
      await quotas.spendRequest(account, 1);
      set(byMs);
      const wait = await quotas.spendRequest(account, 1).then(
        // A minute of the database has begun meanwhile.
        () => 0,
        ({ message }: Error) => Number(/send the next in (\d+) s/.exec(message)?.[1]),
      );
      assert.ok(wait <= 60, `it has to wait for ${wait} s`);
    });
  }
});
