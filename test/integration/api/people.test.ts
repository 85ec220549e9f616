/** People and their roles: invitations, what each role may do, and that nobody grants more than they have. */
import assert from 'node:assert/strict';
import { ROLE_NAMES, ROLES } from '../../../src/domain/access/roles.js';
import { ACCOUNT_SCOPES } from '../../../src/domain/access/scopes.js';
import { createToken, listTokens, pruneTokens } from '../../../src/domain/access/tokens.js';
import { logInWith, openSession } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const PEOPLE = '/api/v2/access/people';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly lastUsedAt: string | null;
  readonly invitation: { readonly state: string };
}

describe('people', () => {
  let api: TestApi;
  let account: string;
  let owner: string;
  before(async () => {
    api = await startTestApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    ({ account, token: owner } = await api.newAccount());
    api.services.loginFailures.succeeded('127.0.0.1');
  });

  const call = (method: string, path: string, token = owner, body?: unknown) =>
    callApi(api, method, path, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    });
  async function invite(name: string, role: string): Promise<{ id: string; code: string }> {
    const { status, body, text } = await call('POST', PEOPLE, owner, { name, role });
    assert.equal(status, 200, text);
    return { id: body.id, code: codeIn(body.link) };
  }
  const codeIn = (link: string) => link.replace(/^.*#code=/, '');
  const people = async () => (await call('GET', PEOPLE)).body.data as Listed[];
  const tokenWith = async (...scopes: string[]) =>
    (await createToken(api.db, { accountId: account, name: 'some', scopes })).token;

  it('are invited by a link that logs in once, and their token is shown to nobody', async () => {
    const made = await call('POST', PEOPLE, owner, { name: ' Merchandiser ', role: 'editor' });
    assert.equal(made.status, 200, made.text);
    const { id, name, role, lastUsedAt, invitation, link } = made.body;
    assert.deepEqual([name, role, lastUsedAt, invitation.state], ['Merchandiser', 'editor', null, 'INVITED']);
    assert.ok(link.startsWith(`${api.url}/console/#code=lsc_`));
    const hours = (Date.parse(invitation.expiresAt) - Date.now()) / 3_600_000;
    assert.ok(hours > 71.9 && hours <= 72);
    assert.ok(!made.text.includes('lst_'));
    const { headers } = await openSession(api, { code: codeIn(link) });
    const { body } = await callApi(api, 'GET', '/api/v2/session', { headers });
    assert.deepEqual([body.tokenId, body.name, body.role], [id, 'Merchandiser', 'editor']);
    assert.deepEqual(body.scopes, ROLES.editor);
    assert.equal((await logInWith(api, { code: codeIn(link) })).status, 401);
    assert.deepEqual(
      (await people()).map((one) => [one.id, one.invitation.state]),
      [[id, 'ACCEPTED']],
    );
    await api.services.recorder.write();
    assert.notEqual((await call('GET', `${PEOPLE}/${id}`)).body.lastUsedAt, null);
  });

  it('have roles: a viewer reads, an editor changes, an approver approves, an owner does all', () => {
    const reading = ['catalog:read', 'webhooks:read', 'feeds:read', 'documents:read', 'audit:read'];
    assert.deepEqual([...ROLES.viewer].sort(), [...reading].sort());
    assert.deepEqual([...ROLES.editor].sort(), [...reading, 'catalog:write', 'webhooks:write', 'feeds:write'].sort());
    assert.deepEqual([...ROLES.approver].sort(), [...reading, 'catalog:approve'].sort());
    assert.deepEqual(ROLES.owner, ACCOUNT_SCOPES);
  });

  it('may do in a session what their role allows', async () => {
    const site = { 'x-site-context': JSON.stringify({ account }) };
    const allowed: Record<string, number[]> = {};
    for (const role of ROLE_NAMES) {
      const { headers } = await openSession(api, { code: (await invite(role, role)).code });
      const status = async (method: string, path: string, body?: unknown) =>
        (
          await callApi(api, method, path, {
            headers: { ...headers, ...site },
            ...(body === undefined ? {} : { body }),
          })
        ).status;
      allowed[role] = [
        await status('GET', '/jobs/product'),
        await status('POST', '/api-category/v1/category', { name: role }),
        await status('POST', '/jobs/0123456789abcdef01234567/actions/approve', {}),
        await status('GET', PEOPLE),
        await status('GET', '/site-settings'),
      ];
    }
    assert.deepEqual(allowed, {
      viewer: [200, 403, 403, 403, 403],
      editor: [200, 200, 403, 403, 403],
      approver: [200, 403, 404, 403, 403],
      owner: [200, 200, 404, 200, 200],
    });
  });

  it('get a new link, which makes the one before it worthless', async () => {
    const { id, code } = await invite('Late', 'viewer');
    await api.db('login_code').where({ token_id: id }).update({ expires_at: new Date() });
    assert.equal((await people())[0]?.invitation.state, 'EXPIRED');
    const first = await call('POST', `${PEOPLE}/${id}/actions/invite`);
    assert.equal(first.body.invitation.state, 'INVITED');
    const second = await call('POST', `${PEOPLE}/${id}/actions/invite`);
    for (const worthless of [code, codeIn(first.body.link)])
      assert.equal((await logInWith(api, { code: worthless })).status, 401);
    await openSession(api, { code: codeIn(second.body.link) });
  });

  it('get another role, which their sessions have within seconds', async () => {
    const { id, code } = await invite('Promoted', 'viewer');
    const { headers } = await openSession(api, { code });
    const isAdmin = async () => (await callApi(api, 'GET', PEOPLE, { headers })).status === 200;
    assert.ok(!(await isAdmin()));
    const changed = await call('PATCH', `${PEOPLE}/${id}`, owner, { role: 'owner', name: 'Second owner' });
    assert.deepEqual([changed.status, changed.body.role, changed.body.name], [200, 'owner', 'Second owner']);
    await until('the session has the new scopes', isAdmin, 10_000);
    // Nobody takes the last way in from themselves.
    for (const [method, body] of [
      ['PATCH', { role: 'viewer' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await callApi(api, method, `${PEOPLE}/${id}`, {
        headers,
        ...(body === undefined ? {} : { body }),
      });
      assert.deepEqual([answer.status, answer.body.code], [409, 'OWN_ACCESS']);
    }
  }).timeout(15_000);

  it('have the scopes of their role as this release knows it, whatever was stored when they were invited', async () => {
    const { id, code } = await invite('Since long', 'owner');
    await api
      .db('access_token')
      .where({ id })
      .update({ scopes: ['catalog:read'] });
    const { headers } = await openSession(api, { code });
    const { body } = await callApi(api, 'GET', '/api/v2/session', { headers });
    assert.deepEqual([body.role, body.scopes], ['owner', [...ACCOUNT_SCOPES]]);
    assert.equal((await callApi(api, 'GET', PEOPLE, { headers })).status, 200);
    const [listed] = (await listTokens(api.db, account)).filter((one) => one.id === id);
    assert.deepEqual(listed?.scopes, [...ACCOUNT_SCOPES]);
    // Nobody who has less removes them.
    const admin = await tokenWith(...ROLES.viewer, 'access:admin');
    assert.equal((await call('DELETE', `${PEOPLE}/${id}`, admin)).status, 403);
    // A role of a later release, after a way back: what was stored with it.
    const later = await invite('Later', 'viewer');
    await api
      .db('access_token')
      .where({ id: later.id })
      .update({ role: 'auditor', scopes: ['audit:read'] });
    const session = await openSession(api, { code: later.code });
    const known = await callApi(api, 'GET', '/api/v2/session', { headers: session.headers });
    assert.deepEqual([known.body.role, known.body.scopes], [null, ['audit:read']]);
  });

  it('lose their access when they are removed: their session and their link', async () => {
    const { id, code } = await invite('Leaving', 'editor');
    const { headers } = await openSession(api, { code });
    const open = await call('POST', `${PEOPLE}/${id}/actions/invite`);
    assert.equal((await call('DELETE', `${PEOPLE}/${id}`)).status, 204);
    assert.equal((await logInWith(api, { code: codeIn(open.body.link) })).status, 401);
    await until(
      'the session is refused',
      async () => (await callApi(api, 'GET', '/api/v2/session', { headers })).status === 401,
      10_000,
    );
    assert.deepEqual(await people(), []);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/actions/invite'],
    ] as const)
      assert.equal((await call(method, `${PEOPLE}/${id}${path}`)).status, 404, path);
  }).timeout(15_000);

  it('are not granted more than the one who invites has, nor changed, invited or removed by one who has less', async () => {
    const admin = await tokenWith(...ROLES.viewer, 'access:admin');
    const strong = await invite('Strong', 'editor');
    const weak = await invite('Weak', 'viewer');
    for (const [method, path, body] of [
      ['POST', PEOPLE, { name: 'x', role: 'owner' }],
      ['POST', PEOPLE, { name: 'x', role: 'editor' }],
      ['POST', PEOPLE, { name: 'x', role: 'approver' }],
      ['PATCH', `${PEOPLE}/${weak.id}`, { role: 'editor' }],
      ['PATCH', `${PEOPLE}/${strong.id}`, { role: 'viewer' }],
      ['PATCH', `${PEOPLE}/${strong.id}`, { name: 'x' }],
      ['POST', `${PEOPLE}/${strong.id}/actions/invite`, undefined],
      ['DELETE', `${PEOPLE}/${strong.id}`, undefined],
    ] as const) {
      const { status, body: answer, text } = await call(method, path, admin, body);
      assert.deepEqual([status, answer.code], [403, 'SCOPES_EXCEEDED'], `${method} ${path}: ${text}`);
      assert.match(answer.message, /catalog:(?:write|approve)/);
    }
    assert.equal((await call('POST', PEOPLE, admin, { name: 'Same', role: 'viewer' })).status, 200);
    assert.equal((await call('PATCH', `${PEOPLE}/${weak.id}`, admin, { name: 'Renamed' })).status, 200);
    assert.equal((await call('DELETE', `${PEOPLE}/${weak.id}`, admin)).status, 204);
    // The scope alone is not enough for any role.
    const bare = await tokenWith('access:admin');
    assert.equal((await call('POST', PEOPLE, bare, { name: 'x', role: 'viewer' })).status, 403);
  });

  it('are at most 1,000, of which those who were removed count for a day', async () => {
    const { id } = await invite('Removed', 'viewer');
    await call('DELETE', `${PEOPLE}/${id}`);
    await api.db.raw(
      `INSERT INTO access_token (id, digest, account_id, name, scopes, role)
       SELECT 'person ' || n, sha256(convert_to('person ' || n || ?::text, 'UTF8')), ?, 'x', '{catalog:read}', 'viewer'
       FROM generate_series(1, 999) AS n`,
      [account, account],
    );
    const { status, body } = await call('POST', PEOPLE, owner, { name: 'x', role: 'viewer' });
    assert.deepEqual([status, body.code], [422, 'TOO_MANY_PEOPLE']);
    await pruneTokens(api.db, new Date(Date.now() + 25 * 3_600_000));
    assert.equal((await call('POST', PEOPLE, owner, { name: 'x', role: 'viewer' })).status, 200);
  });

  it('are known in their account alone, and are not the tokens of programs', async () => {
    const { id } = await invite('Ours', 'viewer');
    const other = await api.newAccount();
    assert.deepEqual((await call('GET', PEOPLE, other.token)).body.data, []);
    assert.equal((await call('DELETE', `${PEOPLE}/${id}`, other.token)).status, 404);
    const [program] = (await listTokens(api.db, account)).filter(({ name }) => name === 'test');
    assert.equal((await call('DELETE', `${PEOPLE}/${program?.id}`)).status, 404);
    assert.equal((await call('GET', PEOPLE)).body.data.length, 1);
  });

  it('have names that are not those of other tokens', async () => {
    for (const name of ['', '   ', 'x'.repeat(256), 'oauth client 0123456789abcdef01234567', 'a\u0000b']) {
      const { status, text } = await call('POST', PEOPLE, owner, { name, role: 'viewer' });
      assert.equal(status, 400, text);
    }
    const { status, text } = await call('POST', PEOPLE, owner, { name: 'x', role: 'admin' });
    assert.equal(status, 400);
    assert.match(text, /viewer.*editor.*approver.*owner/);
  });

  it('are invited, changed and removed in the audit log', async () => {
    const { id } = await invite('Audited', 'viewer');
    await call('POST', `${PEOPLE}/${id}/actions/invite`);
    await call('PATCH', `${PEOPLE}/${id}`, owner, { role: 'approver' });
    await call('DELETE', `${PEOPLE}/${id}`);
    const entries = await api.db('audit_entry').where({ account_id: account }).orderBy('id');
    assert.deepEqual(
      entries.map(({ action, target, actor_kind: kind }) => [action, target, kind]),
      ['PERSON_INVITED', 'PERSON_INVITED', 'PERSON_CHANGED', 'PERSON_REMOVED'].map((action) => [
        action,
        `token/${id}`,
        'token',
      ]),
    );
  });
});
