import assert from 'node:assert/strict';
import { createClient, revokeClient } from '../../../src/domain/access/clients.js';
import { listTokens } from '../../../src/domain/access/tokens.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

describe('POST /oauth2/token', () => {
  let api: TestApi;
  let client: { clientId: string; clientSecret: string };
  before(async () => {
    api = await startTestApi();
    client = await createClient(api.db, {
      accountId: api.account,
      name: 'test',
      scopes: ['catalog:read', 'catalog:write'],
    });
  });
  after(() => api.stop());

  const ask = (form: Record<string, string> | string, authorization?: string) =>
    api.fetch('/oauth2/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
  const inForm = () => ({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;

  it('gives a token for ten minutes by the form', async () => {
    const response = await ask(inForm());
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const { access_token: token, ...rest } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 600, scope: 'catalog:read catalog:write' });
    const [row] = (await listTokens(api.db, api.account)).slice(-1);
    const seconds = ((row?.expiresAt?.getTime() ?? 0) - Date.now()) / 1000;
    assert.ok(seconds > 590 && seconds <= 600);
    assert.ok(typeof token === 'string' && token.length > 40);
  });

  it('gives one by Basic, with the scopes that are asked for', async () => {
    const form = { grant_type: 'client_credentials', scope: 'catalog:read' };
    const response = await ask(form, basic(client.clientId, client.clientSecret));
    assert.equal(((await response.json()) as { scope: string }).scope, 'catalog:read');
  });

  for (const [what, form, authorization, status, error] of [
    ['no body', '', undefined, 400, 'invalid_request'],
    ['no grant type', { client_id: 'x' }, undefined, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, undefined, 400, 'unsupported_grant_type'],
    ['no client', { grant_type: 'client_credentials' }, undefined, 401, 'invalid_client'],
    ['malformed Basic', { grant_type: 'client_credentials' }, 'Basic ???', 401, 'invalid_client'],
    [
      'malformed percent-encoding in Basic',
      { grant_type: 'client_credentials' },
      basic('%zz', 'x'),
      401,
      'invalid_client',
    ],
    ['a bearer token', { grant_type: 'client_credentials' }, 'Bearer x', 401, 'invalid_client'],
    [
      'a wrong secret',
      { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' },
      undefined,
      401,
      'invalid_client',
    ],
    ['a field that stands twice', 'grant_type=client_credentials&grant_type=x', undefined, 400, 'invalid_request'],
    ['malformed percent-encoding', 'grant_type=%zz', undefined, 400, 'invalid_request'],
    ['a NUL', 'grant_type=%00', undefined, 400, 'invalid_request'],
  ] as const) {
    it(`answers ${status} ${error} to ${what}`, async () => {
      const response = await ask(form, authorization);
      assert.equal(response.status, status);
      const body = (await response.json()) as { error: string; error_description: string };
      assert.equal(body.error, error);
      assert.equal(typeof body.error_description, 'string');
      if (status === 401) assert.match(response.headers.get('www-authenticate') ?? '', /^Basic /);
    });
  }

  it('ignores parameters of extensions, as RFC 6749 demands, but refuses one that is almost known', async () => {
    assert.equal((await ask({ ...inForm(), audience: 'https://api.example', resource: 'urn:x' })).status, 200);
    const misspelt = await ask({ ...inForm(), scop: 'catalog:read' });
    assert.equal(misspelt.status, 400);
    const { error, error_description: description } = (await misspelt.json()) as Record<string, string>;
    assert.equal(error, 'invalid_request');
    assert.match(description ?? '', /scop: there is no field 'scop': did you mean 'scope'\?/);
  });

  it('refuses credentials that come in two ways', async () => {
    const response = await ask(inForm(), basic(client.clientId, client.clientSecret));
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_request');
  });

  it('refuses a scope that the client does not have', async () => {
    const response = await ask({ ...inForm(), scope: 'catalog:read events:write' });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_scope');
  });

  it('answers 415 to JSON and 405 to GET, in its own words', async () => {
    const json = await api.fetch('/oauth2/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(json.status, 415);
    assert.equal(((await json.json()) as { error: string }).error, 'invalid_request');
    const get = await api.fetch('/oauth2/token');
    assert.equal(get.status, 405);
    assert.equal(get.headers.get('allow'), 'POST');
  });

  it('revokes what it gave together with the client', async () => {
    const doomed = await createClient(api.db, { accountId: api.account, name: 'doomed' });
    const credentials = { client_id: doomed.clientId, client_secret: doomed.clientSecret };
    assert.equal((await ask({ grant_type: 'client_credentials', ...credentials })).status, 200);
    await revokeClient(api.db, doomed.clientId);
    assert.equal((await ask({ grant_type: 'client_credentials', ...credentials })).status, 401);
    const given = (await listTokens(api.db, api.account)).filter(({ name }) => name.includes(doomed.clientId));
    assert.ok(given.length === 1 && given[0]?.revokedAt instanceof Date);
  });
});
