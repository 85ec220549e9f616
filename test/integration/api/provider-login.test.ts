/** Logins by an identity provider: groups become roles, at each login anew. */
import assert from 'node:assert/strict';
import { answerCommand } from '../../../src/admin/answer-command.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { callApi } from '../../support/http/call-api.js';
import { until } from '../../support/until.js';
import {
  beginLogin,
  comeBack,
  exchange,
  inSession,
  logInBy,
  type ProviderWorld,
  providerEnvironment,
  startProviderWorld,
} from '../../support/worlds/provider-world.js';
import { reservePort } from '../../support/worlds/reserved-port.js';
import { startTestApi } from '../../support/worlds/test-api.js';
import { startTestProvider } from '../../support/worlds/test-provider.js';

const PEOPLE = '/api/v2/access/people';

describe('a login by an identity provider', function () {
  this.timeout(60_000);
  let world: ProviderWorld;
  before(async () => {
    world = await startProviderWorld();
  });
  after(() => world?.stop());
  beforeEach(() => world.api.services.loginFailures.succeeded('127.0.0.1'));

  const user = (id: string, groups: unknown, claims: object = {}) => {
    world.provider.users[id] = { name: `${id} Example`, groups, ...claims };
  };
  const get = (path: string, headers: Record<string, string>) => callApi(world.api, 'GET', path, { headers });
  const entries = (target: string) => world.api.db('audit_entry').where({ target }).orderBy('id').pluck('action');

  it('begins a session of a person with the role of the group', async () => {
    user('kim', ['staff', 'shop-editor']);
    const answer = await logInBy(world.api, 'kim');
    const headers = inSession(world.api, answer);
    const { body } = await get('/api/v2/session', headers);
    assert.deepEqual([body.accountId, body.name, body.role], [world.accounts[0], 'kim Example', 'editor']);
    assert.ok(body.scopes.includes('catalog:write') && !body.scopes.includes('access:admin'));
    assert.equal((await get(PEOPLE, headers)).status, 403);
    const again = await logInBy(world.api, 'kim');
    assert.equal(again.body.tokenId, body.tokenId, 'the same person');
    assert.notEqual(again.body.id, body.id);
    assert.deepEqual(await entries(`token/${body.tokenId}`), ['PERSON_ADMITTED']);
    // Logging out ends our session; the cookie of the login is removed when it is used.
    assert.ok(
      answer.headers.getSetCookie().some((cookie) => /^longshore_login_\d+=; Path=\/; Max-Age=0;/.test(cookie)),
    );
    assert.equal((await callApi(world.api, 'DELETE', '/api/v2/session', { headers })).status, 204);
    assert.equal((await get('/api/v2/session', headers)).status, 401);
  });

  it('gives each role, and of several in one account the strongest', async () => {
    for (const role of ['viewer', 'editor', 'approver', 'owner']) {
      user(`one-${role}`, [`shop-${role}`]);
      assert.equal((await logInBy(world.api, `one-${role}`)).body.role, role);
    }
    user('several', ['shop-viewer', 'shop-approver', 'shop-editor']);
    assert.equal((await logInBy(world.api, 'several')).body.role, 'editor');
    user('text', 'shop-viewer');
    assert.equal((await logInBy(world.api, 'text')).body.role, 'viewer', 'a claim that is one text is one group');
  });

  it('gives the role of the new group at the next login, and older sessions have it too', async () => {
    user('moving', ['shop-owner']);
    const headers = inSession(world.api, await logInBy(world.api, 'moving'));
    assert.equal((await get(PEOPLE, headers)).status, 200);
    user('moving', ['shop-viewer'], { name: 'New Name' });
    const { body } = await logInBy(world.api, 'moving');
    assert.deepEqual([body.role, body.name], ['viewer', 'New Name']);
    await until('the older session has the new role', async () => (await get(PEOPLE, headers)).status === 403, 10_000);
    assert.deepEqual(await entries(`token/${body.tokenId}`), ['PERSON_ADMITTED', 'PERSON_CHANGED']);
  });

  it('refuses who has no group with a role, says which groups there were and who can help, and ends older sessions', async () => {
    user('leaving', ['shop-owner']);
    const headers = inSession(world.api, await logInBy(world.api, 'leaving'));
    user('leaving', ['staff', 'a "group"', 'gone']);
    const { status, body } = await logInBy(world.api, 'leaving');
    assert.deepEqual([status, body.code], [403, 'NO_ROLE']);
    assert.match(body.message, /Company Login says that your groups are "staff", "a "group"", "gone": none of them/);
    assert.match(body.message, /Ask those who administer Company Login .* or the operators of Longshore .*OIDC_ROLES/);
    user('leaving', undefined);
    assert.match((await logInBy(world.api, 'leaving')).body.message, /names no groups of yours/);
    await until('the session has ended', async () => (await get('/api/v2/session', headers)).status === 401, 10_000);
    user(
      'many',
      Array.from({ length: 500 }, (_, n) => `${n}-${'x'.repeat(1_000)}`),
    );
    const many = await logInBy(world.api, 'many');
    assert.match(many.body.message, / and 480 more/);
    assert.ok(many.text.length < 4_000);
  });

  it('refuses a person who was removed, until an operator readmits them', async () => {
    user('owner', ['shop-owner']);
    const owner = inSession(world.api, await logInBy(world.api, 'owner'));
    user('removed', ['shop-editor']);
    const first = await logInBy(world.api, 'removed');
    const { tokenId } = first.body;
    const path = `${PEOPLE}/${tokenId}`;
    const listed = await get(path, owner);
    assert.deepEqual([listed.body.issuer, listed.body.invitation.state], [world.provider.issuer, 'ACCEPTED']);
    // What the provider says is not changed here, and a link would pass it by.
    for (const [method, over, body] of [
      ['PATCH', '', { role: 'viewer' }],
      ['POST', '/actions/invite', undefined],
    ] as const) {
      const asked = await callApi(world.api, method, `${path}${over}`, { headers: owner, body });
      assert.deepEqual([asked.status, asked.body.code], [409, 'PROVIDER_PERSON']);
    }
    assert.equal((await callApi(world.api, 'DELETE', path, { headers: owner })).status, 204);
    for (const state of ['revoked', 'deleted']) {
      const refused = await logInBy(world.api, 'removed');
      assert.deepEqual([refused.status, refused.body.code], [403, 'ACCESS_REMOVED'], state);
      assert.match(refused.body.message, /ask an owner of the account/);
      await world.api.db('access_token').where({ id: tokenId }).delete();
    }
    const run = (...args: string[]) => answerCommand([...args, '--json'], world.api.environment);
    const { stdout } = await run('person', 'removed', '--account', world.accounts[0]);
    assert.deepEqual(JSON.parse(stdout), [
      { id: tokenId, accountId: world.accounts[0], issuer: world.provider.issuer, subject: 'removed' },
    ]);
    assert.equal((await run('person', 'readmit', tokenId)).code, 0);
    assert.match((await run('person', 'readmit', tokenId)).stderr, /no person .* was removed/);
    assert.equal((await logInBy(world.api, 'removed')).status, 200);
  });

  it('asks who may log in to several accounts for one, and says which there are', async () => {
    user('both', ['shop-owner', 'other-editors']);
    const [first, second] = world.accounts;
    const asked = await logInBy(world.api, 'both');
    assert.deepEqual([asked.status, asked.body.code], [409, 'CHOOSE_ACCOUNT']);
    assert.deepEqual(
      asked.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
      [
        [second, 'Another shop'],
        [first, 'Shop'],
      ],
    );
    const one = await logInBy(world.api, 'both', first);
    const other = await logInBy(world.api, 'both', second);
    assert.deepEqual([one.body.role, other.body.role], ['owner', 'editor']);
    assert.notEqual(one.body.tokenId, other.body.tokenId);
    // An account that the groups do not open is not chosen.
    assert.equal((await logInBy(world.api, 'both', world.api.account)).status, 409);
    // Who has lost one of the accounts keeps the session in the other.
    const [kept, lost] = [inSession(world.api, one), inSession(world.api, other)];
    user('both', ['shop-owner']);
    assert.equal((await logInBy(world.api, 'both')).body.accountId, first);
    await until('the session has ended', async () => (await get('/api/v2/session', lost)).status === 401, 10_000);
    assert.equal((await get('/api/v2/session', kept)).status, 200);
  });

  it('makes one person of two first logins at the same time', async () => {
    user('twice', ['shop-viewer']);
    const answers = await Promise.all([logInBy(world.api, 'twice'), logInBy(world.api, 'twice')]);
    assert.equal(new Set(answers.map(({ body }) => body.tokenId)).size, 1);
  });

  it('takes no name that is an OAuth client, none, or not storable', async () => {
    for (const [n, name] of [
      'oauth client 0123456789abcdef01234567',
      '',
      'a\u0000\u202eb',
      'x'.repeat(5_000),
    ].entries()) {
      user(`named-${n}`, ['shop-viewer'], { name });
      const { body, text } = await logInBy(world.api, `named-${n}`);
      assert.match(body.name, /^(?:person named-0|named-1|ab|x{200})$/, text);
    }
  });

  it('ends the session that the browser had before', async () => {
    const { token } = await createToken(world.api.db, { accountId: world.api.account, name: 'before' });
    const before = inSession(world.api, await exchange(world.api, undefined, { token }));
    user('after', ['shop-viewer']);
    const { cookie, callback } = await comeBack(world.api, 'after');
    const answer = await exchange(world.api, `${cookie}; ${before.cookie}`, { callback });
    assert.equal(answer.body.name, 'after Example');
    assert.equal((await get('/api/v2/session', before)).status, 401);
  });
});

