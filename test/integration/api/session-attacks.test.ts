/** What pages of other origins, and holders of old or foreign cookies, try with a session. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { makeLoginCode } from '../../../src/domain/access/login-codes.js';
import { createToken, listTokens, revokeToken } from '../../../src/domain/access/tokens.js';
import { type BrowserSession, cookieIn, logInWith, openSession } from '../../support/http/browser-session.js';
import { type Answer, callApi } from '../../support/http/call-api.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const EVIL = 'https://evil.example';
const CATEGORY = '/api-category/v1/category';

describe('attacks on sessions', () => {
  let api: TestApi;
  let session: BrowserSession;
  let site: Record<string, string>;
  before(async () => {
    api = await startTestApi({ environment: { CORS_ORIGINS: 'https://shop.example.com' } });
    session = await openSession(api, { token: api.token });
    site = { 'x-site-context': JSON.stringify({ account: api.account }) };
  });
  after(() => api.stop());

  const call = (method: string, path: string, headers: Readonly<Record<string, string | undefined>>, body?: unknown) =>
    callApi(api, method, path, { headers, ...(body === undefined ? {} : { body }) });
  const categories = async () => (await api.db('category').count('* AS count'))[0]?.count;

  it('a page of another origin can change nothing with the cookie, whatever kind of request it sends', async () => {
    const { cookie } = session;
    const before = await categories();
    const port = Number(new URL(api.url).port);
    const name = JSON.stringify({ name: 'Forged' });
    for (const [what, headers, body] of [
      ['fetch', { origin: EVIL, 'content-type': 'application/json' }, name],
      ['fetch with text/plain', { origin: EVIL, 'content-type': 'text/plain' }, name],
      ['a form', { origin: EVIL, 'content-type': 'application/x-www-form-urlencoded' }, 'name=Forged'],
      ['a form of a sandbox', { origin: 'null', 'content-type': 'application/x-www-form-urlencoded' }, 'name=Forged'],
      ['a form with files', { origin: EVIL, 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
      ['a page on another port', { origin: `http://127.0.0.1:${port + 1}`, 'sec-fetch-site': 'same-site' }, name],
      ['an allowed origin of CORS', { origin: 'https://shop.example.com' }, name],
      ['the name with a suffix', { origin: `${api.url}.evil.example` }, name],
      ['no origin', {}, name],
      ['the own origin, said to be another site', { origin: api.url, 'sec-fetch-site': 'cross-site' }, name],
      ['the own origin, said to be a sibling', { origin: api.url, 'sec-fetch-site': 'same-site' }, name],
    ] as const) {
      const answer = await call('POST', CATEGORY, { ...site, cookie, ...headers }, body);
      assert.equal(answer.status, 403, `${what}: ${answer.text}`);
      assert.equal(answer.body.code, 'FOREIGN_ORIGIN', what);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    }
    assert.equal(await categories(), before);
  });

  it('a page of another origin can read nothing with the cookie either', async () => {
    const { cookie } = session;
    for (const headers of [{ origin: EVIL }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await call('GET', '/api/v2/session', { cookie, ...headers });
      assert.deepEqual([answer.status, answer.body.code], [403, 'FOREIGN_ORIGIN']);
    }
    for (const headers of [{}, { origin: api.url }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])
      assert.equal((await call('GET', '/api/v2/session', { cookie, ...headers })).status, 200);
  });

  it('a page of another origin cannot log its visitor in, as itself', async () => {
    for (const headers of [
      { origin: EVIL },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://shop.example.com' },
    ]) {
      const answer = await logInWith(api, { token: api.token }, headers);
      assert.deepEqual([answer.status, answer.body.code], [403, 'FOREIGN_ORIGIN']);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
    const form = { origin: api.url, 'content-type': 'text/plain' };
    const plain = await call('POST', '/api/v2/session', form, JSON.stringify({ token: api.token }));
    assert.equal(plain.status, 415);
  });

  it('no secret that was known before a login is one after it', async () => {
    const planted = await openSession(api, { token: api.token });
    const answer = await logInWith(api, { token: api.token }, { cookie: planted.cookie });
    assert.notEqual(cookieIn(answer), planted.cookie);
    assert.equal((await call('GET', '/api/v2/session', planted.headers)).status, 401, 'the earlier one has ended');
    // A secret of the attacker's choice becomes no session.
    const chosen = `${planted.cookie.split('=')[0]}=lsn_${'A'.repeat(43)}`;
    const other = await logInWith(api, { token: api.token }, { cookie: chosen });
    assert.equal(other.status, 200);
    assert.notEqual(cookieIn(other), chosen);
    assert.equal((await call('GET', '/api/v2/session', { cookie: chosen })).status, 401);
  });

  it('a stolen cookie is refused after the logout, at once in this process', async () => {
    const { headers } = await openSession(api, { token: api.token });
    const asked = Array.from({ length: 20 }, () => call('GET', '/api/v2/session', headers));
    const out = await call('DELETE', '/api/v2/session', headers);
    assert.equal(out.status, 204);
    for (const { status } of await Promise.all(Array.from({ length: 20 }, () => call('GET', '/jobs/product', headers))))
      assert.equal(status, 401);
    await Promise.all(asked);
  });

  it('a cookie whose token was revoked is refused within seconds', async () => {
    const { id, token } = await createToken(api.db, { accountId: api.account, name: 'revoked' });
    const { headers } = await openSession(api, { token });
    await revokeToken(api.db, id);
    await until(
      'the cookie is refused',
      async () => (await call('GET', '/api/v2/session', headers)).status === 401,
      10_000,
    );
  }).timeout(15_000);

  it('a cookie of one account opens nothing of another', async () => {
    const other = await api.newAccount();
    const { headers } = await openSession(api, { token: other.token });
    for (const path of ['/jobs/product', CATEGORY, '/files/product'])
      assert.equal((await call('GET', path, { ...headers, ...site })).status, 403, path);
    assert.equal((await call('POST', CATEGORY, { ...headers, ...site }, { name: 'Theirs' })).status, 403);
    const tenantKey = { 'tenant-key': api.account };
    assert.equal((await call('GET', '/api/v2/document/ORDER/1', { ...headers, ...tenantKey })).status, 403);
  });

  it('routes of operators know no cookie', async () => {
    for (const path of ['/admin', '/admin/queues', '/metrics'])
      assert.equal((await call('GET', path, session.headers)).status, 401, path);
    assert.equal((await call('POST', '/admin/actions', session.headers, '')).status, 401);
  });

  it('a request with a token is one of the token, whatever its cookie', async () => {
    const other = await api.newAccount();
    const both = { ...session.headers, authorization: `Bearer ${other.token}` };
    assert.equal((await call('GET', '/jobs/product', { ...both, ...site })).status, 403);
    const theirs = { 'x-site-context': JSON.stringify({ account: other.account }) };
    assert.equal((await call('GET', '/jobs/product', { ...both, ...theirs })).status, 200);
    // Neither does a wrong token fall back to the cookie.
    for (const authorization of ['Bearer lst_unknown', 'Bearer', '', 'Basic eDp4'])
      assert.equal((await call('GET', '/jobs/product', { ...session.headers, ...site, authorization })).status, 401);
    // And it needs no origin.
    const foreign = { ...site, authorization: `Bearer ${api.token}`, cookie: session.cookie, origin: EVIL };
    assert.equal((await call('GET', '/jobs/product', foreign)).status, 200);
  });

  it('cookies that are malformed, or sent twice, are refused with what to do', async () => {
    const { cookie } = session;
    const [name = '', secret = ''] = cookie.split('=');
    for (const sent of [
      `${cookie}; ${cookie}`,
      `${cookie}; ${name}=lsn_${'A'.repeat(43)}`,
      `${name}="${secret}"`,
      `${name}=${secret}x`,
      `${name}=${secret.slice(1)}`,
      `${name}=${'x'.repeat(5_000)}`,
      `${name}=%00`,
      `${name}=\u00ff`,
    ]) {
      const answer = await call('GET', '/api/v2/session', { cookie: sent });
      assert.equal(answer.status, 401, sent);
      assert.match(answer.body.message, /delete the cookies of this address/, sent);
    }
    for (const sent of ['', ';;;', '=', name, `${name}=`, `${name.toUpperCase()}=${secret}`])
      assert.equal((await call('GET', '/api/v2/session', { cookie: sent })).status, 401, sent);
    // Other cookies of the host are in nobody's way.
    const among = `a=b; ${cookie};c="d; e";__Host-longshore_session=x; longshore_session=x`;
    assert.equal((await call('GET', '/api/v2/session', { cookie: among })).status, 200);
  });

  it('1,000 wrong codes cost little, and do not tell a used one from one that never was', async () => {
    const own = await startTestApi();
    try {
      const [{ id: tokenId = '' } = {}] = await listTokens(own.db, own.account);
      const make = () => own.db.transaction((trx) => makeLoginCode(trx, tokenId, 15));
      const used = (await make()).code;
      await openSession(own, { code: used });
      const old = (await make()).code;
      const valid = (await make()).code;
      const wrong = (n: number) => `lsc_${String(n).padStart(43, 'x')}`;
      const texts = new Set<string>();
      for (const code of [used, old, wrong(0), 'x', own.token]) {
        const { status, text } = await logInWith(own, { code });
        assert.equal(status, 401, text);
        texts.add(text);
      }
      assert.equal(texts.size, 1);
      assert.match([...texts].join(), /this link was used, has expired or does not exist: ask for a new one/);
      let lookedUp = 0;
      for (let begun = 0; begun < 1_000; begun += 100) {
        const some = Array.from({ length: 100 }, (_, n) => logInWith(own, { code: wrong(begun + n) }));
        for (const { status, text } of await Promise.all(some)) {
          assert.ok(status === 429 || texts.has(text), text);
          if (status !== 429) lookedUp++;
        }
      }
      assert.ok(lookedUp < 40, `${lookedUp} were looked up`);
      // The right one is not looked up either until the wait is over, and stays valid.
      assert.equal((await logInWith(own, { code: valid })).status, 429);
      assert.equal((await own.db('login_code').whereNull('used_at').where('expires_at', '>', new Date())).length, 1);
    } finally {
      await own.stop();
    }
  }).timeout(60_000);

  it('1,000 wrong tokens cost little, and say nothing', async () => {
    const own = await startTestApi();
    try {
      const answers: Answer[] = [];
      for (let begun = 0; begun < 1_000; begun += 100) {
        const some = Array.from({ length: 100 }, (_, n) => `lst_${String(begun + n).padStart(43, 'x')}`);
        answers.push(...(await Promise.all(some.map((token) => logInWith(own, { token })))));
      }
      const kinds = new Set(answers.map(({ status, body }) => `${status} ${body.code}`));
      assert.deepEqual([...kinds].sort(), ['401 UNAUTHORIZED', '429 TOO_MANY_LOGINS']);
      const refused = answers.filter(({ status }) => status === 401);
      assert.equal(new Set(refused.map(({ text }) => text)).size, 1);
      assert.ok(refused.length < 40, `${refused.length} were looked up`);
      // An address that waits does not keep others from their work.
      assert.equal((await own.fetch('/healthz')).status, 200);
      await own.services.recorder.write();
      const entries = await own.db('audit_entry').where({ action: 'SESSION_STARTED', result: 'UNAUTHORIZED' });
      assert.equal(entries.length, 1, 'they are counted, not written one by one');
    } finally {
      await own.stop();
    }
  }).timeout(60_000);

  it('a session that ends in the middle of an upload does not end the upload, but the next request is refused', async () => {
    const { id, headers, cookie } = await openSession(api, { token: api.token });
    const rows = `[${Array.from({ length: 200 }, (_, n) => JSON.stringify({ sku: `u-${n}` })).join(',')}]`;
    const [head, tail] = [rows.slice(0, 100), rows.slice(100)];
    const path = '/api-product/v1/product/bulk/upsert';
    const sent = request(`${api.url}${path}`, {
      method: 'POST',
      headers: {
        ...{ ...site, cookie, origin: api.url, expect: '100-continue' },
        ...{ 'content-type': 'application/json', 'content-length': rows.length },
      },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sent.once('response', (response) => resolve(response.resume().statusCode));
      sent.once('error', reject);
    });
    // The server invites the body when it has authorized the request.
    await new Promise((resolve) => sent.once('continue', resolve));
    await new Promise((resolve) => sent.write(head, resolve));
    await api.db('session').where({ id }).update({ ended_at: new Date() });
    api.services.tokens.forgetSession(id);
    sent.end(tail);
    assert.equal(await answered, 202);
    assert.equal((await call('GET', '/api/v2/session', headers)).status, 401);
  });
});
