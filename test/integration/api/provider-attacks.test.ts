/** What is refused of logins by an identity provider: foreign, old, spoiled and replayed ones. */
import assert from 'node:assert/strict';
import { cookieIn } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import {
  beginLogin,
  comeBack,
  exchange,
  inSession,
  logInBy,
  type ProviderWorld,
  startProviderWorld,
} from '../../support/worlds/provider-world.js';
import { logInAt } from '../../support/worlds/test-provider.js';

describe('attacks on logins by an identity provider', function () {
  this.timeout(60_000);
  let world: ProviderWorld;
  before(async () => {
    world = await startProviderWorld();
    world.provider.users.kim = { name: 'Kim', groups: ['shop-owner'] };
    world.provider.users.mallory = { name: 'Mallory', groups: ['shop-viewer'] };
  });
  after(() => world?.stop());
  beforeEach(() => world.api.services.loginFailures.succeeded('127.0.0.1'));
  afterEach(() => Object.assign(world.provider, { spoil: undefined, signsWrongly: false }));

  const refused = async (cookie: string | undefined, callback: string, why: RegExp) => {
    const answer = await exchange(world.api, cookie, { callback });
    assert.equal(answer.status, 401, answer.text);
    assert.match(answer.body.message, why);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    world.api.services.loginFailures.succeeded('127.0.0.1');
  };

  it('a login of another browser is refused, however its address was come by', async () => {
    const mallory = await comeBack(world.api, 'mallory');
    const victim = cookieIn(await beginLogin(world.api));
    const elsewhere = /did not begin in this browser/;
    await refused(victim, mallory.callback, elsewhere);
    await refused(undefined, mallory.callback, elsewhere);
    const [name] = victim.split('=');
    await refused(`${name}=lsp_${'A'.repeat(43)}`, mallory.callback, elsewhere);
    await refused(`${name}=x`, mallory.callback, /delete the cookies/);
    await refused(`${victim}; ${mallory.cookie}`, mallory.callback, /is sent 2 times/);
    // It is still good in the browser in which it began.
    assert.equal((await exchange(world.api, mallory.cookie, { callback: mallory.callback })).status, 200);
  });

  it('a code is good once, for the login that asked for it', async () => {
    const used = await comeBack(world.api, 'kim');
    const { headers } = {
      headers: inSession(world.api, await exchange(world.api, used.cookie, { callback: used.callback })),
    };
    await refused(used.cookie, used.callback, /it was used already, or took too long/);
    assert.equal((await callApi(world.api, 'GET', '/api/v2/session', { headers })).status, 200);
    // Put into another login, with the right state: the verifier is another one.
    const begun = await beginLogin(world.api);
    const state = new URL(begun.body.address).searchParams.get('state') ?? '';
    const stolen = new URLSearchParams((await comeBack(world.api, 'kim')).callback);
    stolen.set('state', state);
    await refused(cookieIn(begun), String(stolen), /it was used already, or took too long/);
  });

  it('an ID token that is not for this login, not for us, not of the provider, or too old is refused', async () => {
    const hour = 3_600;
    const now = () => Math.floor(Date.now() / 1_000);
    for (const spoil of [
      (claims: object) => ({ ...claims, nonce: 'another' }),
      (claims: object) => ({ ...claims, nonce: undefined }),
      (claims: object) => ({ ...claims, aud: 'another-client' }),
      (claims: object) => ({ ...claims, aud: ['longshore', 'another-client'], azp: 'another-client' }),
      (claims: object) => ({ ...claims, iss: 'http://127.0.0.1:1' }),
      (claims: object) => ({ ...claims, exp: now() - hour }),
      (claims: object) => ({ ...claims, exp: now() - 90 }),
      (claims: object) => ({ ...claims, nbf: now() + hour }),
      (claims: object) => ({ ...claims, sub: undefined }),
    ]) {
      const { cookie, callback } = await comeBack(world.api, 'kim');
      world.provider.spoil = spoil;
      await refused(cookie, callback, /what it says is not valid/);
      world.provider.spoil = undefined;
    }
    const { cookie, callback } = await comeBack(world.api, 'kim');
    world.provider.signsWrongly = true;
    await refused(cookie, callback, /what it says is not valid/);
  });

  it('clocks may differ by a minute', async () => {
    const now = () => Math.floor(Date.now() / 1_000);
    for (const spoil of [
      (claims: object) => ({ ...claims, exp: now() - 40 }),
      (claims: object) => ({ ...claims, iat: now() + 40, nbf: now() + 40 }),
    ]) {
      world.provider.spoil = spoil;
      const answer = await logInBy(world.api, 'kim');
      assert.equal(answer.status, 200, answer.text);
    }
  });

  it('a callback of another provider is refused, and so is one without a code', async () => {
    const { cookie, callback } = await comeBack(world.api, 'kim');
    const query = new URLSearchParams(callback);
    query.set('iss', 'https://evil.example');
    await refused(cookie, String(query), /what it says is not valid/);
    const state = query.get('state') ?? '';
    await refused(cookie, `state=${state}&code=x&code=y`, /what it says is not valid|does not/);
    await refused(cookie, `state=${state}&state=z`, /./);
    await refused(cookie, `state=${state}`, /./);
  });

  it('what the provider refuses is said as text', async () => {
    const begun = await beginLogin(world.api);
    const callback = await logInAt(begun.body.address, '');
    await refused(cookieIn(begun), callback, /Company Login was refused: access_denied \(the user has <cancelled>\)/);
  });

  it('no page of another origin begins a login or ends one, and no address is returned to but our own', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await beginLogin(world.api, headers);
      assert.deepEqual([answer.status, answer.body.code], [403, 'FOREIGN_ORIGIN']);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const { port } = new URL(world.api.url);
    const local = await beginLogin(world.api, { host: `localhost:${port}`, origin: `http://localhost:${port}` });
    assert.ok(local.status === 403 || local.body.code === 'OTHER_ADDRESS', local.text);
    // The request names no address, and what it adds is refused or counts for nothing.
    const begun = await callApi(world.api, 'POST', '/api/v2/session/provider?redirect_uri=https://evil.example', {
      headers: { origin: world.api.url },
    });
    assert.equal(begun.status, 400);
    const { address } = (await beginLogin(world.api)).body;
    assert.equal(new URL(address).searchParams.get('redirect_uri'), `${world.api.url}/console/login`);
    assert.equal(new URL(address).searchParams.get('code_challenge_method'), 'S256');
    const elsewhere = new URL(address);
    elsewhere.searchParams.set('redirect_uri', 'https://evil.example/console/login');
    await assert.rejects(logInAt(elsewhere.href, 'kim'), /the provider answered 400/);
  });

  it('no secret that was known before the login is one after it', async () => {
    const chosen = `lsn_${'A'.repeat(43)}`;
    const { cookie, callback } = await comeBack(world.api, 'kim');
    const name = `longshore_session_${new URL(world.api.url).port}`;
    const answer = await exchange(world.api, `${cookie}; ${name}=${chosen}`, { callback });
    assert.notEqual(inSession(world.api, answer).cookie, `${name}=${chosen}`);
    const stale = await callApi(world.api, 'GET', '/api/v2/session', { headers: { cookie: `${name}=${chosen}` } });
    assert.equal(stale.status, 401);
    // The secret of the login is no session either.
    const asSession = cookie.replace('longshore_login', 'longshore_session');
    const other = await callApi(world.api, 'GET', '/api/v2/session', { headers: { cookie: asSession } });
    assert.equal(other.status, 401);
  });

  it('many callbacks that no login of the browser asked for do not reach the provider', async () => {
    let asked = 0;
    world.provider.spoil = (claims) => {
      asked++;
      return claims;
    };
    const some = Array.from({ length: 100 }, (_, n) =>
      exchange(world.api, undefined, { callback: `code=${n}&state=${n}` }),
    );
    const statuses = new Set((await Promise.all(some)).map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), [401, 429]);
    assert.equal(asked, 0);
  });
});
