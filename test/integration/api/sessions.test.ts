/** Sessions: login, what a session may do and how long, the list of sessions, and their end. */
import assert from 'node:assert/strict';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { pruneSessions } from '../../../src/domain/access/sessions.js';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { cookieIn, logInWith, openSession } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

/** How long a revoked token may still be accepted: docs/run/limits.md. */
const TOKEN_CACHE_MS = 5_000;

const HOUR_MS = 3_600_000;

describe('a session', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());

  const call = (method: string, path: string, headers: Readonly<Record<string, string | undefined>>, body?: unknown) =>
    callApi(api, method, path, { headers, ...(body === undefined ? {} : { body }) });
  const newToken = (scopes?: readonly string[], expiresAt?: Date) =>
    createToken(api.db, { accountId: api.account, name: 'merchandiser', scopes, expiresAt });
  const setTimes = (id: string, sql: string) => api.db.raw(`UPDATE session SET ${sql} WHERE id = ?`, [id]);
  const secretOf = (cookie: string) => cookie.replace(/^\w+=/, '');

  it('begins with a token, says who is logged in, and its cookie is for this site and no script', async () => {
    const { id: tokenId, token } = await newToken();
    const answer = await logInWith(api, { token });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(
      answer.headers.get('set-cookie') ?? '',
      /^longshore_session_\d+=lsn_[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    const { id, createdAt, idleExpiresAt, expiresAt, scopes, ...rest } = answer.body;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.deepEqual(rest, {
      accountId: api.account,
      accountName: 'test',
      tokenId,
      name: 'merchandiser',
      role: 'owner',
      stages: [{ name: 'production', live: true, createdAt: null }],
    });
    assert.ok(scopes.includes('access:admin'));
    assert.equal(Date.parse(idleExpiresAt) - Date.parse(createdAt), 8 * HOUR_MS);
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * HOUR_MS);
    const present = await call('GET', '/api/v2/session', { cookie: cookieIn(answer) });
    assert.deepEqual(present.body, answer.body);
    assert.ok(!answer.text.includes(secretOf(cookieIn(answer))), 'the secret is in the cookie alone');
  });

  it('has the scopes of its token, and no more', async () => {
    const { headers } = await openSession(api, { token: (await newToken(['catalog:read'])).token });
    const site = { 'x-site-context': JSON.stringify({ account: api.account }) };
    assert.equal((await call('GET', '/jobs/product', { ...headers, ...site })).status, 200);
    assert.equal((await call('GET', '/api/v2/audit', { ...headers, ...site })).status, 403);
    assert.equal((await call('GET', '/api/v2/session', headers)).body.role, null);
  });

  it('is not what a token is: its secret is no bearer token, and a token is no secret of a cookie', async () => {
    const { token } = await newToken();
    const { cookie } = await openSession(api, { token });
    const bearer = await call('GET', '/api/v2/sessions', { authorization: `Bearer ${secretOf(cookie)}` });
    assert.equal(bearer.status, 401);
    assert.equal(
      (await call('GET', '/api/v2/session', { cookie: cookie.replace(secretOf(cookie), token) })).status,
      401,
    );
    const present = await call('GET', '/api/v2/session', { authorization: `Bearer ${token}` });
    assert.deepEqual([present.status, present.body.code], [404, 'NO_SESSION']);
  });

  it('does not begin with what is no token of an account', async () => {
    for (const [body, status] of [
      [{ token: 'lst_unknown' }, 401],
      [{ token: (await newToken(undefined, new Date(0))).token }, 401],
      [{ token: api.operatorToken }, 403],
      [{ token: '' }, 400],
      [{}, 400],
      [[], 400],
    ] as const) {
      const answer = await logInWith(api, body);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
  });

  it('ends when its browser logs out, and removes the cookie', async () => {
    const { id, headers } = await openSession(api, { token: (await newToken()).token });
    const out = await call('DELETE', '/api/v2/session', headers);
    assert.equal(out.status, 204);
    assert.match(out.headers.get('set-cookie') ?? '', /^longshore_session_\d+=; Path=\/; Max-Age=0;/);
    const after = await call('GET', '/api/v2/session', headers);
    assert.equal(after.status, 401);
    assert.match(after.body.message, /log in again/);
    const [entry] = await api.db('audit_entry').where({ action: 'SESSION_ENDED', target: `session/${id}` });
    assert.equal(entry.actor_kind, 'token');
  });

  it('ends with its token: when it is revoked, and when it expires', async () => {
    let now = 0;
    const tokens = createAuthenticator(api.db, () => now);
    const { id, token } = await newToken();
    const { cookie } = await openSession(api, { token });
    const known = await tokens.authenticate(secretOf(cookie), undefined, 'session');
    assert.equal(known?.tokenId, id);
    await revokeToken(api.db, id);
    now += TOKEN_CACHE_MS;
    assert.equal(await tokens.authenticate(secretOf(cookie), undefined, 'session'), null);

    const brief = await newToken(undefined, new Date(Date.now() + HOUR_MS));
    const answer = await logInWith(api, { token: brief.token });
    assert.equal(answer.body.expiresAt, brief.expiresAt?.toISOString());
    assert.equal(answer.body.idleExpiresAt, brief.expiresAt?.toISOString());
    const later = createAuthenticator(api.db, undefined, () => Date.now() + HOUR_MS);
    assert.equal(await later.authenticate(secretOf(cookieIn(answer)), undefined, 'session'), null);
  });

  it('expires when it is not used, and at last whatever it does', async () => {
    const { id, headers, cookie } = await openSession(api, { token: (await newToken()).token });
    const isValid = async () =>
      (await createAuthenticator(api.db).authenticate(secretOf(cookie), undefined, 'session')) !== null;
    await setTimes(id, "last_used_at = now() - interval '7 hours 59 minutes'");
    assert.ok(await isValid());
    await call('GET', '/api/v2/session', headers);
    await api.services.recorder.write();
    const [row] = await api.db('session').where({ id });
    assert.ok(Date.now() - row.last_used_at.getTime() < HOUR_MS, 'its use was noted');
    await setTimes(id, "last_used_at = now() - interval '8 hours'");
    assert.ok(!(await isValid()));
    await setTimes(id, "last_used_at = now(), expires_at = now() - interval '1 second'");
    assert.ok(!(await isValid()));
  });

  it('is looked up once for the requests of some seconds, like a token', async () => {
    const { id, cookie } = await openSession(api, { token: (await newToken()).token });
    const tokens = createAuthenticator(api.db, () => 0);
    const find = () => tokens.authenticate(secretOf(cookie), undefined, 'session');
    await find();
    await api.db('session').where({ id }).delete();
    assert.notEqual(await find(), null);
    tokens.forgetSession(id);
    assert.equal(await find(), null);
  });

  it('is listed with those of its token, and with all of the account for access:admin', async () => {
    const { account, token: owner } = await api.newAccount();
    const reader = await createToken(api.db, { accountId: account, name: 'reader', scopes: ['catalog:read'] });
    const [first, second] = [await openSession(api, { token: owner }), await openSession(api, { token: reader.token })];
    const third = await openSession(api, { token: reader.token });
    const idsFor = async (headers: Readonly<Record<string, string>>) => {
      const { body } = await call('GET', '/api/v2/sessions', headers);
      return (body.data as { id: string }[]).map(({ id }) => id).sort();
    };
    assert.deepEqual(await idsFor(first.headers), [first.id, second.id, third.id].sort());
    assert.deepEqual(await idsFor(second.headers), [second.id, third.id].sort());
    assert.deepEqual(await idsFor({ authorization: `Bearer ${owner}` }), [first.id, second.id, third.id].sort());
    const { body } = await call('GET', '/api/v2/sessions', { ...third.headers, 'user-agent': 'x' });
    const own = body.data.find(({ id }: { id: string }) => id === third.id);
    assert.deepEqual([own.current, own.name, own.tokenId, own.address], [true, 'reader', reader.id, '127.0.0.1']);
    // One ends the other, and not what it may not see.
    assert.equal((await call('DELETE', `/api/v2/sessions/${first.id}`, second.headers)).status, 404);
    assert.equal((await call('DELETE', `/api/v2/sessions/${third.id}`, second.headers)).status, 204);
    assert.equal((await call('GET', '/api/v2/session', third.headers)).status, 401);
    assert.equal((await call('DELETE', `/api/v2/sessions/${third.id}`, second.headers)).status, 404);
    assert.equal((await call('DELETE', `/api/v2/sessions/${second.id}`, first.headers)).status, 204);
    assert.deepEqual(await idsFor(first.headers), [first.id]);
  });

  it('of another account cannot be seen or ended', async () => {
    const theirs = await openSession(api, { token: (await newToken()).token });
    const { token } = await api.newAccount();
    const { headers } = await openSession(api, { token });
    assert.equal((await call('DELETE', `/api/v2/sessions/${theirs.id}`, headers)).status, 404);
    assert.ok(!(await call('GET', '/api/v2/sessions', headers)).text.includes(theirs.id));
    assert.equal((await call('GET', '/api/v2/session', theirs.headers)).status, 200);
  });

  it('is one of at most 100 of a token: the one that was not used for the longest time ends', async () => {
    const { id: tokenId, token } = await newToken();
    const first = await openSession(api, { token });
    await setTimes(first.id, "last_used_at = now() - interval '1 hour'");
    for (let made = 1; made < 101; made++) await openSession(api, { token });
    const open = await api.db('session').where({ token_id: tokenId, ended_at: null });
    assert.equal(open.length, 100);
    assert.ok(!open.some(({ id }) => id === first.id));
  }).timeout(20_000);

  it('is deleted a day after its end, and not before', async () => {
    const { token } = await newToken();
    const [ended, idle, recent, valid] = [
      await openSession(api, { token }),
      await openSession(api, { token }),
      await openSession(api, { token }),
      await openSession(api, { token }),
    ];
    await setTimes(ended.id, "ended_at = now() - interval '25 hours'");
    await setTimes(idle.id, "last_used_at = now() - interval '33 hours'");
    await setTimes(recent.id, "ended_at = now() - interval '23 hours'");
    assert.ok((await pruneSessions(api.db, new Date())) >= 2);
    const left = (await api.db('session').select('id')).map(({ id }) => id);
    assert.deepEqual(
      [ended, idle, recent, valid].map(({ id }) => left.includes(id)),
      [false, false, true, true],
    );
  });

  it('has a cookie that is sent by HTTPS alone where the service is called by HTTPS', async () => {
    let address = 'https://bulk.example.com';
    const publicUrl = () => address;
    const services = { ...api.services, publicUrl };
    const { createApp } = await import('../../../src/api/app.js');
    const { startServer } = await import('../../../src/api/server.js');
    const server = await startServer(createApp(services).callback(), { host: '127.0.0.1', port: 0 });
    const secure = {
      url: publicUrl(),
      fetch: (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init),
    };
    try {
      const answer = await logInWith(secure, { token: api.token });
      assert.match(
        answer.headers.get('set-cookie') ?? '',
        /^__Host-longshore_session=lsn_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
      );
      const ask = (cookie: string) => callApi(secure, 'GET', '/api/v2/session', { headers: { cookie } });
      assert.equal((await ask(cookieIn(answer))).status, 200);
      assert.equal((await ask(cookieIn(answer).replace('__Host-', ''))).status, 401, 'another host may have set it');
      // Systems on other ports, or below other paths, have cookies of their own.
      for (const [other, name] of [
        ['https://bulk.example.com:8443', '__Host-longshore_session_8443'],
        ['https://bulk.example.com/shop/b', '__Host-longshore_session_shop_b'],
        ['http://bulk.example.com', 'longshore_session'],
        ['http://bulk.example.com:3000', 'longshore_session_3000'],
      ] as const) {
        address = other;
        const theirs = await logInWith({ ...secure, url: new URL(other).origin }, { token: api.token });
        assert.equal(cookieIn(theirs).split('=')[0], name);
        assert.equal((await ask(cookieIn(answer))).status, 401, other);
        assert.equal((await ask(`${cookieIn(answer)}; ${cookieIn(theirs)}`)).status, 200, other);
      }
    } finally {
      await server.stop(0);
    }
  });

  it('is audited: its beginning, and each act in it as one of its token', async () => {
    const { id: tokenId, token } = await newToken();
    const { id, headers } = await openSession(api, { token });
    const [begun] = await api.db('audit_entry').where({ action: 'SESSION_STARTED', target: `session/${id}` });
    assert.deepEqual([begun.actor_kind, begun.actor_id, begun.account_id], ['token', tokenId, api.account]);
    const made = await call(
      'POST',
      '/api-category/v1/category',
      { ...headers, 'x-site-context': JSON.stringify({ account: api.account, stage: 'audited' }) },
      { name: 'Disk' },
    );
    assert.equal(made.status, 200, made.text);
    const [act] = await api.db('audit_entry').where({ action: 'CATEGORY_CREATED', stage: 'audited' });
    assert.deepEqual([act.actor_kind, act.actor_id], ['token', tokenId]);
    const { body } = await call('GET', '/api/v2/session', headers);
    assert.deepEqual(
      body.stages.map(({ name, live }: { name: string; live: boolean }) => [name, live]),
      [
        ['production', true],
        ['audited', false],
      ],
    );
  });
});