describe('an identity provider', function () {
  this.timeout(60_000);

  it('may be away when the API starts, and when somebody logs in: the login says so, and works when it is back', async () => {
    const port = await reservePort();
    const accounts = ['0123456789abcdef01234567', '0123456789abcdef01234568'] as const;
    const api = await startTestApi({ environment: providerEnvironment(`http://127.0.0.1:${port}`, accounts) });
    let stop = async () => {};
    try {
      assert.equal((await api.fetch('/readyz')).status, 200);
      const away = await beginLogin(api);
      assert.deepEqual([away.status, away.body.code], [503, 'PROVIDER_AWAY']);
      assert.match(
        away.body.message,
        /Company Login does not answer as it should: try again shortly, or log in by a link/,
      );
      const start = () => startTestProvider(() => `${api.url}/console/login`, port);
      let provider = await start();
      stop = () => provider.stop();
      await api.db('account').insert({ id: accounts[0], name: 'Shop' });
      const users = { kim: { name: 'Kim', groups: ['shop-owner'] } };
      Object.assign(provider.users, users);
      assert.equal((await logInBy(api, 'kim')).status, 200);
      const { cookie, callback } = await comeBack(api, 'kim');
      await provider.stop();
      const gone = await exchange(api, cookie, { callback });
      assert.deepEqual([gone.status, gone.body.code], [503, 'PROVIDER_AWAY']);
      provider = await start();
      Object.assign(provider.users, users);
      assert.equal((await logInBy(api, 'kim')).status, 200);
    } finally {
      await stop();
      await api.stop();
    }
  });

  it('may name groups in another claim, in one within another, or by checked addresses', async () => {
    for (const [claim, claims, status] of [
      ['realm_access.roles', { realm_access: { roles: ['shop-viewer'] } }, 200],
      ['realm_access.roles', { realm_access: 'x' }, 403],
      ['email', { email: 'shop-viewer', email_verified: true }, 200],
      ['email', { email: 'shop-viewer', email_verified: false }, 403],
      ['email', { email: 'shop-viewer' }, 403],
      ['__proto__', { groups: ['shop-viewer'] }, 403],
    ] as const) {
      const world = await startProviderWorld({ OIDC_GROUPS_CLAIM: claim });
      try {
        world.provider.users.kim = claims;
        const answer = await logInBy(world.api, 'kim');
        assert.equal(answer.status, status, `${claim} ${answer.text}`);
      } finally {
        await world.stop();
      }
    }
  });

  it('is offered where there is one only', async () => {
    const api = await startTestApi();
    const world = await startProviderWorld({ OIDC_NAME: `<b>"Kim's" & {nonce}` });
    try {
      const page = async (one: typeof api) => (await one.fetch('/console/login?code=x&state=y')).text();
      assert.match(await page(api), /<meta name="longshore-provider" content="">/);
      assert.match(await page(world.api), /content="&#60;b&#62;&#34;Kim&#39;s&#34; &#38; \{nonce\}"/);
      for (const asked of [await beginLogin(api), await exchange(api, undefined, { callback: 'code=x&state=y' })])
        assert.deepEqual([asked.status, asked.body.code], [404, 'NO_PROVIDER']);
    } finally {
      await api.stop();
      await world.stop();
    }
  });
});
