import assert from 'node:assert/strict';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { createToken, listTokens, pruneTokens, revokeToken } from '../../../src/domain/access/tokens.js';
import { toyRoutes } from '../../support/http/toy-routes.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

/** How long a revoked token may still be accepted: docs/run/limits.md. */
const TOKEN_CACHE_MS = 5_000;

describe('access', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi({ routes: toyRoutes });
  });
  after(() => api.stop());

  const echo = (headers: Record<string, string>) =>
    api.fetch('/api-product/toy/echo', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"text":"hello"}',
    });

  it('lets a token in with its scope and account, and makes the stage on first use', async () => {
    const response = await echo(api.headers({ stage: 'fresh' }));
    assert.equal(response.status, 200);
    const { site } = (await response.json()) as { site: Record<string, unknown> };
    assert.equal(site.accountId, api.account);
    assert.equal(site.stage, 'fresh');
    assert.equal(site.siteId, await resolveSite(api.db, api.account, 'fresh'));
  });

  it('makes one site when a stage is named by many at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => resolveSite(api.db, api.account, 'crowded')));
    assert.equal(new Set(ids).size, 1);
  });

  for (const [what, authorization] of [
    ['nothing', undefined],
    ['an empty header', ''],
    ['no token', 'Bearer'],
    ['an unknown token', 'Bearer lst_unknown'],
    ['a very long token', `Bearer ${'x'.repeat(5_000)}`],
    ['another scheme', 'Digest username="x"'],
    ['two tokens', 'Bearer a b'],
    ['raw bytes', 'Bearer \u00ff\u00fe'],
  ] as const) {
    it(`answers 401 to ${what}`, async () => {
      const { authorization: _, ...context } = api.headers();
      const response = await echo({ ...context, ...(authorization === undefined ? {} : { authorization }) });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.equal(((await response.json()) as { code: string }).code, 'UNAUTHORIZED');
    });
  }

  it('does not take a token as the password of Basic where no operator is meant', async () => {
    const basic = `Basic ${btoa(`x:${api.token}`)}`;
    assert.equal((await echo({ ...api.headers(), authorization: basic })).status, 401);
  });

  it('takes the scheme in any case', async () => {
    assert.equal((await echo({ ...api.headers(), authorization: `bEaReR ${api.token}` })).status, 200);
  });

  it('answers 403 to a token without the scope', async () => {
    const { account, token } = await api.newAccount(['catalog:read']);
    assert.equal((await echo(api.headers({ account, token }))).status, 403);
  });

  it('answers 403 to a context of another account, and makes no site of it', async () => {
    const other = await api.newAccount();
    assert.equal((await echo(api.headers({ token: other.token }))).status, 403);
    const unknown = 'ffffffffffffffffffffffff';
    assert.equal((await echo(api.headers({ account: unknown }))).status, 403);
    assert.deepEqual(await api.db('site').where({ account_id: unknown }), []);
  });

  it('answers 400 to a request without a context', async () => {
    const response = await echo({ authorization: `Bearer ${api.token}` });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { code: string }).code, 'SITE_CONTEXT_MISSING');
  });

  it('asks for the token before it looks at the context, and for both before the body', async () => {
    assert.equal((await echo({ 'x-site-context': 'nonsense', 'content-type': 'text/plain' })).status, 401);
    assert.equal(
      (await echo({ ...api.headers(), 'x-site-context': 'nonsense', 'content-type': 'text/plain' })).status,
      400,
    );
    assert.equal((await echo({ ...api.headers(), 'content-type': 'text/plain' })).status, 415);
  });

  it('keeps operators out of accounts, and accounts out of the dashboard', async () => {
    assert.equal((await echo(api.headers({ token: api.operatorToken }))).status, 403);
    const dashboard = await api.fetch('/admin/queues', { headers: { authorization: `Bearer ${api.token}` } });
    assert.equal(dashboard.status, 403);
  });

  it('refuses a token that has expired', async () => {
    const { token } = await createToken(api.db, {
      accountId: api.account,
      name: 'old',
      expiresAt: new Date(Date.now() - 1),
    });
    assert.equal((await echo(api.headers({ token }))).status, 401);
  });

  it('remembers a token for a few seconds at most, so that revoking works', async () => {
    let now = Date.now();
    const tokens = createAuthenticator(api.db, () => now);
    const { id, token } = await createToken(api.db, { accountId: api.account, name: 'short' });
    assert.equal((await tokens.authenticate(token))?.tokenId, id);
    await revokeToken(api.db, id);
    assert.equal((await tokens.authenticate(token))?.tokenId, id);
    now += TOKEN_CACHE_MS;
    assert.equal(await tokens.authenticate(token), null);
  });

  it('minds the expiry of a token that it remembers', async () => {
    let now = Date.now();
    const tokens = createAuthenticator(api.db, undefined, () => now);
    const { token } = await createToken(api.db, {
      accountId: api.account,
      name: 'brief',
      expiresAt: new Date(now + 1_000),
    });
    assert.notEqual(await tokens.authenticate(token), null);
    now += 1_001;
    assert.equal(await tokens.authenticate(token), null);
  });

  it('stores no token, and lists none', async () => {
    const { token } = await createToken(api.db, { accountId: api.account, name: 'secret' });
    const rows = JSON.stringify([await api.db('access_token'), await listTokens(api.db, api.account)]);
    assert.ok(!rows.includes(token));
  });

  it('refuses scopes that an account cannot have', async () => {
    const make = (accountId: string | null, scopes: string[]) => createToken(api.db, { accountId, name: 'x', scopes });
    await assert.rejects(make(api.account, ['operator']), { kind: 'invalid' });
    await assert.rejects(make(api.account, []), { kind: 'invalid' });
    await assert.rejects(make(null, ['catalog:read']), { kind: 'invalid' });
    await assert.rejects(make('ffffffffffffffffffffffff', ['catalog:read']), { kind: 'not-found' });
  });

  it('makes an account under an id of its own once', async () => {
    const id = 'abcdefabcdefabcdefabcdef';
    assert.equal((await createAccount(api.db, { name: 'mine', id })).id, id);
    await assert.rejects(createAccount(api.db, { name: 'mine', id }), { kind: 'conflict' });
    await assert.rejects(createAccount(api.db, { name: 'mine', id: 'XYZ' }), { kind: 'invalid' });
  });

  it('prunes tokens that expired over a day ago, and no others', async () => {
    const at = (offsetMs: number) =>
      createToken(api.db, { accountId: api.account, name: 'prune', expiresAt: new Date(Date.now() + offsetMs) });
    const [old, recent] = [await at(-24.1 * 3_600_000), await at(-23 * 3_600_000)];
    assert.ok((await pruneTokens(api.db, new Date())) >= 1);
    const left = (await listTokens(api.db, api.account)).map(({ id }) => id);
    assert.ok(!left.includes(old.id) && left.includes(recent.id));
  });
});
