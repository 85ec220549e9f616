/** Links that log in once: who gets them, and that each is used at most once. */
import assert from 'node:assert/strict';
import { answerCommand } from '../../../src/admin/answer-command.js';
import { loginLink, makeLoginCode, pruneLoginCodes, useLoginCode } from '../../../src/domain/access/login-codes.js';
import { createToken, listTokens, revokeToken } from '../../../src/domain/access/tokens.js';
import { cookieIn, logInWith, openSession } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

describe('a link that logs in once', () => {
  let api: TestApi;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  // Nobody waits for what another test was refused.
  beforeEach(() => api.services.loginFailures.succeeded('127.0.0.1'));

  const newToken = (expiresAt?: Date) => createToken(api.db, { accountId: api.account, name: 'linked', expiresAt });
  const codeOf = async (tokenId: string) => (await api.db.transaction((trx) => makeLoginCode(trx, tokenId, 15))).code;

  it('of somebody else does not replace the session of a browser, unless that is asked for', async () => {
    const [own, other] = [
      await newToken(),
      await createToken(api.db, { accountId: api.account, name: 'Somebody else' }),
    ];
    const { headers, cookie } = await openSession(api, { code: await codeOf(own.id) });
    const code = await codeOf(other.id);
    const asked = await logInWith(api, { code }, { cookie });
    assert.deepEqual([asked.status, asked.body.code], [409, 'OTHER_SESSION']);
    assert.match(asked.body.message, /you are logged in as linked, and this link logs in as Somebody else/);
    assert.deepEqual(
      asked.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
      [
        ['present', 'linked'],
        ['offered', 'Somebody else'],
      ],
    );
    assert.equal(asked.headers.get('set-cookie'), null);
    const ask = () => callApi(api, 'GET', '/api/v2/session', { headers });
    assert.equal((await ask()).body.tokenId, own.id);
    // The link is not used up by the question.
    const replaced = await logInWith(api, { code, replace: true }, { cookie });
    assert.equal(replaced.body.tokenId, other.id);
    assert.equal((await ask()).status, 401);
    // One of the same person, or where the session has ended, asks nothing.
    const again = await logInWith(api, { code: await codeOf(own.id) }, { cookie });
    assert.equal(again.status, 200, again.text);
    const same = await logInWith(api, { code: await codeOf(own.id) }, { cookie: cookieIn(again) });
    assert.equal(same.status, 200, same.text);
  });

  it('opens a session of its token', async () => {
    const { id, scopes } = await newToken();
    const { headers } = await openSession(api, { code: await codeOf(id) });
    const { body } = await callApi(api, 'GET', '/api/v2/session', { headers });
    assert.deepEqual([body.tokenId, body.accountId, body.name], [id, api.account, 'linked']);
    assert.deepEqual(body.scopes, scopes);
  });

  it('is used once: of 20 at the same time exactly one wins', async () => {
    const { id } = await newToken();
    const code = await codeOf(id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => logInWith(api, { code })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 401)]);
    assert.equal((await api.db('session').where({ token_id: id })).length, 1);
  });

  it('is used by nobody when the transaction that uses it fails', async () => {
    const { id } = await newToken();
    const code = await codeOf(id);
    const failing = api.db.transaction(async (trx) => {
      await useLoginCode(trx, code);
      throw new Error('the process dies');
    });
    await assert.rejects(failing, /the process dies/);
    await openSession(api, { code });
  });

  it('is refused when it has expired, a newer one was made, or its token is not valid any more', async () => {
    const [revoked, replaced, late] = [await newToken(), await newToken(), await newToken()];
    const codes = [await codeOf(revoked.id), await codeOf(replaced.id), await codeOf(late.id)];
    await revokeToken(api.db, revoked.id);
    const newer = await codeOf(replaced.id);
    await api.db('login_code').where({ token_id: late.id }).update({ expires_at: new Date() });
    const { id } = await newToken(new Date(0));
    codes.push(await codeOf(id));
    for (const code of codes) {
      const { status, body } = await logInWith(api, { code });
      assert.deepEqual([status, body.code], [401, 'LOGIN_CODE_REFUSED']);
      assert.match(body.message, /ask for a new one/);
    }
    await openSession(api, { code: newer });
  });

  it('takes either a token or a code, and no other code', async () => {
    const { id, token } = await newToken();
    for (const body of [{ token, code: await codeOf(id) }, { code: '' }, { code: null }, { code: 7 }]) {
      const answer = await logInWith(api, body);
      assert.equal(answer.status, 400, answer.text);
    }
  });

  it('leaves few rows behind, however many are made', async () => {
    const { id } = await newToken();
    for (let made = 0; made < 5; made++) await openSession(api, { code: await codeOf(id) });
    await codeOf(id);
    await codeOf(id);
    assert.equal((await api.db('login_code').where({ token_id: id })).length, 2);
  });

  it('has its code in the fragment, which browsers send to nobody', () => {
    assert.equal(loginLink('https://bulk.example.com/', 'lsc_x'), 'https://bulk.example.com/console/#code=lsc_x');
  });

  it('is stored as a digest, and deleted a month after it has expired', async () => {
    const { id } = await newToken();
    const code = await codeOf(id);
    const rows = () => api.db('login_code').where({ token_id: id });
    assert.ok(!JSON.stringify(await rows()).includes(code));
    await pruneLoginCodes(api.db, new Date());
    assert.equal((await rows()).length, 1);
    await pruneLoginCodes(api.db, new Date(Date.now() + 31 * 24 * 3_600_000));
    assert.equal((await rows()).length, 0);
  });

  it('is printed by npm run admin for an account, and is audited', async () => {
    const environment = { DATABASE_URL: api.services.config.databaseUrl, PUBLIC_URL: 'https://bulk.example.com/' };
    const admin = (...args: string[]) => answerCommand(['console-link', ...args, '--json'], environment);
    const { account } = await api.newAccount();
    const made = await admin('--account', account);
    assert.equal(made.code, 0, made.stderr);
    const { link, tokenId } = JSON.parse(made.stdout);
    const [, code = ''] = /^https:\/\/bulk\.example\.com\/console\/#code=(lsc_.*)$/.exec(link) ?? [];
    const session = await logInWith(api, { code });
    assert.deepEqual([session.body.accountId, session.body.name, session.body.role], [account, 'console', 'owner']);
    assert.equal(JSON.parse((await admin('--account', account)).stdout).tokenId, tokenId, 'the same token again');
    const other = (await listTokens(api.db, account)).find(({ name }) => name === 'test')?.id ?? '';
    assert.equal(JSON.parse((await admin('--account', account, '--token', other)).stdout).tokenId, other);
    const entries = await api.db('audit_entry').where({ account_id: account }).orderBy('id');
    assert.deepEqual(
      entries.map(({ action, actor_kind }) => [action, actor_kind]),
      [
        ['TOKEN_CREATED', 'admin'],
        ['LOGIN_LINK_CREATED', 'admin'],
        ['SESSION_STARTED', 'token'],
        ['LOGIN_LINK_CREATED', 'admin'],
        ['LOGIN_LINK_CREATED', 'admin'],
      ],
    );
    for (const [args, said] of [
      [[], /required option '--account <text>' not specified/],
      [['--account', 'ffffffffffffffffffffffff'], /there is no account/],
      [['--account', account, '--token', 'x'], /has no valid token x/],
    ] as const) {
      const { code: exit, stderr } = await admin(...args);
      assert.equal(exit, 1);
      assert.match(stderr, said);
    }
    const nowhere = await answerCommand(['console-link', '--account', account], {
      DATABASE_URL: environment.DATABASE_URL,
      DATA_DIR: '/nowhere',
    });
    assert.match(nowhere.stderr, /^PUBLIC_URL is not set; set it to the address/);
  });
});
